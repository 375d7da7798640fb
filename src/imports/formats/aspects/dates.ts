import { type CalendarDate, dayMs } from '../../../shared/dates.ts'
import type { Problems } from '../problems.ts'
import { quotedInRow } from '../text.ts'
import { type DateOrder, readWrittenDate, type WrittenDate } from '../written/date.ts'
import type { Aspect, Aspects } from './aspect.ts'

/** A cell or field that should hold a date; `written` is null if it does not. */
export type DateCell = { line: number; text: string; written: WrittenDate | null }
export type DateReader = (cell: DateCell) => CalendarDate | null

const formats: Record<DateOrder, string> = {
  dmy: 'DD/MM/YYYY',
  mdy: 'MM/DD/YYYY',
  ymd: 'YYYY-MM-DD',
  ydm: 'YYYY-DD-MM',
}

/** Short years that could come first are asked about if dates with the year last span more days. */
const mostDaysOfShortYears = 360

/** Reads a cell once; later questions about its date use the result. */
export function dateCell(line: number, text: string): DateCell {
  return { line, text, written: readWrittenDate(text) }
}

/**
 * Settles the order of day, month and year by the dates of the whole file, and returns a function that reads them. For a
 * cell without a valid date it adds an error and returns null. `others` are dates that count only if the cells leave the
 * order open. With `isEastAsian`, years of two digits are asked about, since banks there put these first too.
 */
export function dateReader(
  cells: Iterable<DateCell>,
  aspects: Aspects,
  problems: Problems,
  others: Iterable<DateCell> = [],
  isEastAsian = false,
): DateReader {
  const isTold = aspects.told.date_format !== undefined
  const format = aspects.settle('date_format', () => orderOf(cells, others, isEastAsian), formats.dmy)
  const order = orderIn(format)
  if (!order)
    problems.add(
      'date_format',
      `The selected :field is invalid; use one of ${Object.values(formats).join(', ')}.`,
    )
  return ({ line, text, written }) => {
    if (!order) return null
    const settled = written?.settled
    const inOrder = written?.readings[order]
    const other = written && order.startsWith('y') ? onlyReading(written) : null
    const isByOrder = isTold || order === 'ydm'
    const date = isByOrder ? (inOrder ?? settled ?? other) : (settled ?? inOrder ?? other)
    return problems.checkDate(line, text, date ?? null)
  }
}

function orderOf(cells: Iterable<DateCell>, others: Iterable<DateCell>, isEastAsian: boolean): Aspect {
  const found = evidence(cells, isEastAsian)
  const { open, shortYear, seemsYearFirst, exchanged } = found
  const proved = (order: DateOrder, cell: DateCell | undefined) => ({
    value: formats[order],
    proof: cell ? `${quotedInRow(cell)} can be read only so` : 'every date can be read only so',
  })
  if (found.hasShortYearsFirst) return proved('ymd', undefined)
  const text = found.proof.mdy ?? found.proof.dmy
  const { dmy, mdy } = open && !text ? evidence(others).proof : found.proof
  if (dmy && mdy)
    return {
      question: `The dates ${quotedInRow(dmy)} and ${quotedInRow(mdy)} are written in different orders; choose ${formats.dmy} or ${formats.mdy}.`,
      options: [choice('dmy', dmy), choice('mdy', mdy)],
    }
  if (open && !shortYear && !dmy && !mdy) return eitherWay(open, 'dmy', 'mdy')
  if (seemsYearFirst)
    return eitherWay(seemsYearFirst, seemsYearFirst.written?.readings.dmy ? 'dmy' : 'mdy', 'ymd')
  if (exchanged && text)
    return {
      question: `The dates ${quotedInRow(exchanged)} and ${quotedInRow(text)} look as if Excel had exchanged day and month; choose ${formats.ydm} (${exchanged.written?.readings.ydm}) or ${formats.ymd}.`,
      options: [choice('ydm', exchanged), choice('ymd', exchanged)],
    }
  if (mdy) return proved('mdy', mdy)
  return dmy ? proved('dmy', dmy) : null
}

function choice(order: DateOrder, { written }: DateCell) {
  return {
    value: formats[order],
    label: `${formats[order]} (${written?.readings[order] ?? written?.settled})`,
  }
}

