import { formatMoney, type Minor } from '../../../src/domain/money.ts'
import type { Aspects, Choice } from '../../shared/aspect.ts'
import { quoted } from '../../shared/text.ts'
import { amountText } from '../text/row.ts'
import { gapsIn } from './balances.ts'
import type { Entry } from './entry.ts'
import { moving } from './states.ts'

/** The most rows and gaps that are asked about one by one; the others have the answer of the last. */
const maxAsked = 5

/**
 * Asks about the rows that balances pass over, which may be pending, and to confirm gaps between balances, where a row may be
 * missing. Returns the entries that moved no money.
 */
export function settleGaps(groups: Entry[][], aspects: Aspects): Set<Entry> {
  // Of rows of several accounts, balances do not follow.
  const found = aspects.isAsked('statement_account') ? [] : groups.map(gapsIn)
  const passed = found.flatMap((one) => one.passed)
  const answers = passed
    .slice(0, maxAsked)
    .map(({ row }) =>
      settleRow(
        row.line,
        `The balances follow without row ${row.line} (${quoted(amountText(row))}), which has none: it may not be booked${more(passed.length)}.`,
        moving(1).toReversed(),
        aspects,
      ),
    )
  const gaps = found.flatMap((one) => one.gaps)
  for (const { entry, missing } of gaps.slice(0, maxAsked))
    settleRow(
      entry.row.line,
      `The balance in row ${entry.row.line} is ${formatMoney(Math.abs(missing) as Minor)} ${missing > 0 ? 'more' : 'less'} than the rows lead to: a row may be missing${more(gaps.length)}.`,
      [{ value: 'booked', label: 'Import the rows as they are.' }],
      aspects,
    )
  return new Set(passed.filter((_, i) => (answers[i] ?? answers.at(-1)) === 'skipped'))
}

const more = (all: number) => (all > maxAsked ? ` (and so in ${all - maxAsked} others)` : '')

const settleRow = (line: number, question: string, options: Choice[], aspects: Aspects) =>
  aspects.settle(`states.row ${line}`, () => ({ question, options }))
