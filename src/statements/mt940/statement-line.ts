import { type CalendarDate, earliestDate, isCalendarDate, latestDate } from '../../domain/dates.ts'
import { moneyText, notADate, notInDateRange, type Problems } from '../problems.ts'
import type { StatementRow } from '../statement.ts'
import { bankReference } from '../text.ts'
import { ungroupedAmount } from '../written/amount.ts'

/** Value date, entry date, mark, funds code (the last letter of the currency), amount, and the rest. */
const shape = /^\s*(\d{6})(\d{4}|[ ]{4})?\s*(R[CD]|E[CD]|[CD])([A-Z])?\s*([\d][\d.,]*|,\d+)([\s\S]*)$/

/** A `:61:` (SWIFT MT940, field 61 "Statement Line"); `expected` ones (EC, ED) are announced and not booked. */
export type StatementLine = { row: StatementRow; supplementary: string; expected: boolean }

/** Reads a `:61:`, the lines of which are joined by line ends. What is wrong with it is noted. */
export function readStatementLine(value: string, line: number, problems: Problems): StatementLine | null {
  const match = shape.exec(value)
  if (!match) {
    problems.addRow(
      line,
      'entry',
      'The :field field must be a statement line (:61:) with date, mark and amount.',
    )
    return null
  }
  const [, valueDay = '', entryDay = '', mark = '', , digits = '', rest = ''] = match
  const date = bookingDate(valueDay, entryDay.trim())
  if (date === null) problems.addRow(line, 'date', notADate)
  else if (date < earliestDate || date > latestDate) problems.addRow(line, 'date', notInDateRange)
  // A reversal of a credit takes money out, one of a debit brings it back.
  const out = mark === 'D' || mark === 'RC' || mark === 'ED'
  const amount = ungroupedAmount(`${out ? '-' : ''}${digits}`)
  if (typeof amount !== 'number') problems.addRow(line, 'amount', moneyText(amount))
  if (date === null || typeof amount !== 'number') return null
  const { reference, supplementary } = readRest(rest)
  return {
    row: { line, date, amount, description: null, reference },
    supplementary,
    expected: mark.startsWith('E'),
  }
}

/** `yymmdd`, in the century that SWIFT means: 80 to 99 are 1980 to 1999. */
export function swiftDate(day: string): CalendarDate | null {
  const year = Number(day.slice(0, 2))
  const date = `${year >= 80 ? 1900 + year : 2000 + year}-${day.slice(2, 4)}-${day.slice(4, 6)}`
  return isCalendarDate(date) ? date : null
}

/** The entry date, in the year in which it is nearest to the value date; without one, the value date. */
function bookingDate(valueDay: string, entryDay: string): CalendarDate | null {
  const value = swiftDate(valueDay) ?? endOfFebruary(valueDay)
  if (value === null || entryDay === '') return value
  const year = Number(value.slice(0, 4))
  const candidates = [year - 1, year, year + 1]
    .map((candidate) => `${candidate}-${entryDay.slice(0, 2)}-${entryDay.slice(2)}`)
    .filter(isCalendarDate)
  const distance = (date: CalendarDate) => Math.abs(Date.parse(date) - Date.parse(value))
  return candidates.sort((a, b) => distance(a) - distance(b))[0] ?? null
}

/** German banks count interest in months of 30 days and write 30 February for the last of February. */
function endOfFebruary(day: string): CalendarDate | null {
  if (!/^\d\d02(?:29|30)$/.test(day)) return null
  return swiftDate(`${day.slice(0, 4)}29`) ?? swiftDate(`${day.slice(0, 4)}28`)
}

/** Transaction type (`NTRF`), the customer's reference, `//` and the bank's; on the next line supplementary details. */
function readRest(rest: string): { reference: string | null; supplementary: string } {
  const [first = '', ...more] = rest.split('\n')
  const references = first.replace(/^\s*[NSF][A-Z0-9 ]{3}/, '')
  const slashes = references.indexOf('//')
  const customer = slashes < 0 ? references : references.slice(0, slashes)
  const bank = slashes < 0 ? '' : references.slice(slashes + 2)
  const supplementary = more.filter((line) => !/^\/?(?:TRCD|OCMT|CHGS)\//.test(line)).join(' ')
  return { reference: bankReference(bank, customer), supplementary }
}
