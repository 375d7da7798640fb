import { readJson } from '../errors.ts'
import type { LedgerStorage } from '../storage.ts'
import { readBlock, readBlockAgain, takeChanged } from './blocks.ts'
import { type Change, newPending, type Pending } from './pending.ts'
import { type Key, type Noun, nouns, type OnChange, type Rows, servedRows } from './rows.ts'

export type Entry = [key: string, value: string | null]

/** The version of the form that is stored. Copies of an earlier one lack the nouns that were added since. */
const formVersion = 4

type Meta = {
  version: number
  /** Raised by each write, so that other tabs know when they are behind. */
  revision: number
  /** The revision at which rows were last written. */
  rows: number
  /** The blocks of rows last written, each with the revision of its last write, in the order of these. */
  recent: [block: string, revision: number][]
  /** `recent` has all blocks that were written after this revision. */
  recentSince: number
  /** Where the feed continues; null if a snapshot has to be read first. */
  cursor: string | null
  /** Rows are stored under this number, those of a snapshot in progress under the next. */
  generation: number
  /** Where the snapshot in progress continues; empty at its beginning, null if there is none. */
  incoming: string | null
  /** How many transactions the snapshot in progress will have, as far as it is known. */
  expected: number | null
}

/** The stored data, in memory. */
export type Stored = {
  meta: Meta
  rows: Rows
  incoming: Rows
  /** The keys under which rows are stored. */
  blocks: Set<string>
  pending: Map<string, Pending>
}

/** The storage was written by a later version of the app: load that version. */
export class LedgerVersionError extends Error {
  override readonly name = 'LedgerVersionError'
}

/** As many blocks are read again one by one; if there are more, so are all. */
const maxRecent = 64

/**
 * Reads what other tabs have written; undefined if they have written nothing since. Of the rows, it reads the blocks that
 * were written, and reports each row that has changed. If it is not known which these are, all are read: the result has
 * other `rows` then. Throws LedgerVersionError, and errors of the storage.
 */
export async function readOthers(storage: LedgerStorage, base: string, stored: Stored, onChange: OnChange) {
  const meta = metaOf(await readValue(storage, `${base}meta`))
  if (meta.revision === stored.meta.revision) return undefined
  const written = blocksWritten(meta, stored.meta)
  if (!written) return readStored(storage, base)
  const values = await Promise.all(written.map((block) => readValue(storage, `${base}${block}`)))
  const fresh: Stored = { ...stored, meta, pending: new Map() }
  if (meta.incoming === '') fresh.incoming = servedRows()
  for (const [at, block] of written.entries())
    if (!readAgain(fresh, block, values[at], onChange)) return readStored(storage, base)
  for (const [key, value] of await storage.list(`${base}waits/`))
    readPending(fresh, key.slice(base.length), value)
  return fresh
}

async function readValue(storage: LedgerStorage, key: string): Promise<string | undefined> {
  // Other keys may begin with this one, and follow it.
  const pairs = await storage.list(key, { limit: 1 })
  return pairs.find(([found]) => found === key)?.[1]
}

/** The blocks that have been written since; undefined if it is not known which these are. */
function blocksWritten(
  { version, generation, rows, recent, recentSince }: Meta,
  known: Meta,
): string[] | undefined {
  if (version !== formVersion || generation !== known.generation) return undefined
  if (rows === known.rows) return []
  // An earlier version of the app does not note what it writes.
  const isComplete = recentSince <= known.rows && recent.at(-1)?.[1] === rows
  return isComplete
    ? recent.filter(([, revision]) => revision > known.rows).map(([block]) => block)
    : undefined
}

/** Reads a block of the rows or of a snapshot in progress. False if it is damaged. */
function readAgain(
  { meta, rows, incoming, blocks }: Stored,
  key: string,
  value: string | undefined,
  onChange: OnChange,
): boolean {
  const [, generation, ...rest] = key.split('/')
  if (value === undefined) blocks.delete(key)
  else blocks.add(key)
  const isCurrent = Number(generation) === meta.generation
  const [into, report] = isCurrent ? [rows, onChange] : [incoming, () => undefined]
  return readBlockAgain(into, rest.join('/'), value ?? null, report)
}

/** Each page of a storage is read in a task of its own, so that an app stays responsive. */
const pairsPerPage = 32

/** Reads everything. Damaged rows are requested again. Throws LedgerVersionError, and errors of the storage. */
export async function readStored(storage: LedgerStorage, base: string): Promise<Stored> {
  const meta = metaOf(await readValue(storage, `${base}meta`))
  if (meta.version > formVersion) throw new LedgerVersionError('The app is older than what it has stored.')
  if (meta.version < formVersion) Object.assign(meta, { version: formVersion, cursor: null, incoming: null })
  const [rows, incoming] = [servedRows(), servedRows()]
  const stored: Stored = { meta, rows, incoming, blocks: new Set(), pending: new Map() }
  let after: string | undefined
  for (;;) {
    const pairs = await storage.list(base, { after, limit: pairsPerPage })
    for (const [key, value] of pairs) readPair(stored, key.slice(base.length), value)
    for (const read of [rows, incoming]) read.inOrder()
    const [first] = pairs[0] ?? []
    // A storage that knows no pages has returned all pairs.
    if (pairs.length !== pairsPerPage || (after !== undefined && first !== undefined && first <= after))
      return stored
    after = pairs.at(-1)?.[0]
  }
}

