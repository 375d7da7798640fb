import { type Minor, type MoneyProblem, parseMoney } from '../../src/domain/money.ts'
import { decimalSeparators } from '../../src/domain/types.ts'
import { isCurrency } from './currencies.ts'
import { withAsciiDigits } from './text.ts'

export type DecimalSeparator = (typeof decimalSeparators)[number]

/** An amount as it is written, before it is known which character is the decimal separator. */
type WrittenAmount = {
  isNegative: boolean
  /** What shows that it is positive: a plus sign, or a mark such as `CR`. */
  positive: '+' | 'mark' | null
  /** The amount as a plain decimal, for each decimal separator with which it can be read. */
  readings: Partial<Record<DecimalSeparator, string>>
}

/** A cell or field that should hold an amount; `written` is null if it does not. */
export type AmountCell = { line: number; text: string; written: WrittenAmount | null }

export type AmountReader = (cell: AmountCell) => Minor | MoneyProblem

const maxLength = 80
const groupers = /[\s\u00a0\u2007\u2009\u202f'’‘`´_]/g
const debitWord = /^(?:d|dr|db|dt|s|soll|debit|debet|af|wn)\.?$/i
const creditWord = /^(?:c|cr|cd|ct|h|haben|credit|kredit|bij|ma|a)\.?$/i

/** Reads a cell once; later questions about its amount use the result. `currency` is a name that only this file has. */
export function amountCell(line: number, text: string, currency: string | null = null): AmountCell {
  return { line, text, written: readWrittenAmount(currency ? text.replace(currency, '') : text) }
}

/** Reads an amount with a known decimal separator, signed as written. */
export function readAmount({ written }: AmountCell, separator: DecimalSeparator): Minor | MoneyProblem {
  const decimal = written?.readings[separator]
  if (!written || decimal === undefined) return 'not a number'
  return parseMoney(`${written.isNegative ? '-' : ''}${decimal}`)
}

/**
 * An amount in a format without thousands separators (OFX, MT940, CAMT), though some files group their digits. `grouped`, by
 * default the amount itself, shows which separator is the decimal one: the last.
 */
export function ungroupedAmount(raw: string, grouped: string = raw): Minor | MoneyProblem {
  return readAmount(amountCell(0, raw), grouped.lastIndexOf(',') > grouped.lastIndexOf('.') ? ',' : '.')
}

/** True for a cell without an amount: empty, filled with dashes, or with a word for nothing. */
export function isBlankAmount(raw: string): boolean {
  return /^(?:[\s\u00a0\u202f.\-–—]*|\s*(?:n\/?a|null|nil|none)\s*)$/i.test(raw.slice(0, maxLength))
}

/**
 * Takes an amount apart into signs, parentheses, currency, debit or credit mark and digits; null if it is not one. A note
 * in parentheses may follow it: `131.77(89.84 refunded)`.
 */
export function readWrittenAmount(raw: string): WrittenAmount | null {
  if (raw.length > maxLength) return null
  const written = takenApart(raw)
  const note = written ? null : /^(.*\d)\s?[(（][^()（）]*\p{L}{2}[^()（）]*[)）]\s*$/u.exec(raw)
  return note ? takenApart(note[1] ?? '') : written
}

/** Most amounts: digits with at most two decimals. */
const plain = /^(-?)(\d+)(?:([.,])(\d\d?))?$/

function takenApart(raw: string): WrittenAmount | null {
  const [whole, minus, digits = '', separator, decimals] = plain.exec(raw) ?? []
  if (whole !== undefined) {
    const readings = separator ? { [separator]: `${digits}.${decimals}` } : { '.': digits, ',': digits }
    return { isNegative: minus === '-', positive: null, readings }
  }
  const text = withAsciiDigits(raw.replaceAll('，', "'"))
    .trim()
    .replace(/[\u2212\u2012\u2013\u2014\ufe63▲△]/g, '-')
  const first = text.search(/\d/)
  if (first < 0) return null
  const start = startsWithSeparator(text, first) ? first - 1 : first
  let end = text.length
  while (!/\d/.test(text[end - 1] ?? '')) end -= 1
  if (/[.,]/.test(text[end] ?? '') && !/\p{L}/u.test(text[end + 1] ?? '')) end += 1
  const sign = readSign(text.slice(0, start), text.slice(end))
  if (sign === null) return null
  const core = text.slice(start, end)
  const readings: WrittenAmount['readings'] = {}
  for (const separator of decimalSeparators) {
    const decimal = plainDecimal(core, separator)
    if (decimal !== null) readings[separator] = decimal
  }
  return readings['.'] === undefined && readings[','] === undefined ? null : { ...sign, readings }
}

/** `.50` and `$.50` begin with their separator; in `Fr.50` and `S/.50` the dot belongs to the currency. */
function startsWithSeparator(text: string, first: number): boolean {
  return /[.,]/.test(text[first - 1] ?? '') && !/[\p{L}/]/u.test(text[first - 2] ?? '')
}

/** What the text around the digits says about their sign; null if it cannot surround an amount. */
function readSign(before: string, after: string): Omit<WrittenAmount, 'readings'> | null {
  const isEnclosed = before.includes('(') && after.includes(')')
  const parts = `${before} | ${after}`.match(/\p{L}[\p{L}./]*|\S/gu) ?? []
  let minus = isEnclosed ? 1 : 0
  let isBehind = false
  let hasPlus = false
  let mark: 'debit' | 'credit' | null = null
  for (const part of parts) {
    if (part === '|') isBehind = true
    else if (part === '-') minus += 1
    else if (part === '+') hasPlus = true
    else if (/^[\p{Sc}*\\]$/u.test(part)) continue
    else if (isEnclosed && (part === '(' || part === ')')) continue
    else if (isBehind && debitWord.test(part)) mark = 'debit'
    else if (isBehind && creditWord.test(part)) mark = 'credit'
    else if (!isCurrency(part)) return null
  }
  // A credit with a minus sign contradicts itself.
  if (minus > 1 || (minus === 1 && mark === 'credit')) return null
  const isNegative = minus === 1 || mark === 'debit'
  return { isNegative, positive: mark === 'credit' ? 'mark' : hasPlus && !isNegative ? '+' : null }
}

/** The digits as a plain decimal if `separator` is the decimal one; null if it cannot be. */
function plainDecimal(core: string, separator: DecimalSeparator): string | null {
  const parts = core.split(separator)
  if (parts.length > 2) return null
  const [whole = '', decimals = ''] = parts
  if (!/^\d*$/.test(decimals)) return null
  const digits = wholeDigits(whole, separator === '.' ? ',' : '.')
  if (digits === null || (digits === '' && decimals === '')) return null
  // 10.5000 is 10.50: trailing zeros do not count as decimals.
  const kept = decimals.slice(0, 2) + decimals.slice(2).replace(/0+$/, '')
  return `${digits || '0'}${kept === '' ? '' : `.${kept}`}`
}

/** The digits before the decimals without their grouping, which must be valid (1.234.567, 1 234, 12,34,567). */
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
