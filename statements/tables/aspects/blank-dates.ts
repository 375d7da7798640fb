import { pluralize } from '../../../src/domain/pluralize.ts'
import type { Aspects } from '../../shared/aspect.ts'
import { hundredthsIn } from '../text/contents.ts'
import { moneyFields } from '../text/header-names.ts'
import type { CsvRow } from '../text/row.ts'
import type { Found, Skipped } from './states.ts'

/** The field of the question, and the answer that the date is that of the row above. */
const [field, asAbove] = ['states.blank date', 'as_above']

/**
 * Rows that moved money without any date. In a bank's file, a block of them above or below all others is pending. Among
 * dated rows they are asked about: some banks print a date once a day.
 */
export function settleBlankDates(
  rows: CsvRow[],
  { booked, skipped }: Found,
  areBooked: boolean,
  aspects: Aspects,
): Found {
  const moved = new Set(booked)
  const first = rows.findIndex(isDated)
  const last = rows.findLastIndex(isDated)
  const isBlank = (row: CsvRow) => first >= 0 && row.date.text === '' && moved.has(row) && moves(row)
  const areAmong = rows.some((row, i) => i > first && i < last && isBlank(row))
  const isApart = (row: CsvRow, i: number) =>
    areBooked && row.balance.text === '' && (i < first || (i > last && !areAmong))
  const asked = new Set(rows.filter((row, i) => isBlank(row) && !isApart(row, i)))
  const answer = asked.size > 0 ? settle(asked, aspects) : ''
  let above = rows[first]?.date
  const undated: Skipped[] = []
  for (const [i, row] of rows.entries()) {
    if (isDated(row)) above = row.date
    if (!isBlank(row)) continue
    if (asked.has(row) && answer === asAbove && above) row.date = { ...above, line: row.line }
    else undated.push({ row, reason: isApart(row, i) ? 'pending' : 'told' })
  }
  const gone = new Set(undated.map(({ row }) => row))
  return { booked: booked.filter((row) => !gone.has(row)), skipped: [...skipped, ...undated] }
}

const isDated = ({ date }: CsvRow) => date.written !== null
const moves = (row: CsvRow) => moneyFields.some((one) => hundredthsIn(row[one]) !== 0)

function settle(rows: Set<CsvRow>, aspects: Aspects): string {
  const [first] = rows
  return aspects.settle(field, () => ({
    question: `The date is blank in ${pluralize(rows.size, 'row')} with an amount, such as row ${first?.line}. Send ${asAbove} if each has the date of the row above, skipped if they moved no money.`,
    options: [
      { value: asAbove, label: 'Each has the date of the row above.' },
      { value: 'skipped', label: 'They moved no money: they are pending or informational.' },
    ],
  }))
}
