import { observable } from './store.ts'

const currencyKey = 'purse.currency'
/** The ISO code of the currency whose sign amounts are shown with on this device, or an empty text. */
export const currency = observable(localStorage.getItem(currencyKey) ?? '')

export function chooseCurrency(code: string): void {
  localStorage.setItem(currencyKey, code)
  currency.set(code)
}

/** Formats an amount exactly to the cent (it is text, and never becomes a float), with a minus sign, not a hyphen. */
export const money = (amount: string | number): string => format(amount, currency.get())
/** The same as a person would type it: without a currency sign. */
export const plainMoney = (amount: string | number): string => format(amount, '')

const formats = new Map<string, Intl.NumberFormat>()

function format(amount: string | number, code: string): string {
  const sign = code && ({ style: 'currency', currency: code, currencyDisplay: 'narrowSymbol' } as const)
  const decimals = { minimumFractionDigits: 2, maximumFractionDigits: 2 }
  const found = formats.get(code) ?? new Intl.NumberFormat(undefined, { ...sign, ...decimals })
  formats.set(code, found)
  return found.format(amount as `${number}`).replace('-', '−')
}

/** Digits alone, or in groups, of which the first has no leading zero and the last three digits. */
const whole = /^\d+$|^[1-9]\d{0,2}([.,' ])(?:\d{2,3}\1)*\d{3}$/

/**
 * Reads an amount as people write it in any locale: `1,234.50`, `1.234,5`, `1 234,50`, `-20`. A text that is no amount
 * is returned for the API's own error, such as that about `0.001`. `isCertain` if the text could mean no other amount.
 */
export function typedAmount(text: string): { amount: string; isCertain: boolean } {
  const digits = digitsOf()
  const plain = text
    .replace(/\p{Nd}/gu, (one) => (digits.includes(one) ? String(digits.indexOf(one)) : one))
    .replace(/[−–]/g, '-')
    .replace(/[’٬]/g, "'")
    .replace(/٫/g, ',')
    .replace(/[\p{Sc}\p{Cf}]/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
  const [, sign = '', unsigned = ''] = /^([-+]?) ?(.*)$/.exec(plain) ?? []
  const [, head = '', cents = ''] = /^(.*)[.,](\d{1,2})$/.exec(unsigned) ?? [undefined, unsigned]
  const [units, group] = whole.exec(head || (cents && '0')) ?? []
  // 1.234.56 uses one mark for two purposes.
  if (units === undefined || (group && group === unsigned.at(head.length)))
    return { amount: text.replace(/^(-?\d+),(\d+)$/, '$1.$2'), isCertain: true }
  const amount = `${sign.replace('+', '')}${units.replace(/\D/g, '')}.${cents.padEnd(2, '0')}`
  // 1.234 is 1234 to some people, and a little more than 1 to others.
  const isOnlyGroup = cents === '' && units.split(/[.,]/).length === 2
  return { amount, isCertain: !isOnlyGroup || group === groupMark() }
}

const digitsOf = (): string =>
  new Intl.NumberFormat(undefined, { useGrouping: false }).format(9876543210).split('').reverse().join('')

const groupMark = (): string | undefined =>
  new Intl.NumberFormat().formatToParts(1234567).find(({ type }) => type === 'group')?.value
