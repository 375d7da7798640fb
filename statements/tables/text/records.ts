import { tooManyRows } from '../../shared/problems.ts'
import { refuseFile } from '../../shared/unreadable.ts'
import { splitText } from './split.ts'

/** One record of a CSV file, and the line on which it begins. */
export type CsvRecord = { line: number; cells: string[] }

/** The widest exports of banks and payment services have some eighty columns. */
const maxCells = 256
/** More than the rows that are allowed, since banks put other lines above, between and below them. */
const maxRecords = 40_000

/**
 * Splits CSV text (RFC 4180, with line feeds) into its records. Some banks do not double the quotes inside a cell, as
 * in `"Bar "Sun""`: then a quote counts only at the beginning or end of a cell.
 */
export function readRecords(text: string, delimiter: string): CsvRecord[] {
  const { rows, isBroken } = splitText(text, delimiter, maxRecords + 1)
  const records = withLines(isBroken ? unquoted(text, delimiter) : rows)
  if (records.length > maxRecords) refuseFile(tooManyRows)
  return records
}

function unquoted(text: string, delimiter: string): string[][] {
  const lines = text.split('\n', maxRecords + 1)
  const split = lines.map((line) => splitUnescaped(line, delimiter))
  // A preamble or footer may be narrower, but rows of different widths were split in the wrong places.
  const widths = Map.groupBy(split, (cells) => (cells && cells.length > 2 ? cells.length : 0))
  widths.delete(0)
  const [usual = 0] = [...widths].sort((a, b) => b[1].length - a[1].length)[0] ?? []
  const rows = split.map((cells, i) => {
    if (cells && (cells.length < 3 || cells.length === usual)) return cells
    const plain = (lines[i] ?? '').split(delimiter)
    if (plain.length === usual) return plain.map((cell) => cell.replace(/^\s*"|"\s*$/g, ''))
    return cells ?? refuseFile(`A quote is not closed on line ${i + 1}; the file may be cut off.`)
  })
  const odd = rows.flatMap((cells, i) => (cells.length > 2 && cells.length !== usual ? [i] : []))
  if (odd.length * 10 > rows.length)
    refuseFile(
      `The quotes in the file are not closed or not doubled, so its rows have different lengths, first on line ${(odd[0] ?? 0) + 1}.`,
    )
  return rows
}

/** Splits a line at the delimiters outside quoted cells; null if a quoted cell does not end in the line. */
function splitUnescaped(line: string, delimiter: string): string[] | null {
  const cells: string[] = []
  let at = 0
  while (at <= line.length) {
    const quoted = line[at] === '"'
    const close = quoted ? line.indexOf(`"${delimiter}`, at + 1) : -1
    if (quoted && close < 0 && (at === line.length - 1 || !line.endsWith('"'))) return null
    const end = quoted ? (close < 0 ? line.length : close + 1) : line.indexOf(delimiter, at)
    const stop = end < 0 ? line.length : end
    const cell = line.slice(at, stop)
    cells.push(quoted ? cell.slice(1, -1).replaceAll('""', '"') : cell)
    at = stop + 1
  }
  return cells
}

/** Numbers the records by line; one with line ends in its cells takes several lines. */
function withLines(rows: string[][]): CsvRecord[] {
  let line = 1
  return rows.map((cells) => {
    if (cells.length > maxCells) refuseFile(`Line ${line} of the file has more than ${maxCells} cells.`)
    const record = { line, cells }
    for (const cell of cells)
      for (let at = cell.indexOf('\n'); at >= 0; at = cell.indexOf('\n', at + 1)) line += 1
    line += 1
    return record
  })
}
