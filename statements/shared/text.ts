import { isBlank, isLongerThan, normaliseText, trimText } from '../../src/domain/texts.ts'

const maxCodePoints = 255
/**
 * Parsers that build a text piece by piece add no more once it is this long, since `cleanText` would not use the rest.
 * The last piece may take it past the limit.
 */
export const maxTextLength = 20_000

/** What has no place in a line of text: control characters, marks of direction and the like. */
const unwanted = /[\p{Cc}\p{Cs}\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/gu

/** Most texts: words of ASCII, with single spaces between them. */
const isClean = /^[!-~]+(?: [!-~]+)*$/

/** Text as it is stored: one line, no control characters, single spaces, at most 255 code points; null if empty. */
export function cleanText(raw: string): string | null {
  if (raw.length <= maxCodePoints && isClean.test(raw)) return raw
  // Cleaning a very long text is expensive, so it is cut first, with room for the padding that is dropped below.
  const line = raw.slice(0, 16_384).toWellFormed().replace(unwanted, ' ').replace(/\s+/g, ' ')
  if (isBlank(line)) return null
  const text = normaliseText(trimText(line))
  if (text.length <= maxCodePoints) return text
  const points = [...text]
  return points.length <= maxCodePoints ? text : `${points.slice(0, maxCodePoints - 1).join('')}…`
}

/** The name of an account: a line of text whose white space is kept, since names may differ in it alone. Null if empty. */
export function cleanName(raw: string): string | null {
  const text = cleanText(raw)
  if (text === null || text === raw) return text
  const name = normaliseText(trimText(raw.toWellFormed().replace(unwanted, ' ')))
  return isLongerThan(name, maxCodePoints) ? text : name
}

const isAscii = /^[\0-~]*$/

/** Arabic, Persian and full-width digits as ASCII digits, with the signs and separators as they would stand beside these. */
export function withAsciiDigits(raw: string): string {
  if (isAscii.test(raw)) return raw
  const text = raw
    // Each of their zeros has a code that is a multiple of 16.
    .replace(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) % 16))
    .replace(/[！-～]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
  return text.replaceAll('٫', '.').replaceAll('٬', ',')
}

/** Joins the parts of a description, leaving out placeholders and parts whose words another part contains. */
export function joinDescription(...parts: (string | null | undefined)[]): string | null {
  let kept: string[] = []
  for (const part of parts) {
    const text = cleanText(part ?? '')
    if (text === null || /^(?:not ?provided|no description|\/)$/i.test(text)) continue
    const folded = text.toLowerCase()
    if (kept.some((earlier) => containsWords(earlier.toLowerCase(), folded))) continue
    const isContained = (earlier: string) => containsWords(folded, earlier.toLowerCase())
    const place = kept.findIndex(isContained)
    if (place < 0) kept.push(text)
    else kept = kept.with(place, text).filter((one) => one === text || !isContained(one))
  }
  return cleanText(kept.join(' – '))
}

/** Two characters of one word, in scripts that write words apart. */
const insideWord = /^(?:(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}])[\p{L}\p{N}]){2}$/u

/** True if the text contains the part without cutting a word: `Miete` is no part of `Vermieter`. */
function containsWords(text: string, part: string): boolean {
  const isInWord = (at: number) => insideWord.test(text.slice(at - 1, at + 1))
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1))
    if (!isInWord(at) && !isInWord(at + part.length)) return true
  return false
}

/** What banks write where they have no reference (SWIFT NONREF, SEPA NOTPROVIDED …). */
const placeholder =
  /^(?:nonref\b.*|notprovided|not provided|nosref|noref|none|n\/?a|null|(?:eref|kref|mref|pref|cref|marf)\+?|[-.0/\s]*|.)$/i

/** The first real reference among the candidates; null if all are empty or placeholders. */
export function bankReference(...candidates: (string | null | undefined)[]): string | null {
  for (const candidate of candidates) {
    const text = cleanText(candidate ?? '')
    if (text !== null && !placeholder.test(text)) return text
  }
  return null
}

/** A value as error messages quote it: one line of at most 40 characters. */
export function quoted(raw: string): string {
  const text = cleanText(raw) ?? ''
  // 41 code points show whether the text is too long, and each takes at most two UTF-16 units.
  const start = [...text.slice(0, 82)]
  return start.length <= 40 ? text : `${start.slice(0, 39).join('')}…`
}

/** A value with its row, as error messages quote it. */
export function quotedInRow({ text, line }: { text: string; line: number }): string {
  return `${quoted(text)} in row ${line}`
}
