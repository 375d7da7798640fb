import { type CalendarDate, earliestDate, latestDate } from '../../domain/dates.ts'
import { notADate, notInDateRange, type Problems, required } from '../problems.ts'
import { shown } from '../text.ts'
import { type DateOrder, readWrittenDate, type WrittenDate } from './date.ts'

/** A cell for a date, where it stands, and the date that is written in it. */
export type DateCell = { line: number; text: string; written: WrittenDate | null }

const names: Record<DateOrder, string> = {
  dmy: 'DD/MM/YYYY',
  mdy: 'MM/DD/YYYY',
  ymd: 'YYYY-MM-DD',
  ydm: 'YYYY-DD-MM',
}

/** Takes the date of a cell apart, once for all that is asked about it. */
export function dateCell(line: number, text: string): DateCell {
  return { line, text, written: readWrittenDate(text) }
}

/**
 * Decides over all dates of a file whether the day or the month comes first. One 13/02/2026 settles all; if nothing
 * does and a date would be two different days, that is an error and never a guess: it is noted, and the answer is null.
 */
export function decideOrder(
  cells: Iterable<DateCell>,
  said: string | undefined,
  problems: Problems,
): DateOrder | null {
  if (said !== undefined && said.trim() !== '') return orderSaid(said, problems)
  const proof: Partial<Record<DateOrder, DateCell>> = {}
  let open: { cell: DateCell; dmy: string; mdy: string } | null = null
  for (const cell of cells) {
    const { written } = cell
    if (!written || written.settled) continue
    const { dmy, mdy } = written.readings
    if (dmy && mdy && dmy !== mdy) open ??= { cell, dmy, mdy }
    else if (dmy && !mdy) proof.dmy ??= cell
    else if (mdy && !dmy) proof.mdy ??= cell
  }
  if (proof.dmy && proof.mdy) {
    problems.add(
      'date_format',
      `The dates ${place(proof.dmy)} and ${place(proof.mdy)} are written in different orders; say which it is: ${names.dmy} or ${names.mdy}.`,
    )
  } else if (open && !proof.dmy && !proof.mdy) {
    problems.add(
      'date_format',
      `The date ${place(open.cell)} can be read in two ways and nothing in the file settles it; say which it is: ${names.dmy} (${open.dmy}) or ${names.mdy} (${open.mdy}).`,
    )
  } else return proof.mdy ? 'mdy' : 'dmy'
  return null
}

/** Reads one date in the order of the file; what is wrong with it is noted, and the answer is null. */
export function readDate(
  cell: DateCell,
  order: DateOrder,
  said: boolean,
  problems: Problems,
  field = 'date',
): CalendarDate | null {
  if (cell.text.trim() === '') {
    problems.addRow(cell.line, field, required)
    return null
  }
  const settled = cell.written?.settled
  const inOrder = cell.written?.readings[order]
  const date = (said ? (inOrder ?? settled) : (settled ?? inOrder)) ?? null
  if (date === null) problems.addRow(cell.line, field, notADate)
  else if (date < earliestDate || date > latestDate) problems.addRow(cell.line, field, notInDateRange)
  else return date
  return null
}

/** The order that a format such as `DD/MM/YYYY`, `d.m.Y` or `%m/%d/%y` puts day, month and year in. */
function orderSaid(format: string, problems: Problems): DateOrder | null {
  const letters = format
    .toLowerCase()
    .slice(0, 40)
    // A time may follow, and its minutes are no months.
    .replace(/[t\s]*[h%]*h.*$/, '')
    .replace(/j/g, 'd')
    .replace(/n/g, 'm')
    .replace(/[^dmy]/g, '')
    .replace(/(.)\1+/g, '$1')
  if (letters in names) return letters as DateOrder
  problems.add(
    'date_format',
    `The selected :field is invalid; it is one of ${Object.values(names).join(', ')}.`,
  )
  return null
}

function place(cell: DateCell): string {
  return `${shown(cell.text)} in row ${cell.line}`
}
