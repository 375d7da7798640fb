import { type AmountCell, type AmountReader, type DecimalSeparator, readAmount } from '../../shared/amount.ts'
import type { Aspect, Aspects } from '../../shared/aspect.ts'
import type { Problems } from '../../shared/problems.ts'
import { quotedInRow } from '../../shared/text.ts'

/**
 * Settles which separator precedes the decimals by the numbers of the whole file, and returns a function that reads them,
 * signed as written. With `isEastAsian`, a file that leaves it open has a point.
 */
export function amountReader(
  cells: AmountCell[],
  aspects: Aspects,
  problems: Problems,
  isEastAsian = false,
): AmountReader {
  const separator = aspects.settle('decimal_separator', () => separatorOf(cells, isEastAsian), '.')
  if (separator !== '.' && separator !== ',')
    problems.add('decimal_separator', 'The selected :field is invalid; use . or ,')
  return (cell) => readAmount(cell, separator as DecimalSeparator)
}

function separatorOf(cells: AmountCell[], isEastAsian: boolean): Aspect {
  const { proof, open } = evidence(cells)
  const options = (['.', ','] as const).map((value) => ({
    value,
    label: `${value} (${(open ?? proof[value])?.written?.readings[value] ?? value})`,
  }))
  const [point, comma] = [proof['.'], proof[',']]
  if (point && comma)
    return {
      question: `The file uses both . and , before decimals: ${quotedInRow(point)} and ${quotedInRow(comma)}; choose one of them.`,
      options,
    }
  const cell = point ?? comma
  // With the other separator, that amount is an error of its row.
  if (cell)
    return { value: point ? '.' : ',', proof: `${quotedInRow(cell)} can be read only so`, yields: true }
  if (!open) return null
  if (isEastAsian) return { value: '.', proof: 'the country of the headers writes a point' }
  return {
    question: `The amount ${quotedInRow(open)} can be read in two ways and nothing in the file settles it; choose the separator before the decimals: . or ,`,
    options,
  }
}

/** For each separator, the first amount that can be read only with it; and the first that both read, differently. */
function evidence(cells: AmountCell[]) {
  const proof: Partial<Record<DecimalSeparator, AmountCell>> = {}
  let open: AmountCell | null = null
  for (const cell of cells) {
    const readings = cell.written?.readings ?? {}
    if (readings['.'] === readings[',']) continue
    if (readings[','] === undefined) proof['.'] ??= cell
    else if (readings['.'] === undefined) proof[','] ??= cell
    else open ??= cell
  }
  return { proof, open }
}
