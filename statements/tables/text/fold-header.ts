import { currencyCodes } from '../../shared/currencies.ts'

/** Those that may stand without brackets: other codes are also words, such as `all` and `top`. */
const usualCurrencies =
  'eur|usd|gbp|chf|pln|czk|sek|nok|dkk|huf|ron|try|cad|aud|nzd|sgd|hkd|jpy|cny|krw|twd|inr|zar|brl|mxn'
const currencyInBrackets = new RegExp(
  `[([（]\\s*(?:[a-z]{0,2}\\p{Sc}|r\\$|euros?|zl|kr|円|元|원|${[...currencyCodes].join('|')})\\s*[)\\]）]`,
  'giu',
)
const currencyBehind = new RegExp(` (?:(?:in|en|em|v|w|i) )?(?:euros?|${usualCurrencies})$`, 'i')

/**
 * A text in the form in which headers are compared: lower case, without accents, currency or punctuation. East Asian ones
 * also lose the spaces between words, a polite お or ご in front, and `金額` (amount) behind another word.
 */
export function foldHeader(header: string): string {
  const text = withoutAccents(header)
    .replace(currencyInBrackets, ' ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .replace(currencyBehind, '')
  if (!/\p{Lo}/u.test(text)) return text
  return text
    .replace(/(?<=\p{Lo}) (?=\p{Lo})/gu, '')
    .replace(/^[おこ](?=\p{sc=Han})|(?<=..)(?<![余餘잔])(?:金?[额額]|금?액)$/gu, '')
}

function withoutAccents(header: string): string {
  const text = header.slice(0, 200).toLowerCase()
  // Every cell of a file may be folded, and most are plain ASCII.
  if (!/[^\0-\x7f]/.test(text)) return text
  return (
    text
      .replaceAll('ß', 'ss')
      .replaceAll('ł', 'l')
      .replaceAll('ø', 'o')
      .replaceAll('æ', 'ae')
      .normalize('NFD')
      .replace(/\p{M}/gu, '')
      // NFD takes Korean syllables apart as well.
      .normalize('NFC')
  )
}
