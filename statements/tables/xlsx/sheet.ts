import { type Attributes, readXml } from '../../shared/markup.ts'
import { tooManyRows } from '../../shared/problems.ts'
import { refuseFile } from '../../shared/unreadable.ts'

/** The texts that cells share, which cell formats are dates, the day from which dates are counted, and the room left. */
type SheetContext = { texts: string[]; dateFormats: boolean[]; epoch: number; room: Room }

/**
 * How many cells and characters the sheets of a workbook may still have, all together. Skipped cells to the left of a
 * cell count, and so does one for each skipped row: a few bytes may stand for many rows, or for a text that cells share.
 */
type Room = { cells: number; characters: number }

const maxSheetRows = 40_000
const maxColumns = 256
export const wholeRoom: Room = { cells: 400_000, characters: 8 * 1024 * 1024 }
const tooManyCells = 'The workbook has too many cells.'
export const tooLarge = 'The workbook is too large; export a shorter period.'
const dayMs = 86_400_000

/** The cells of a sheet as text, row by row, and the numbers of hidden rows; a row that the sheet leaves out is empty. Throws Unreadable. */
export function readSheet(xml: string, context: SheetContext): { rows: string[][]; hidden: Set<number> } {
  const { room } = context
  const rows: string[][] = []
  const hidden = new Set<number>()
  let row: string[] | undefined
  let cell = { column: 0, type: '', format: 0, text: '' }
  const open = (name: string, attributes: Attributes) => {
    if (name === 'row') {
      const number = Number(attributes.get('r') ?? rows.length + 1)
      if (!(number >= 1 && number <= maxSheetRows)) refuseFile(tooManyRows)
      takeCells(room, number - rows.length - 1)
      while (rows.length < number) rows.push([])
      row = rows[number - 1]
      if (/^(?:1|true)$/.test(attributes.get('hidden') ?? '')) hidden.add(number)
      cell.column = -1
    } else if (name === 'c') {
      const column = columnOf(attributes.get('r')) ?? cell.column + 1
      if (column >= maxColumns) refuseFile(tooManyCells)
      takeCells(room, column + 1 - (row?.length ?? 0))
      cell = { column, type: attributes.get('t') ?? 'n', format: Number(attributes.get('s') ?? 0), text: '' }
    }
  }
  const close = (name: string, text: string) => {
    if (name === 'v' || name === 't') cell.text += text
    if (name !== 'c' || !row) return
    while (row.length < cell.column) row.push('')
    const read = textOf(cell, context)
    room.characters -= read.length
    if (room.characters < 0) refuseFile(tooLarge)
    row[cell.column] = read
  }
  readXml(xml, { open, close })
  return { rows, hidden }
}

/** Takes room for this many cells, and for one at least. Throws Unreadable. */
function takeCells(room: SheetContext['room'], cells: number): void {
  room.cells -= Math.max(1, cells)
  if (room.cells < 0) refuseFile(tooManyCells)
}

/** The index of the column in a reference such as `AB12`. */
function columnOf(reference: string | undefined): number | null {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0]
  if (letters === undefined) return null
  return [...letters].reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

function textOf(cell: { type: string; format: number; text: string }, context: SheetContext): string {
  const { type, format, text } = cell
  if (type === 's') return context.texts[Number(text)] ?? ''
  if (type !== 'n' || text === '') return text
  const number = Number(text)
  if (context.dateFormats[format] && number > 0 && number < 200_000)
    return new Date(context.epoch + Math.floor(number) * dayMs).toISOString().slice(0, 10)
  // Cents as binary fractions have rounding errors in their last digits; long whole numbers are ids.
  if (/^-?\d+$/.test(text) || !Number.isFinite(number)) return text
  // 1.234 could be taken for 1234; a fourth decimal shows that its point precedes decimals.
  return String(Number(number.toFixed(6))).replace(/\.\d{3}$/, '$&0')
}
