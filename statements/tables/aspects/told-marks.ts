import { type Aspects, asTold } from '../../shared/aspect.ts'
import type { Problems } from '../../shared/problems.ts'
import { isKnown } from '../text/headers.ts'
import type { CsvRow } from '../text/row.ts'
import type { CsvTable } from '../text/table.ts'
import type { Entry } from './entry.ts'
import { againstMark } from './marks.ts'

const prefix = 'marks.'

/** Records the answers about marks that the amounts agree with, and refuses those that a marked amount contradicts. */
export function checkToldMarks(
  table: CsvTable,
  entries: Entry[],
  aspects: Aspects,
  problems: Problems,
): void {
  const told = Object.entries(aspects.told).filter(([field]) => field.startsWith(prefix))
  if (told.length === 0 || aspects.questions.length > 0) return
  const columns = markColumnsOf(table)
  // A reversal goes against its mark.
  const areReversed = aspects.settled.signs?.value === 'by_mark_or_reversed'
  for (const [field, direction] of told) {
    const word = field.slice(prefix.length)
    const marked = entries.filter(({ row, amount }) => amount !== 0 && hasMark(row, word, columns))
    const against = marked.find(({ amount }) => direction !== (amount > 0 ? 'in' : 'out'))
    if (against && !areReversed)
      problems.add('marks', againstMark(against.row.line, word, direction, against.amount > 0))
    else if (marked.length > 0) aspects.record(field, direction, asTold)
  }
}

/** The columns of kinds, and those under unknown headers. */
function markColumnsOf({ headers, columns: { type = [], posting_text = [] } }: CsvTable): number[] {
  const unknown = headers.flatMap((header, column) => (isKnown(header) ? [] : [column]))
  return [...new Set([...type, ...posting_text, ...unknown])]
}

/** True if one of the columns, or the amount beside its number, has the word. */
function hasMark({ cells, amount }: CsvRow, word: string, columns: number[]): boolean {
  const beside = /^\P{L}*(\p{L}+)\P{L}*$/u.exec(amount.text.slice(0, 80))?.[1]
  return beside === word || columns.some((column) => (cells[column]?.trim() || 'blank') === word)
}
