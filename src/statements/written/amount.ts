import { type Minor, type MoneyProblem, parseMoney } from '../../domain/money.ts'

export type DecimalSeparator = '.' | ','

/** An amount as somebody wrote it, before it is known which separator stands before the decimals. */
export type WrittenAmount = {
  negative: boolean
  /** Said in words beside the number: `12.00 CR`, `12,00 S`. */
  marker: 'debit' | 'credit' | null
  /** The plain decimal that it is, for each separator with which it is one. */
  readings: Partial<Record<DecimalSeparator, string>>
}

const maxLength = 80
const groupers = /[\s\u00a0\u2007\u2009\u202f'’‘`´_]/g
const currencyWord =
  /^(?:[a-z]{3}|kr\.?|zł|zl|kč|ft\.?|lei|fr\.?|sfr\.?|r|us|au|ca|nz|hk|sg|a|c|s|rs\.?|лв\.?|руб\.?|р\.?|euro)$/iu
const debitWord = /^(?:d|dr|db|dt|s|soll|debit|debet)\.?$/i
const creditWord = /^(?:c|cr|cd|ct|h|haben|credit|kredit)\.?$/i

/** Takes an amount apart: signs, parentheses, currency, markers, digits. Null is no amount at all. */
export function readWrittenAmount(raw: string): WrittenAmount | null {
  if (raw.length > maxLength) return null
  const text = raw.trim().replace(/[\u2212\u2012\u2013\u2014\ufe63\uff0d]/g, '-')
  const first = text.search(/\d/)
  if (first < 0) return null
  const start = startsWithSeparator(text, first) ? first - 1 : first
  let end = text.length
  while (!/\d/.test(text[end - 1] ?? '')) end -= 1
  if (/[.,]/.test(text[end] ?? '') && !/\p{L}/u.test(text[end + 1] ?? '')) end += 1
  const around = readAround(text.slice(0, start), text.slice(end))
  if (around === null) return null
  const core = text.slice(start, end)
  const readings: WrittenAmount['readings'] = {}
  for (const separator of ['.', ','] as const) {
    const decimal = plainDecimal(core, separator)
    if (decimal !== null) readings[separator] = decimal
  }
  return readings['.'] === undefined && readings[','] === undefined ? null : { ...around, readings }
}

/** The amount, signed as written, for the separator that the file uses. */
export function amountOf(written: WrittenAmount, separator: DecimalSeparator): Minor | MoneyProblem {
  const decimal = written.readings[separator]
  if (decimal === undefined) return 'not a number'
  return parseMoney(`${written.negative ? '-' : ''}${decimal}`)
}

/** True for a cell that holds no amount: empty, or dashes for emptiness. */
export function isBlankAmount(raw: string): boolean {
  return /^[\s\u00a0\u202f.\-–—]*$/.test(raw.slice(0, maxLength))
}

/** `.50` and `$.50` begin with their separator; in `Fr.50` the dot belongs to the currency. */
function startsWithSeparator(text: string, first: number): boolean {
  return /[.,]/.test(text[first - 1] ?? '') && !/\p{L}/u.test(text[first - 2] ?? '')
}

/** Reads what stands before and after the digits. */
function readAround(before: string, after: string): Pick<WrittenAmount, 'negative' | 'marker'> | null {
  const enclosed = before.includes('(') && after.includes(')')
  const parts = `${before} | ${after}`.match(/\p{L}[\p{L}.]*|\S/gu) ?? []
  let minus = enclosed ? 1 : 0
  let behind = false
  let marker: WrittenAmount['marker'] = null
  for (const part of parts) {
    if (part === '|') behind = true
    else if (part === '-') minus += 1
    else if (part === '+' || /^[\p{Sc}*]$/u.test(part)) continue
    else if (enclosed && (part === '(' || part === ')')) continue
    else if (behind && debitWord.test(part)) marker = 'debit'
    else if (behind && creditWord.test(part)) marker = 'credit'
    else if (!currencyWord.test(part)) return null
  }
  // A minus of money that came in says two things at once.
  if (minus > 1 || (minus === 1 && marker === 'credit')) return null
  return { negative: minus === 1 || marker === 'debit', marker }
}

/** The digits as a plain decimal, if `separator` stands before the decimals; null where that cannot be. */
function plainDecimal(core: string, separator: DecimalSeparator): string | null {
  const parts = core.split(separator)
  if (parts.length > 2) return null
  const [whole = '', decimals = ''] = parts
  if (!/^\d*$/.test(decimals)) return null
  const digits = wholeDigits(whole, separator === '.' ? ',' : '.')
  if (digits === null || (digits === '' && decimals === '')) return null
  // 10.5000 is 10.50: zeros are no decimals.
  const kept = decimals.slice(0, 2) + decimals.slice(2).replace(/0+$/, '')
  return `${digits || '0'}${kept === '' ? '' : `.${kept}`}`
}

/** The digits before the decimals without their grouping, which must be one (1.234.567, 1 234, 12,34,567). */
function wholeDigits(whole: string, other: DecimalSeparator): string | null {
  if (/^\d*$/.test(whole)) return whole
  const grouped = whole.replace(groupers, "'")
  const grouper = grouped.includes(other) ? other : "'"
  const groups = grouped.split(grouper)
  if (groups.some((group) => !/^\d+$/.test(group))) return null
  const [head = '', ...tail] = groups
  const last = tail.at(-1) ?? ''
  const thousands = head.length <= 3 && tail.every((group) => group.length === 3)
  const lakhs =
    head.length <= 2 && last.length === 3 && tail.slice(0, -1).every((group) => group.length === 2)
  if (head.startsWith('0') || !(thousands || lakhs)) return null
  return groups.join('')
}

/** An amount in a format that groups no digits (OFX, MT940): of several separators the last stands before the decimals. */
export function ungroupedAmount(raw: string): Minor | MoneyProblem {
  const written = readWrittenAmount(raw)
  if (!written) return 'not a number'
  return amountOf(written, raw.lastIndexOf(',') > raw.lastIndexOf('.') ? ',' : '.')
}
