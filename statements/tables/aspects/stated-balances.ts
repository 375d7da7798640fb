import type { AmountCell } from '../../shared/amount.ts'
import { hundredthsIn } from '../text/contents.ts'
import { markOf } from '../text/mark-words.ts'
import { type CsvRow, cellOf } from '../text/row.ts'
import type { CsvTable } from '../text/table.ts'

/**
 * The rows that state a balance, as the others prove: these add up to the difference between the first and the last of
 * them. Empty if nothing proves it. Balances of days, in such rows or in lines `aside`, become those of the rows above.
 */
export function statedBalances(table: CsvTable, rows: CsvRow[], aside: CsvRow[]): Set<CsvRow> {
  const stated = new Set(namedBalances(table, rows))
  const isOfDay = ({ date, balance }: CsvRow) => date.written !== null && balance.written !== null
  const lines = [
    ...[...stated].map((row) => [row, row.amount] as const),
    ...aside.filter(isOfDay).map((row) => [row, row.balance] as const),
  ]
  if (rows.every(({ balance }) => balance.text === '')) giveBalances(table, rows, new Map(lines))
  return stated
}

/** Gives balances of days to the rows above them, if the rows between each two of them add up to the step between these. */
function giveBalances(table: CsvTable, rows: CsvRow[], stated: Map<CsvRow, AmountCell>): void {
  const found: [above: CsvRow, balance: AmountCell][] = []
  let above: CsvRow | null = null
  let [last, moved]: [number | null, number] = [null, 0]
  for (const row of [...new Set([...rows, ...stated.keys()])].sort((a, b) => a.line - b.line)) {
    const balance = stated.get(row)
    if (!balance) {
      above = row
      moved += signed(table, row)
      continue
    }
    const held = hundredthsIn(balance)
    if (last !== null && Math.abs(held - last) !== Math.abs(moved)) return
    if (above) found.push([above, balance])
    ;[last, moved] = [held, 0]
  }
  // One may be that before the oldest row, at the end of a file with the newest first.
  if (found.length > 1) for (const [row, balance] of found) row.balance = balance
}

function namedBalances(table: CsvTable, rows: CsvRow[]): CsvRow[] {
  const named = rows.filter(({ balanceWord }) => balanceWord !== '')
  const [first, last] = [named[0], named.at(-1)]
  if (!first || !last || first === last) return []
  const amountOf = (row: CsvRow) => signed(table, row)
  const moved = rows.reduce((sum, row) => (row.balanceWord === '' ? sum + amountOf(row) : sum), 0)
  const isProved = moved !== 0 && Math.abs(amountOf(first) - amountOf(last)) === Math.abs(moved)
  return isProved ? named : []
}

/** The amount of a row in hundredths, negative for debits where a sign, a column or the only mark of the row tells them. */
function signed(table: CsvTable, row: CsvRow): number {
  const amount = hundredthsIn(row.amount)
  if (amount === 0) return Math.abs(hundredthsIn(row.credit)) - Math.abs(hundredthsIn(row.debit))
  const [mark, ...others] = new Set(row.cells.flatMap((cell) => markOf(cell) ?? []))
  const side = markOf(cellOf(table, row, 'type')) ?? (others.length === 0 ? mark : null)
  return side === 'debit' ? -Math.abs(amount) : amount
}
