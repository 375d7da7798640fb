import type { CalendarDate } from '../../../src/domain/dates.ts'
import type { Aspect, Aspects } from '../../shared/aspect.ts'
import { type DateCell, type DateOrder, dateFormats, type WrittenDate } from '../../shared/date.ts'
import type { Problems } from '../../shared/problems.ts'
import { quotedInRow } from '../../shared/text.ts'
import { asWritten, buddhistEra, type Expected, plausible, type Way } from './plausible-dates.ts'

type DateReader = (cell: DateCell) => CalendarDate | null

/**
 * Settles the order of day, month and year by the dates of the whole file, and returns a function that reads them. For a
 * cell without a valid date it adds an error and returns null. With `isEastAsian`, years of two digits are asked about,
 * since banks there put these first too.
 */
export function dateReader(
  cells: DateCell[],
  aspects: Aspects,
  problems: Problems,
  isEastAsian = false,
  expected: (Expected & { booked: DateCell[] }) | null = null,
): DateReader {
  const found = orderOf(cells, isEastAsian)
  const settled = aspects.settle(
    'date_format',
    () => {
      const aspect = expected ? plausible(found, expected.booked, expected) : found
      return isUsed(aspects.told.date_format, aspect, cells) ? (aspect ?? dayFirst) : null
    },
    dateFormats.dmy,
  )
  const format = settled === asWritten ? formatOf(found, aspects) : settled
  const isTold = aspects.answer('date_format')?.value === format
  const way = wayOf(format)
  if (!way)
    problems.add(
      'date_format',
      `The selected :field is invalid; use one of ${Object.values(dateFormats).join(', ')}.`,
    )
  return (cell) => (way ? problems.checkDate(cell.line, cell.text, dateIn(cell, way, isTold)) : null)
}

function wayOf(format: string): Way | null {
  const order = orderIn(format)
  return order && { order, isBuddhist: format.endsWith(buddhistEra) }
}

function dateIn(
  { written: read }: DateCell,
  { order, isBuddhist }: Way,
  isTold: boolean,
): CalendarDate | null {
  const written = (isBuddhist && read?.buddhist) || read
  if (!written) return null
  const { settled } = written
  const inOrder = written.readings[order]
  const other = order.startsWith('y') ? onlyReading(written) : null
  return (isTold || order === 'ydm' ? (inOrder ?? settled) : (settled ?? inOrder)) ?? other
}

const dayFirst = { value: dateFormats.dmy, proof: 'every date can be read only so', yields: true }

/** False for an answer that changes nothing, since the dates are the same in its order. */
function isUsed(answer: string | undefined, found: Aspect, cells: DateCell[]): boolean {
  if (answer === undefined || (found && 'question' in found)) return found !== null
  if (answer === asWritten) return false
  const [way, proved] = [wayOf(answer), wayOf(found?.value ?? dateFormats.dmy)]
  if (!way || !proved || (found && way.order === proved.order)) return true
  return cells.some((cell) => dateIn(cell, proved, false) !== dateIn(cell, way, true))
}

/** The order of dates that are right as they are written, which may still be open. */
function formatOf(found: Aspect, aspects: Aspects): string {
  if (found && 'question' in found)
    return aspects.ask('date_format', found.question, found.options, found.code)
  return found?.value ?? dateFormats.dmy
}