function eitherWay(cell: DateCell, one: DateOrder, other: DateOrder): Aspect {
  const options = [choice(one, cell), choice(other, cell)]
  return {
    question: `The date ${quotedInRow(cell)} can be read in two ways and nothing in the file settles it; choose ${options[0]?.label} or ${options[1]?.label}.`,
    options,
  }
}

/** What the dates of a file say about their order. */
type Evidence = {
  /** The first date that can be read only with the day first, and the first only with the month first. */
  proof: { dmy?: DateCell; mdy?: DateCell }
  /** The first date that can be two different days. */
  open: DateCell | null
  /** Years of two digits come first, as in 26-11-13: every date can be read so, and one of them in no other way. */
  hasShortYearsFirst: boolean
  /** In East Asia: the first date that can be read with a short year first, but otherwise too. */
  shortYear: DateCell | null
  /**
   * A date to ask about, since short years may come first: `shortYear`; or else one of them if all can be read so and are
   * then much nearer to each other, unless they are in order only with the year last.
   */
  seemsYearFirst: DateCell | null
  /** A date whose day and month Excel seems to have exchanged. */
  exchanged: DateCell | null
}

function evidence(cells: Iterable<DateCell>, isEastAsian = false): Evidence {
  const proof: Evidence['proof'] = {}
  let open: DateCell | null = null
  let shortYear: DateCell | null = null
  let canBeFirst = true
  let mustBeFirst = false
  let first: DateCell | null = null
  const [yearFirst, yearLast] = [new Span(), new Span()]
  const exchange = new Exchange()
  for (const cell of cells) {
    const { written } = cell
    if (!written) continue
    const { settled, readings } = written
    const { dmy, mdy, ymd } = readings
    // No short year is in front of a date with dots, in which the day comes first, or with a year of four digits.
    canBeFirst &&= Boolean(ymd) && 'dmy' in readings && (settled === null || settled === ymd)
    if (isEastAsian && ymd && (dmy ?? mdy)) shortYear ??= cell
    mustBeFirst ||= settled !== null
    if (ymd !== (dmy ?? mdy)) first ??= cell
    yearFirst.add(ymd)
    yearLast.add(dmy ?? mdy)
    exchange.add(cell, written)
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
    exchanged: exchange.seen,
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

/**
 * Looks for dates whose day and month Excel has exchanged. Excel turns a text into a date where it fits Excel's own order,
 * and leaves the others as they are. So no date has a day past the twelfth, every text has one, and with the dates
 * exchanged back, the rows are much nearer to each other.
 */
class Exchange {
  #first: DateCell | null = null
  /** By how much they are nearer; not a number once a date or a text says otherwise. */
  #nearer = 0
  #last: { read: number; back: number } | null = null

  add(cell: DateCell, written: WrittenDate): void {
    if (Number.isNaN(this.#nearer)) return
    const { settled, readings } = written
    const text = onlyReading(written)
    const days = { read: dayOf(settled ?? text), back: dayOf(settled ? readings.ydm : text) }
    const last = this.#last ?? days
    this.#nearer += Math.abs(days.read - last.read) - 2 * Math.abs(days.back - last.back)
    this.#last = days
    if (days.read !== days.back) this.#first ??= cell
  }

  get seen(): DateCell | null {
    return this.#nearer > 0 ? this.#first : null
  }
}

/** The date of a text that fits only one of the two orders with the year last. */
function onlyReading({ readings: { dmy, mdy } }: WrittenDate): CalendarDate | null {
  return dmy && mdy ? null : (dmy ?? mdy ?? null)
}

/** The time at which a date begins; not a number if there is no date. */
const dayOf = (date: CalendarDate | null | undefined) => Date.parse(date ?? '')

/** The order that a format such as `DD/MM/YYYY`, `d.m.Y` or `%m/%d/%y` puts day, month and year in. */
function orderIn(format: string): DateOrder | null {
  const letters = format
    .toLowerCase()
    .slice(0, 40)
    // A time may follow; its m stands for minutes.
    .replace(/[t\s]*[h%]*h.*$/, '')
    .replace(/j/g, 'd')
    .replace(/n/g, 'm')
    .replace(/[^dmy]/g, '')
    .replace(/(.)\1+/g, '$1')
  return letters in formats ? (letters as DateOrder) : null
}