function readPair(stored: Stored, key: string, value: string): void {
  const { meta, rows, incoming } = stored
  const [kind, number, ...rest] = key.split('/')
  if (kind === 'waits') readPending(stored, key, value)
  if (kind !== 'rows') return
  stored.blocks.add(key)
  const generation = Number(number)
  // If the meta entry is damaged, the rows are shown as they are, and requested again.
  if (meta.revision === 0) meta.generation ||= generation
  const isIncoming = meta.incoming !== null && generation === meta.generation + 1
  const isCurrent = isIncoming || generation === meta.generation
  if (isCurrent && readBlock(isIncoming ? incoming : rows, rest.join('/'), value)) return
  if (isIncoming) meta.incoming = null
  else meta.cursor = null
}

function metaOf(value: string | undefined): Meta {
  const read = readJson(value ?? '') as Partial<Meta> | null | undefined
  // Copies from before there was a number have the first form.
  const version = Number(read?.version) || (read ? 1 : formVersion)
  const empty: Meta = {
    ...{ version, revision: 0, rows: 0, recent: [], recentSince: 0, cursor: null, generation: 0 },
    ...{ incoming: null, expected: null },
  }
  const meta: Meta = { ...empty, ...read, version }
  const { cursor, incoming } = meta
  if (!isRecent(meta.recent)) meta.recent = []
  if (!Number.isSafeInteger(meta.expected)) meta.expected = null
  const isValid =
    [meta.revision, meta.generation].every(Number.isSafeInteger) &&
    [cursor, incoming].every((one) => one === null || typeof one === 'string') &&
    // A snapshot has no cursor until it ends.
    (cursor === null || (cursor !== '' && incoming === null))
  return isValid ? meta : empty
}

const isRecent = (recent: unknown): boolean =>
  Array.isArray(recent) &&
  recent.every((one) => Array.isArray(one) && typeof one[0] === 'string' && Number.isSafeInteger(one[1]))

/** Damaged entries are shown as rejected, with their text, until the user discards them or changes the row. */
function readPending({ pending }: Stored, key: string, value: string): void {
  const id = key.slice('waits/'.length)
  const [noun, of] = partsOf(id)
  if (!nouns.includes(noun)) return
  const read = readJson(value) as Pending | null | undefined
  const at = Number(read?.at) || 0
  pending.set(
    id,
    unlessDamaged(() => ({ ...newPending(noun, of, at), ...read, noun, key: of, at })) ?? damaged(id, value),
  )
}

/** A pending change, unless it is so damaged that it can neither be shown nor sent. */
function unlessDamaged(read: () => Pending): Pending | undefined {
  try {
    const one = read()
    const { sent, next, conflict, errors } = one
    const isValid =
      (sent ?? next) !== null &&
      [sent, next].every((change) => change === null || isValidChange(change)) &&
      (conflict ?? []).every((field) => typeof field === 'string') &&
      typeof (errors ?? {}) === 'object'
    return isValid ? one : undefined
  } catch {
    return undefined
  }
}

function isValidChange({ op, set, was, others = [] }: Change): boolean {
  return (
    /^(create|update|delete)$/.test(op) &&
    [set, was, ...others.map((other) => other.set ?? {})].every(isFields) &&
    others.every((other) => typeof other.key === 'string')
  )
}

const isFields = (fields: object): boolean =>
  typeof fields === 'object' &&
  Object.values(fields).every((value) => value === null || typeof value !== 'object')

/** A pending change that cannot be read. */
const damaged = (id: string, value: string): Pending => ({
  ...newPending(...partsOf(id), 0),
  errors: { row: [`It was damaged on this device: ${value}`] },
})

/** The noun and key that an id is made of. */
export function partsOf(id: string): [Noun, Key] {
  const space = id.indexOf(' ')
  return [id.slice(0, space) as Noun, id.slice(space + 1)]
}

export const idOf = ({ noun, key }: Pick<Pending, 'noun' | 'key'>): string => `${noun} ${key}`

export const pendingEntry = (id: string, pending: Pending | undefined): Entry => [
  `waits/${id}`,
  pending ? JSON.stringify(pending) : null,
]

/** The ids of the pending changes among entries. */
export const pendingIds = (entries: Entry[]): string[] =>
  entries.filter(([key]) => key.startsWith('waits/')).map(([key]) => key.slice('waits/'.length))

/** Raises the revision for a write of these entries, and adds the entry that tells other tabs. */
export function withMeta({ meta, blocks }: Stored, entries: Entry[]): Entry[] {
  meta.revision += 1
  const written = entries.filter(([key]) => key.startsWith('rows/'))
  for (const [key, value] of written) {
    if (value === null) blocks.delete(key)
    else blocks.add(key)
  }
  if (written.length > 0) noteWritten(meta, new Set(written.map(([key]) => key)))
  return [...entries, ['meta', JSON.stringify(meta)]]
}

/** Notes that this revision has written blocks of rows. */
function noteWritten(meta: Meta, blocks: Set<string>): void {
  // An earlier version of the app, which notes nothing, may have written last.
  if (meta.recent.at(-1)?.[1] !== meta.rows) Object.assign(meta, { recent: [], recentSince: meta.rows })
  meta.rows = meta.revision
  const others = meta.recent.filter(([block]) => !blocks.has(block))
  const all = [...others, ...[...blocks].map((block): Meta['recent'][number] => [block, meta.revision])]
  meta.recent = all.slice(-maxRecent)
  meta.recentSince = all.at(-maxRecent - 1)?.[1] ?? meta.recentSince
}

/** The entries that store the blocks of rows that have changed. */
export const blockEntries = (rows: Rows, generation: number): Entry[] =>
  takeChanged(rows).map(([block, value]) => [`rows/${generation}/${block}`, value])

/** The entries that delete all rows but those of a generation. */
export const deletionsExcept = (blocks: Set<string>, generation: number): Entry[] =>
  [...blocks].filter((key) => !key.startsWith(`rows/${generation}/`)).map((key) => [key, null])