function orderOf(cells: DateCell[], isEastAsian: boolean): Aspect {
  const dates = cells.filter(isWritten)
  const proved = (order: DateOrder, cell?: DateCell) => ({
    value: dateFormats[order],
    proof: cell ? `${quotedInRow(cell)} can be read only so` : 'every date can be read only so',
    // In another order, a date that cannot be read so is an error of its row.
    yields: true,
  })
  const canBeYearFirst = dates.every(({ written: { settled, readings } }) => {
    // No short year is in front of a date with dots, in which the day comes first, or with a year of four digits.
    return Boolean(readings.ymd) && 'dmy' in readings && (settled === null || settled === readings.ymd)
  })
  if (canBeYearFirst && dates.some(({ written }) => written.settled)) return proved('ymd')
  const open = dates.find(({ written: { settled, readings } }) => {
    return !settled && readings.dmy && readings.mdy && readings.dmy !== readings.mdy
  })
  const [dmy, mdy] = [onlyIn('dmy', dates), onlyIn('mdy', dates)]
  if (dmy && mdy)
    return {
      question: `The dates ${quotedInRow(dmy)} and ${quotedInRow(mdy)} are written in different orders; choose ${dateFormats.dmy} or ${dateFormats.mdy}.`,
      options: [choice('dmy', dmy), choice('mdy', mdy)],
    }
  const short = dates.find(
    ({ written: { readings } }) => readings.ymd && (readings.dmy ?? readings.mdy) && !isSame(readings),
  )
  const isShort = short && (isEastAsian || (canBeYearFirst && haveFewerYearsFirst(dates)))
  const unclear = open && !dmy && !mdy ? open : isShort ? short : null
  if (unclear)
    return eitherWay(
      unclear,
      [
        ...(mdy ? [] : ['dmy' as const]),
        ...(dmy ? [] : ['mdy' as const]),
        ...(isShort ? ['ymd' as const] : []),
      ].sort((a, b) => Number(areInOrder(dates, b)) - Number(areInOrder(dates, a))),
    )
  const text = mdy ?? dmy
  const exchanged = text && !open ? exchangedIn(dates) : undefined
  if (exchanged && text)
    return {
      question: `The dates ${quotedInRow(exchanged)} and ${quotedInRow(text)} look as if Excel had exchanged day and month; choose ${dateFormats.ydm} (${exchanged.written.readings.ydm}) or ${dateFormats.ymd}.`,
      options: [choice('ydm', exchanged), choice('ymd', exchanged)],
    }
  if (mdy) return proved('mdy', mdy)
  return dmy ? proved('dmy', dmy) : null
}

type Dated = DateCell & { written: WrittenDate }
const isWritten = (cell: DateCell): cell is Dated => cell.written !== null
const isSame = ({ ymd, dmy, mdy }: WrittenDate['readings']) => ymd === (dmy ?? mdy)

/** The first date that can be read only in this order of day and month. */
function onlyIn(order: 'dmy' | 'mdy', dates: Dated[]): Dated | undefined {
  const other = order === 'dmy' ? 'mdy' : 'dmy'
  return dates.find(({ written: { settled, readings } }) => !settled && readings[order] && !readings[other])
}

/** True if the days run one way in this order, as those of most files do. */
function areInOrder(dates: Dated[], order: DateOrder): boolean {
  const lines = dates.toSorted((a, b) => a.line - b.line)
  const days = lines.flatMap(({ written: { settled, readings } }) => settled ?? readings[order] ?? [])
  const steps = days.slice(1).map((day, i) => day.localeCompare(days[i] ?? day))
  return steps.every((step) => step >= 0) || steps.every((step) => step <= 0)
}

/** True if fewer years come out with short years first, or as many later ones: a file has few years, and many days. */
function haveFewerYearsFirst(dates: Dated[]): boolean {
  const yearsOf = (dateOf: (readings: WrittenDate['readings']) => CalendarDate | null | undefined) =>
    [...new Set(dates.map(({ written }) => dateOf(written.readings)?.slice(0, 4) ?? ''))].sort()
  const [first, last] = [yearsOf(({ ymd }) => ymd), yearsOf(({ dmy, mdy }) => dmy ?? mdy)]
  return first.length < last.length || (first.length === last.length && `${first.at(-1)}` > `${last.at(-1)}`)
}

/**
 * Beside texts with days past the twelfth, the first of dates without any: Excel turns a text into a date where it fits its
 * own order of day and month, and leaves the others as they are.
 */
function exchangedIn(dates: Dated[]): Dated | undefined {
  const turned = dates.filter(({ written }) => written.settled)
  const canBe = turned.every(({ written: { readings } }) => readings.ydm)
  return canBe ? turned.find(({ written: { settled, readings } }) => readings.ydm !== settled) : undefined
}

function choice(order: DateOrder, { written }: DateCell) {
  return {
    value: dateFormats[order],
    label: `${dateFormats[order]} (${written?.readings[order] ?? written?.settled})`,
  }
}

function eitherWay(cell: Dated, orders: DateOrder[]): Aspect {
  const options = orders.filter((order) => cell.written.readings[order]).map((order) => choice(order, cell))
  const ways = options.length === 2 ? 'two' : 'three'
  return {
    question: `The date ${quotedInRow(cell)} can be read in ${ways} ways and nothing in the file settles it; choose ${options.map(({ label }) => label).join(' or ')}.`,
    options,
  }
}

/** The date of a text that fits only one of the two orders with the year last. */
function onlyReading({ readings: { dmy, mdy } }: WrittenDate): CalendarDate | null {
  return dmy && mdy ? null : (dmy ?? mdy ?? null)
}

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
  return letters in dateFormats ? (letters as DateOrder) : null
}
