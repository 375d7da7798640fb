import { addDays, type CalendarDate } from '../../../src/domain/dates.ts'
import type { Aspect, Choice } from '../../shared/aspect.ts'
import { type DateCell, type DateOrder, dateFormats, type WrittenDate } from '../../shared/date.ts'
import { quotedInRow } from '../../shared/text.ts'

/** Dates that are not expected: in years that the file leaves open and, `inAnyYear`, also in those it writes in full. */
export type Expected = { today: CalendarDate; inAnyYear: boolean }

/** One way to read all dates of a file; `isBuddhist` if its years of two digits are those of the Buddhist era. */
export type Way = { order: DateOrder; isBuddhist: boolean }

/** The answer that dates far ahead are right. */
export const asWritten = 'as_written'
/** What follows the order in an answer that means the Buddhist era. */
export const buddhistEra = ' BE'
/** How far ahead of today a booked date may be, in days, and the first day that is expected. */
const [maxDaysAhead, firstDay] = [62, '1970-01-01']
const orders = ['dmy', 'mdy', 'ymd', 'ydm'] as const

/**
 * Takes a reading of dates for proved only if it brings them near, or if no other one does. Otherwise it is a question that
 * offers both, or that has to be confirmed.
 */
export function plausible(found: Aspect, cells: DateCell[], { today, inAnyYear }: Expected): Aspect {
  const dates = cells.filter(({ written }) => written !== null)
  const last = addDays(today, maxDaysAhead)
  const isNear = (date: CalendarDate | null) => date !== null && date >= firstDay && date <= last
  const ways = waysOf(found)
  const far = dates.find((cell) => ways.every((way) => !isNear(dateIn(cell, way))))
  if (!far) return found
  const isOpen = dates.some(({ written }) => written?.buddhist)
  const others = orders
    .flatMap((order) => [false, true].map((isBuddhist): Way => ({ order, isBuddhist })))
    .filter((way) => isOpen && dates.every((cell) => isNear(strictlyIn(cell, way))))
  const [first] = ways
  if (!first || (others.length === 0 && !inAnyYear)) return found
  const written = dateIn(far, first)
  if (others.length > 0)
    return {
      question: `The date ${quotedInRow(far)} would be ${written}; choose how the dates are written.`,
      options: [...others, ...ways].map((way) => choice(far, way)),
    }
  if ((found && 'question' in found) || written === null || written <= last) return found
  return {
    question: `The date ${quotedInRow(far)} is more than ${maxDaysAhead} days after today, ${today}; send date_format=${asWritten} if it is right.`,
    options: [{ value: asWritten, label: `as written (${written})` }],
  }
}

/** The ways in which the dates are read so far: one, or those that a question offers. */
function waysOf(found: Aspect): Way[] {
  const values =
    found === null
      ? [dateFormats.dmy]
      : 'value' in found
        ? [found.value]
        : found.options.map(({ value }) => value)
  return orders
    .filter((order) => values.includes(dateFormats[order]))
    .map((order) => ({ order, isBuddhist: false }))
}

const writtenIn = ({ written }: DateCell, { isBuddhist }: Way): WrittenDate | null =>
  (isBuddhist && written?.buddhist) || written

function dateIn(cell: DateCell, way: Way): CalendarDate | null {
  const written = writtenIn(cell, way)
  return written?.settled ?? written?.readings[way.order] ?? null
}

/** The date in just this order, which is not the one that its form suggests otherwise. */
function strictlyIn(cell: DateCell, way: Way): CalendarDate | null {
  const written = writtenIn(cell, way)
  if (way.isBuddhist && !cell.written?.buddhist) return null
  return written?.readings[way.order] ?? (way.order === 'dmy' ? (written?.settled ?? null) : null)
}

function choice(cell: DateCell, way: Way): Choice {
  const value = `${dateFormats[way.order]}${way.isBuddhist ? buddhistEra : ''}`
  return { value, label: `${value} (${dateIn(cell, way)})` }
}
