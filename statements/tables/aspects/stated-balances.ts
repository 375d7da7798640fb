import { hundredthsIn } from '../text/contents.ts'
import { markOf } from '../text/mark-words.ts'
import { type CsvRow, cellOf } from '../text/row.ts'
import type { CsvTable } from '../text/table.ts'

/**
 * The rows that state a balance, as the others prove: these add up to the difference between the first and the last of
 * them. Empty if nothing proves it.
 */
export function statedBalances(table: CsvTable, rows: CsvRow[]): Set<CsvRow> {
  const named = rows.filter(({ balanceWord }) => balanceWord !== '')
  const [first, last] = [named[0], named.at(-1)]
  if (!first || !last || first === last) return new Set()
  const amountOf = (row: CsvRow) => signed(table, row)
  const moved = rows.reduce((sum, row) => (row.balanceWord === '' ? sum + amountOf(row) : sum), 0)
  const isProved = moved !== 0 && Math.abs(amountOf(first) - amountOf(last)) === Math.abs(moved)
  return new Set(isProved ? named : [])
}

/** The amount of a row in hundredths, negative for debits where a sign, a column or the only mark of the row tells them. */
function signed(table: CsvTable, row: CsvRow): number {
  const amount = hundredthsIn(row.amount)
  if (amount === 0) return Math.abs(hundredthsIn(row.credit)) - Math.abs(hundredthsIn(row.debit))
  const [mark, ...others] = new Set(row.cells.flatMap((cell) => markOf(cell) ?? []))
  const side = markOf(cellOf(table, row, 'type')) ?? (others.length === 0 ? mark : null)
  return side === 'debit' ? -Math.abs(amount) : amount
}
