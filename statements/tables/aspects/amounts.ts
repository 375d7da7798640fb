import { requiredText } from '../../../src/domain/field-errors.ts'
import type { Minor } from '../../../src/domain/money.ts'
import type { AmountCell, AmountReader } from '../../shared/amount.ts'
import type { Aspect, Aspects } from '../../shared/aspect.ts'
import type { Problems } from '../../shared/problems.ts'
import { quotedInRow } from '../../shared/text.ts'
import type { CsvRow } from '../text/row.ts'
import type { CsvTable } from '../text/table.ts'

/** Amounts in the order of the rows; null where an error was added instead. */
type Amounts = (Minor | null)[]
type Read = (cell: AmountCell, field: string) => Minor | null

/** The amounts of the rows as they are written; those of two columns are negative for debits (`areSided`). */
export function amountsOf(
  table: CsvTable,
  rows: CsvRow[],
  amountOf: AmountReader,
  aspects: Aspects,
  problems: Problems,
): { amounts: Amounts; areSided: boolean } {
  const { amount, debit, credit } = table.columns
  const read: Read = (cell, field) => problems.checkAmount(cell.line, cell.text, amountOf(cell), field)
  if (amount && !(debit && credit))
    return { amounts: rows.map((row) => read(row.amount, 'amount')), areSided: false }
  const isMappedDebit = !credit && aspects.told['mapping.debit'] !== undefined
  const amounts = fromTwoColumns(rows, read, isMappedDebit, aspects, problems)
  return { amounts, areSided: true }
}

/**
 * Amounts from a column of debits and one of credits. Banks write either column as positive or as negative. If one
 * column has both signs, it is asked which of them came back, unless a mapping makes the only column of amounts debits.
 */
function fromTwoColumns(
  rows: CsvRow[],
  read: Read,
  isMappedDebit: boolean,
  aspects: Aspects,
  problems: Problems,
): Amounts {
  const readAll = (field: 'debit' | 'credit') => {
    const values = rows.map((row) => (row[field].text === '' ? 0 : read(row[field], field)))
    const negative = rows.find((_, i) => (values[i] ?? 0) < 0)?.[field]
    const hasPositive = values.some((value) => (value ?? 0) > 0)
    if (!negative || !hasPositive) return values.map((value) => value && Math.abs(value))
    const isInverted =
      !isMappedDebit && aspects.settle('signs', () => bothSigns(negative, field)) === 'inverted'
    return values.map((value) => value && (isInverted ? -value : value))
  }
  const [debits, credits] = [readAll('debit'), readAll('credit')]
  return rows.map((row, i) => {
    const [debit, credit] = [debits[i] ?? null, credits[i] ?? null]
    if (debit === null || credit === null) return null
    if (row.debit.text === '' && row.credit.text === '') problems.addRow(row.line, 'amount', requiredText)
    if (debit === 0 || credit === 0) return (credit - debit) as Minor
    problems.addRow(row.line, 'amount', 'The :field field must be either a debit or a credit, not both.')
    return null
  })
}

function bothSigns(negative: AmountCell, field: 'debit' | 'credit'): Aspect {
  const labels = ['positive', 'negative'].map((sign) => `The ${sign} amounts in the column are ${field}s.`)
  return {
    question: `The column of ${field}s has both signs, such as ${quotedInRow(negative)}. Send signs=as_written if its positive amounts are ${field}s, signs=inverted if its negative ones are.`,
    options: labels.map((label, i) => ({ value: i === 0 ? 'as_written' : 'inverted', label })),
  }
}
