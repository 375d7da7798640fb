import { type CalendarDate, dayMs } from '../../domain/dates.ts'
import type { Problems } from '../problems.ts'
import { quotedInRow } from '../text.ts'
import { type DateOrder, readWrittenDate, type WrittenDate } from './date.ts'

/** A cell or field that should hold a date; `written` is null if it does not. */
export type DateCell = { line: number; text: string; written: WrittenDate | null }

const names: Record<DateOrder, string> = {
  dmy: 'DD/MM/YYYY',
  mdy: 'MM/DD/YYYY',
  ymd: 'YYYY-MM-DD',
  ydm: 'YYYY-DD-MM',
}

/** If dates, read with the year last, span no more days, years of two digits are not asked about, except in East Asia. */
const mostDaysOfShortYears = 360

/** Reads a cell once; later questions about its date use the result. */
export function dateCell(line: number, text: string): DateCell {
  return { line, text, written: readWrittenDate(text) }
}

/**
 * Returns a function that reads the dates of a file; for a cell without a valid date, it adds an error and returns null.
 * Whether the day or the month comes first is settled by any date such as 13/02/2026. If there is none, and a date could
 * be two different days, adds an error instead of guessing. `others` are dates that count only if the cells leave it
 * open. With `isEastAsian`, years of two digits are asked about, since banks there put these first too.
 */
export function dateReader(
  cells: Iterable<DateCell>,
  chosen: string | undefined,
  problems: Problems,
  others: Iterable<DateCell> = [],
  isEastAsian = false,
) {
  const isChosen = chosen !== undefined && chosen.trim() !== ''
  const order = isChosen ? chosenOrder(chosen, problems) : orderOf(cells, others, problems, isEastAsian)
  return ({ line, text, written }: DateCell) => {
    if (order === null) return null
    const settled = written?.settled
    const inOrder = written?.readings[order]
    const other = written && order.startsWith('y') ? onlyReading(written) : null
    const date = isChosen ? (inOrder ?? settled ?? other) : (settled ?? inOrder)
    return problems.checkDate(line, text, date ?? null)
  }
}

function orderOf(
  cells: Iterable<DateCell>,
  others: Iterable<DateCell>,
  problems: Problems,
  isEastAsian: boolean,
): DateOrder | null {
  const { proof, open, shortYear, hasShortYearsFirst, seemsYearFirst, exchanged } = evidence(
    cells,
    isEastAsian,
  )
  const text = proof.mdy ?? proof.dmy
  if (hasShortYearsFirst) return 'ymd'
  if (open && !proof.dmy && !proof.mdy) Object.assign(proof, evidence(others).proof)
  if (proof.dmy && proof.mdy) {
    problems.add(
      'date_format',
      `The dates ${quotedInRow(proof.dmy)} and ${quotedInRow(proof.mdy)} are written in different orders; choose ${names.dmy} or ${names.mdy}.`,
    )
  } else if (open && !shortYear && !proof.dmy && !proof.mdy) {
    problems.add('date_format', eitherWay(open, 'dmy', 'mdy'))
  } else if (seemsYearFirst) {
    const last = seemsYearFirst.written?.readings.dmy ? 'dmy' : 'mdy'
    problems.add('date_format', eitherWay(seemsYearFirst, last, 'ymd'))
  } else if (exchanged && text) {
    problems.add(
      'date_format',
      `The dates ${quotedInRow(exchanged)} and ${quotedInRow(text)} look as if Excel had exchanged day and month; choose ${names.ydm} (${exchanged.written?.readings.ydm}) or ${names.ymd}.`,
    )
  } else return proof.mdy ? 'mdy' : 'dmy'
  return null
}

function eitherWay(cell: DateCell, one: DateOrder, other: DateOrder): string {
  const choice = (order: DateOrder) => `${names[order]} (${cell.written?.readings[order]})`
  return `The date ${quotedInRow(cell)} can be read in two ways and nothing in the file settles it; choose ${choice(one)} or ${choice(other)}.`
}

/**
 * What the dates of a file say about their order. `proof` has the first that can be read only with the day first, and
 * only with the month first; `open` is the first that can be two different days. `hasShortYearsFirst` if years of two
 * digits come first, as in 26-11-13: every date can be read so, and one of them in no other way. `shortYear`, in East
 * Asia, is the first date that can be read so, but otherwise too. `seemsYearFirst` is that date; or else one of them if
 * all can be read so and are then much nearer to each other, unless they are in order only with the year last.
 * `exchanged` is a date whose day and month Excel seems to have exchanged.
 */
