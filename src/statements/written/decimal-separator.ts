import type { Problems } from '../problems.ts'
import { shown } from '../text.ts'
import { type DecimalSeparator, readWrittenAmount } from './amount.ts'

/** A written amount and where it stands. */
export type AmountCell = { line: number; text: string }

/**
 * Decides over all amounts of a file which separator stands before the decimals. One amount that can be read in one
 * way only settles all; if none does and one could be read in two ways, that is noted as an error and never guessed.
 */
export function decideSeparator(
  cells: Iterable<AmountCell>,
  said: string | undefined,
  problems: Problems,
  /** Other numbers of the file, such as balances, which may settle what the amounts leave open. */
  others: Iterable<AmountCell> = [],
): DecimalSeparator | null {
  if (said === '.' || said === ',') return said
  if (said !== undefined && said !== '') {
    problems.add('decimal_separator', 'The selected :field is invalid; it is either . or ,')
    return null
  }
  const { proof, open } = evidence(cells)
  if (open && !proof['.'] && !proof[',']) Object.assign(proof, evidence(others).proof)
  if (proof['.'] && proof[',']) {
    problems.add(
      'decimal_separator',
      `The file uses both separators before decimals: ${place(proof['.'])} and ${place(proof[','])}; say which it is: . or ,`,
    )
  } else if (open && !proof['.'] && !proof[',']) {
    problems.add(
      'decimal_separator',
      `The amount ${place(open)} can be read in two ways and nothing in the file settles it; say which separator stands before the decimals: . or ,`,
    )
  } else return proof[','] ? ',' : '.'
  return null
}

function evidence(cells: Iterable<AmountCell>) {
  const proof: Partial<Record<DecimalSeparator, AmountCell>> = {}
  let open: AmountCell | null = null
  for (const cell of cells) {
    const readings = readWrittenAmount(cell.text)?.readings ?? {}
    if (readings['.'] === readings[',']) continue
    if (readings[','] === undefined) proof['.'] ??= cell
    else if (readings['.'] === undefined) proof[','] ??= cell
    else open ??= cell
  }
  return { proof, open }
}

function place(cell: AmountCell): string {
  return `${shown(cell.text)} in row ${cell.line}`
}
