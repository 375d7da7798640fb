import { readJson } from '../errors.ts'
import { isRow, keyOf, type Noun, type OnChange, type Rows, type ServedRow } from './rows.ts'

/** Rows are stored in blocks of neighbouring ids: one block is quick to write, and few blocks are quick to read. */
const blockSize = 256

const nounOf = (block: string) => block.split('/')[0] as Noun
const numberOf = (block: string) => Number(block.split('/')[1])

/** The block that a row is stored in. */
export const blockOf = (noun: Noun, id: number): string => `${noun}/${Math.floor(id / blockSize)}`

/** Takes the changed blocks to be stored, null for those without rows. */
export function takeChanged(rows: Rows): [block: string, value: string | null][] {
  const blocks = [...rows.changedBlocks]
  rows.changedBlocks.clear()
  return blocks.map((block) => {
    const own = rowsIn(rows, block)
    return [block, own.length > 0 ? JSON.stringify(own) : null]
  })
}

/** Reads a stored block. False if it is damaged. */
export function readBlock(rows: Rows, block: string, value: string): boolean {
  const own = parseBlock(block, value)
  for (const row of own ?? []) rows.put(nounOf(block), row)
  return own !== undefined
}

/** Reads a stored block again, null if it is gone, and reports each row that has changed. False if it is damaged. */
export function readBlockAgain(rows: Rows, block: string, value: string | null, onChange: OnChange): boolean {
  const noun = nounOf(block)
  const own = value === null ? [] : parseBlock(block, value)
  if (!own) return false
  const left = new Set(own.map(({ id }) => id))
  for (const row of rowsIn(rows, block)) {
    if (left.has(row.id)) continue
    rows.remove(noun, row.id)
    onChange(noun, keyOf(row), row)
  }
  for (const row of own) {
    const before = rows.byId[noun].get(row.id)
    if (JSON.stringify(before) === JSON.stringify(row)) continue
    rows.put(noun, row)
    onChange(noun, keyOf(row), before)
  }
  return true
}

function rowsIn({ byId }: Rows, block: string): ServedRow[] {
  const [all, first] = [byId[nounOf(block)], numberOf(block) * blockSize]
  const own: ServedRow[] = []
  for (let id = first; id < first + blockSize; id++) {
    const row = all.get(id)
    if (row) own.push(row)
  }
  return own
}

/** The rows of a stored block; undefined if it is damaged. */
function parseBlock(block: string, value: string): ServedRow[] | undefined {
  const rows = readJson(value)
  const isOwn = (row: ServedRow) =>
    isRow(nounOf(block), row) && Math.floor(row.id / blockSize) === numberOf(block)
  return Array.isArray(rows) && rows.length > 0 && rows.every(isOwn) ? rows : undefined
}