function evidence(cells: Iterable<DateCell>, isEastAsian = false) {
  const proof: Partial<Record<DateOrder, DateCell>> = {}
  let open: DateCell | null = null
  let shortYear: DateCell | null = null
  let canBeFirst = true
  let mustBeFirst = false
  let first: DateCell | null = null
  const [yearFirst, yearLast] = [new Span(), new Span()]
  let exchanged: DateCell | null = null
  let nearer = 0
  let last: { read: number; back: number } | null = null
  for (const cell of cells) {
    const { written } = cell
    if (!written) continue
    const { settled, readings } = written
    const { dmy, mdy, ymd } = readings
    // The day comes first in dates with dots, and a year of four digits leaves no doubt: neither can be read so.
    canBeFirst &&= Boolean(ymd) && 'dmy' in readings && (settled === null || settled === ymd)
    if (isEastAsian && ymd && (dmy ?? mdy)) shortYear ??= cell
    mustBeFirst ||= settled !== null
    if (ymd !== (dmy ?? mdy)) first ??= cell
    yearFirst.add(ymd)
    yearLast.add(dmy ?? mdy)
    // Excel makes dates of those texts that fit its own order and leaves the others: if it has exchanged day and month, no
    // date has a day past the twelfth, every text has one, and exchanged back they are much nearer to each other.
    if (!Number.isNaN(nearer)) {
      const text = onlyReading(written)
      const days = { read: dayOf(settled ?? text), back: dayOf(settled ? readings.ydm : text) }
      if (last) nearer += Math.abs(days.read - last.read) - 2 * Math.abs(days.back - last.back)
      last = days
      if (days.read !== days.back) exchanged ??= cell
    }
    if (settled) continue
    if (dmy && mdy && dmy !== mdy) open ??= cell
    else if (dmy && !mdy) proof.dmy ??= cell
    else if (mdy && !dmy) proof.mdy ??= cell
  }
  const isNearer = yearLast.days > mostDaysOfShortYears && 4 * yearFirst.days < yearLast.days
  const isInOrder = yearLast.isInOrder && !yearFirst.isInOrder
  return {
    proof,
    open,
    shortYear,
    hasShortYearsFirst: canBeFirst && mustBeFirst,
    seemsYearFirst: shortYear ?? (canBeFirst && isNearer && !isInOrder ? first : null),
    exchanged: nearer > 0 ? exchanged : null,
  }
}

/** The days between the first and the last of some dates, and whether these are in order, up or down. */
class Span {
  #first = Number.POSITIVE_INFINITY
  #last = Number.NEGATIVE_INFINITY
  #before = Number.NaN
  #rises = false
  #falls = false

  add(date: CalendarDate | null | undefined): void {
    if (!date) return
    const at = Date.parse(date)
    this.#rises ||= at > this.#before
    this.#falls ||= at < this.#before
    this.#before = at
    this.#first = Math.min(this.#first, at)
    this.#last = Math.max(this.#last, at)
  }

  get isInOrder(): boolean {
    return !(this.#rises && this.#falls)
  }

  get days(): number {
    return (this.#last - this.#first) / dayMs
  }
}

/** The date of a text that fits only one of the two orders with the year last. */
function onlyReading({ readings: { dmy, mdy } }: WrittenDate): CalendarDate | null {
  return dmy && mdy ? null : (dmy ?? mdy ?? null)
}

/** The time at which a date begins; not a number if there is no date. */
const dayOf = (date: CalendarDate | null | undefined) => Date.parse(date ?? '')

/** The order that a format such as `DD/MM/YYYY`, `d.m.Y` or `%m/%d/%y` puts day, month and year in. */
function chosenOrder(format: string, problems: Problems): DateOrder | null {
  const letters = format
    .toLowerCase()
    .slice(0, 40)
    // A time may follow; its m stands for minutes.
    .replace(/[t\s]*[h%]*h.*$/, '')
    .replace(/j/g, 'd')
    .replace(/n/g, 'm')
    .replace(/[^dmy]/g, '')
    .replace(/(.)\1+/g, '$1')
  if (letters in names) return letters as DateOrder
  problems.add(
    'date_format',
    `The selected :field is invalid; use one of ${Object.values(names).join(', ')}.`,
  )
  return null
}
