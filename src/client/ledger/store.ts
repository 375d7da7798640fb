import { readJson } from '../errors.ts'
import type { LedgerStorage } from '../storage.ts'
import { newWaiting, type Waiting } from './pending.ts'
import { type Key, type Noun, type Rows, servedRows } from './rows.ts'

export type Entry = [key: string, value: string | null]

/** The form in which a ledger is stored. */
const formVersion = 1

type Meta = {
  version: number
  /** Raised by each write, so that other tabs know when they are behind. */
  revision: number
  /** The revision at which rows were last written. */
  rows: number
  /** Where the feed goes on; null before the first snapshot, and when one is due. */
  cursor: string | null
  /** The rows stand under this number, those of a snapshot under way under the next. */
  generation: number
  /** How far the snapshot under way has come; empty at its beginning, null if there is none. */
  incoming: string | null
}

/** All that is stored, as it is in memory. */
export type Stored = { meta: Meta; rows: Rows; incoming: Rows; waiting: Map<string, Waiting> }

/** What is stored comes from a later version of the app, which has to be loaded first. */
export class LedgerVersionError extends Error {
  override readonly name = 'LedgerVersionError'
}

/** What is stored, if other tabs have written since. Where they have written no rows, the rows are the same object. */
export async function readOthers(
  storage: LedgerStorage,
  base: string,
  stored: Stored,
): Promise<Stored | undefined> {
  const [pair] = await storage.list(`${base}meta`)
  const meta = metaOf(pair?.[1])
  if (meta.revision === stored.meta.revision) return undefined
  if (meta.rows !== stored.meta.rows || meta.version !== formVersion) return readStored(storage, base)
  const fresh: Stored = { ...stored, meta, waiting: new Map() }
  for (const [key, value] of await storage.list(`${base}waits/`))
    readWaiting(fresh, key.slice(base.length), value)
  return fresh
}

/** Reads everything. Rows that are damaged are asked for again. Throws LedgerVersionError, and what the storage throws. */
export async function readStored(storage: LedgerStorage, base: string): Promise<Stored> {
  const pairs = (await storage.list(base)).map(([key, value]) => [key.slice(base.length), value] as const)
  const meta = metaOf(pairs.find(([key]) => key === 'meta')?.[1])
  if (meta.version > formVersion) throw new LedgerVersionError('The app is older than what it has stored.')
  const stored: Stored = { meta, rows: servedRows(), incoming: servedRows(), waiting: new Map() }
  for (const [key, value] of pairs) {
    const [kind, number, ...rest] = key.split('/')
    if (kind === 'waits') readWaiting(stored, key, value)
    if (kind !== 'rows') continue
    const generation = Number(number)
    // If it is damaged, the rows are shown as they are, and asked for again.
    if (meta.revision === 0) meta.generation ||= generation
    if (generation === meta.generation) {
      if (!stored.rows.readBlock(rest.join('/'), value)) meta.cursor = null
    } else if (generation === meta.generation + 1 && !stored.incoming.readBlock(rest.join('/'), value))
      meta.incoming = null
  }
  return stored
}

function metaOf(value: string | undefined): Meta {
  const meta = readJson(value ?? '') as Partial<Meta> | null | undefined
  const empty = { version: formVersion, revision: 0, rows: 0, cursor: null, generation: 0, incoming: null }
  return typeof meta?.revision === 'number' ? { ...empty, ...meta } : empty
}

/** What is damaged is shown as refused, with its text, and stays until a person has seen it. */
function readWaiting({ waiting }: Stored, key: string, value: string): void {
  const id = key.slice('waits/'.length)
  const one = readJson(value) as Waiting | null | undefined
  waiting.set(id, one?.next || one?.sent ? one : damaged(id, value))
}

/** What waits, but cannot be read. */
export const damaged = (id: string, value: string): Waiting => ({
  ...newWaiting(...partsOf(id), 0),
  errors: { row: [`It was damaged on this device: ${value}`] },
})

/** The noun and key that an id is made of. */
export function partsOf(id: string): [Noun, Key] {
  const space = id.indexOf(' ')
  return [id.slice(0, space) as Noun, id.slice(space + 1)]
}

export const idOf = ({ noun, key }: Pick<Waiting, 'noun' | 'key'>): string => `${noun} ${key}`

export const waitingEntry = (id: string, waiting: Waiting | undefined): Entry => [
  `waits/${id}`,
  waiting ? JSON.stringify(waiting) : null,
]

/** The blocks of rows that have changed. */
export const blockEntries = (rows: Rows, generation: number): Entry[] =>
  rows.takeChanged().map(([block, value]) => [`rows/${generation}/${block}`, value])

/** Deletes all blocks of rows. */
export const noBlocks = (rows: Rows, generation: number): Entry[] =>
  rows.blocks().map((block) => [`rows/${generation}/${block}`, null])
