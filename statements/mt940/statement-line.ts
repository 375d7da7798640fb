import { type CalendarDate, isCalendarDate } from '../../src/domain/dates.ts'
import { ungroupedAmount } from '../shared/amount.ts'
import type { Problems } from '../shared/problems.ts'
import type { StatementEntry } from '../shared/statement.ts'
import { bankReference } from '../shared/text.ts'

/** After the mark there may be a funds code, the last letter of the currency's code. */
const shape =
  /^\s*(?<valueDay>\d{6})(?<entryDay>\d{4}|[ ]{4})?\s*(?<mark>R[CD]|E[CD]|[CD])[A-Z]?\s*(?<digits>[\d][\d.,]*|,\d+)(?<rest>[\s\S]*)$/

/** A `:61:` (SWIFT MT940, field 61 "Statement Line"). One marked EC or ED is expected, not booked. */
type StatementLine = {
  entry: StatementEntry
  supplementary: string
  isExpected: boolean
  isReversal: boolean
}

/** Reads a `:61:`, whose lines are joined by line ends. If it is invalid, adds errors and returns null. */
export function readStatementLine(value: string, line: number, problems: Problems): StatementLine | null {
  const groups = shape.exec(value)?.groups
  if (!groups) {
    problems.addRow(
      line,
      'entry',
      'The :field field must be a statement line (:61:) with date, mark and amount.',
    )
    return null
  }
  const { valueDay = '', entryDay = '', mark = '', digits = '', rest = '' } = groups
  const date = problems.checkDate(line, valueDay, bookingDate(valueDay, entryDay.trim()))
  // The reversal of a credit (RC) is a debit, that of a debit (RD) a credit.
  const isDebit = mark === 'D' || mark === 'RC' || mark === 'ED'
  const amount = problems.checkAmount(line, digits, ungroupedAmount(`${isDebit ? '-' : ''}${digits}`))
  if (date === null || amount === null) return null
  const { reference, supplementary } = readRest(rest)
  return {
    entry: { lines: [line], date, amount, description: null, reference },
    supplementary,
    isExpected: mark.startsWith('E'),
    isReversal: mark.startsWith('R'),
  }
}

/** A `yymmdd` date; in SWIFT, 80 to 99 mean 1980 to 1999. */
export function swiftDate(day: string): CalendarDate | null {
  const year = Number(day.slice(0, 2))
  return dateInYear(year >= 80 ? 1900 + year : 2000 + year, day.slice(2))
}

/** The entry date, in the year that puts it nearest to the value date; without one, the value date. */
function bookingDate(valueDay: string, entryDay: string): CalendarDate | null {
  const value = swiftDate(valueDay)
  if (value === null || entryDay === '') return value
  const year = Number(value.slice(0, 4))
  const candidates = [year - 1, year, year + 1].flatMap((candidate) => dateInYear(candidate, entryDay) ?? [])
  const distance = (date: CalendarDate) => Math.abs(Date.parse(date) - Date.parse(value))
  return candidates.sort((a, b) => distance(a) - distance(b))[0] ?? null
}

/**
 * The day `mmdd` of a year. German banks count interest in months of 30 days and write 30 February for the last day of
 * February.
 */
function dateInYear(year: number, monthDay: string): CalendarDate | null {
  const days = /^02(?:29|30)$/.test(monthDay) ? ['0229', '0228'] : [monthDay]
  const dates = days.map((day) => `${year}-${day.slice(0, 2)}-${day.slice(2)}`)
  return dates.find(isCalendarDate) ?? null
}

/** Transaction type (`NTRF`), the customer's reference, `//`, the bank's reference; on the next line, supplementary details. */
function readRest(rest: string): { reference: string | null; supplementary: string } {
  const [first = '', ...more] = rest.split('\n')
  const references = first.replace(/^\s*[NSF][A-Z0-9 ]{3}/, '')
  const slashes = references.indexOf('//')
  const customer = slashes < 0 ? references : references.slice(0, slashes)
  const bank = slashes < 0 ? '' : references.slice(slashes + 2)
  const supplementary = more.filter((line) => !/^\/?(?:TRCD|OCMT|CHGS)\//.test(line)).join(' ')
  return { reference: bankReference(bank, customer), supplementary }
}
