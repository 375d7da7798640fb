/** WatermelonDB: a table for each noun, whose rows refer to each other by the keys of the device. */
import { appSchema, type Database, type DirtyRaw, Q, type RawRecord, tableSchema } from '@nozbe/watermelondb'
import { type SyncPushArgs, type SyncTableChangeSet, synchronize } from '@nozbe/watermelondb/sync'
import {
  type Call,
  changed,
  type Errors,
  type Fields,
  keyOf,
  merge,
  type Noun,
  named,
  type Op,
  type Pulled,
  pick,
  pull,
  push,
  type Result,
  type Row,
} from './changes.ts'

export const tables = { account: 'accounts', category: 'categories', transaction: 'transactions' } as const
const nouns = Object.keys(tables) as Noun[]
const columns: Record<Noun, string[]> = {
  account: ['name', 'type', 'starting_balance', 'notes'],
  category: ['name', 'type'],
  transaction: [
    ...['type', 'account_id', 'to_account_id', 'category_id'],
    ...['amount', 'description', 'reference', 'transaction_date'],
  ],
}
const references: Record<string, Noun> = {
  account_id: 'account',
  to_account_id: 'account',
  category_id: 'category',
}

/** The fields of a row, its id on the service, and `base`: the fields as the service had them, which become `was`. */
export const schema = appSchema({
  version: 1,
  tables: nouns.map((noun) =>
    tableSchema({
      name: tables[noun],
      columns: [
        ...columns[noun].map((name) => ({
          name,
          type: 'string' as const,
          isOptional: true,
          isIndexed: name in references,
        })),
        { name: 'server_id', type: 'number', isOptional: true, isIndexed: true },
        { name: 'base', type: 'string', isOptional: true },
      ],
    }),
  ),
})

/** A raw record: the fields, `id` (the key on the device), `server_id` and `base`. */
type Raw = RawRecord & { server_id: number | null; base: string | null }
type Item = { noun: Noun; raw: Raw; op: Op }
export type Problem = { noun: Noun; key: string; mine?: Fields; theirs?: Fields; errors?: Errors }

/** Syncs once. `tell` gets conflicts, in which theirs stays, and what is invalid, which waits until it is changed. */
export async function sync(database: Database, call: Call, tell: (problem: Problem) => void): Promise<void> {
  let keys = new Map<string, string>()
  let cursor = await database.localStorage.get<string>('purse cursor')
  let done: (Item & { result: Result })[] = []
  await synchronize({
    database,
    sendCreatedAsUpdated: true,
    conflictResolver: (table, local, remote, resolved) =>
      resolve(nounOf(table), { local, remote, resolved }, tell),
    async pullChanges() {
      const pulled = await pull(call, cursor)
      cursor = pulled.cursor
      keys = await keysAfter(database, pulled)
      const changes = await changesOf(database, pulled, keys)
      const experimentalStrategy = pulled.isSnapshot ? 'replacement' : 'incremental'
      return { changes, timestamp: Date.now(), experimentalStrategy }
    },
    async pushChanges({ changes }) {
      done = await push(call, await itemsOf(database, changes))
      const rejected = done.filter(({ result }) =>
        ['invalid', 'conflict', 'duplicate'].includes(result.outcome),
      )
      const idsOf = (noun: Noun) => rejected.filter((item) => item.noun === noun).map(({ raw }) => raw.id)
      return { experimentalRejectedIds: Object.fromEntries(nouns.map((noun) => [tables[noun], idsOf(noun)])) }
    },
  })
  await keepOutcomes(database, done, keys, tell)
  // Stored after its rows: if this is interrupted, they are pulled again, which does no harm.
  await database.localStorage.set('purse cursor', cursor)
}

const nounOf = (table: string) => nouns.find((noun) => tables[noun] === table) as Noun
const fieldsOf = (noun: Noun, raw: object): Fields => pick(raw as Fields, columns[noun])
const baseOf = ({ base }: Raw): Fields | undefined => (base ? JSON.parse(base) : undefined)

const findRaw = async (database: Database, noun: Noun, key: string) =>
  (await database.get(tables[noun]).find(key))._raw as Raw

/** The keys of accounts and categories by `noun id`: those that exist once this has been pulled. */
async function keysAfter(database: Database, { rows, gone }: Pulled) {
  const keys = new Map<string, string>()
  for (const noun of ['account', 'category'] as const) {
    const deleted = await database.adapter.getDeletedRecords(tables[noun])
    const present = (await database.get(tables[noun]).query().fetchIds()).concat(deleted)
    for (const key of present)
      keys.set(`${noun} ${(await findRaw(database, noun, key)).server_id ?? key}`, key)
  }
  for (const [name, { data }] of rows) keys.set(name, keyOf(data))
  for (const name of gone) keys.delete(name)
  return keys
}

function rawOf(noun: Noun, data: Row, keys: Map<string, string>) {
  const fields = pick(data, columns[noun])
  for (const [name, whose] of Object.entries(references))
    if (fields[name]) fields[name] = keys.get(`${whose} ${fields[name]}`) ?? `_${fields[name]}`
  return withBase(keyOf(data), data.id, fields)
}

const withBase = (id: string, server_id: number | null, fields: Fields) => ({
  ...fields,
  id,
  server_id,
  base: JSON.stringify(fields),
})

/** What the engine should apply. A row is deleted with its account, and loses a deleted category. */
async function changesOf(database: Database, { rows, gone, isSnapshot }: Pulled, keys: Map<string, string>) {
  const none = () => ({ created: [], updated: [] as ReturnType<typeof rawOf>[], deleted: [] as string[] })
  const changes = { account: none(), category: none(), transaction: none() }
  for (const { noun, data } of rows.values()) changes[noun].updated.push(rawOf(noun, data, keys))
  for (const noun of nouns) {
    const ids = [...gone].filter((name) => name.startsWith(noun)).map((name) => Number(name.split(' ')[1]))
    changes[noun].deleted = await database
      .get(tables[noun])
      .query(Q.where('server_id', Q.oneOf(ids)))
      .fetchIds()
  }
  const isThere = (noun: 'account' | 'category', key: unknown) => key === null || there[noun].has(key)
  const keysOf = (noun: Noun) =>
    new Set<unknown>([...keys].filter(([name]) => name.startsWith(noun)).map(([, key]) => key))
  const there = { account: keysOf('account'), category: keysOf('category') }
  // After a snapshot the engine removes rows that it did not mention.
  const hasParentGone = !isSnapshot && [...gone].some((name) => !name.startsWith('transaction'))
  const stored = hasParentGone ? await storedTransactions(database) : []
  const candidates = new Map([...stored, ...changes.transaction.updated].map((raw) => [raw.id, raw]))
  for (const key of changes.transaction.deleted) candidates.delete(key)
  changes.transaction.updated = []
  for (const { id, server_id, base } of candidates.values()) {
    const fields = JSON.parse(base)
    const { account_id, to_account_id, category_id } = fields
    if (!isThere('category', category_id)) fields.category_id = null
    if (isThere('account', account_id) && isThere('account', to_account_id))
      changes.transaction.updated.push(withBase(id, server_id, fields))
    else changes.transaction.deleted.push(id)
  }
  return Object.fromEntries(nouns.map((noun) => [tables[noun], changes[noun]]))
}

/** Transactions as the service had them; not those that it has never seen. */
async function storedTransactions(database: Database) {
  const records = await database
    .get(tables.transaction)
    .query(Q.where('server_id', Q.notEq(null)))
    .fetch()
  return records.map(({ _raw }) => withBase(_raw.id, (_raw as Raw).server_id, baseOf(_raw as Raw) ?? {}))
}

type Sides = { local: DirtyRaw; remote: DirtyRaw; resolved: DirtyRaw }

/** The engine's conflict handler, called for each pulled row that it already has. */
function resolve(noun: Noun, { local, remote, resolved }: Sides, tell: (problem: Problem) => void): DirtyRaw {
  if (local._status === 'synced') return resolved
  const [mine, theirs] = [fieldsOf(noun, local), fieldsOf(noun, remote)]
  const clash = (names: string[]) =>
    tell({ noun, key: local.id, mine: pick(mine, names), theirs: pick(theirs, names) })
  const merged = merge(baseOf(local as Raw), mine, theirs, clash)
  const waiting = changed(theirs, merged)
  return {
    ...resolved,
    ...merged,
    _status: waiting.length > 0 ? 'updated' : 'synced',
    _changed: waiting.join(),
  }
}

/** What is waiting, as operations. */
async function itemsOf(database: Database, changes: SyncPushArgs['changes']): Promise<Item[]> {
  const items: Item[] = []
  for (const noun of nouns) {
    const {
      created = [],
      updated = [],
      deleted = [],
    } = (changes as Record<string, SyncTableChangeSet>)[tables[noun]] ?? {}
    const add = (op: Op['op'], raw: Raw, set?: Fields, was?: Fields) =>
      items.push({
        noun,
        raw,
        op: {
          op,
          noun,
          ...named(raw.id),
          ...(set && { set: referring(set) }),
          ...(was && { was: referring(was) }),
        },
      })
    for (const raw of created as Raw[]) add('create', raw, fieldsOf(noun, raw))
    for (const raw of updated as Raw[]) {
      const [was, fields] = [baseOf(raw) ?? {}, fieldsOf(noun, raw)]
      const names = changed(was, fields)
      if (names.length > 0) add('update', raw, pick(fields, names), pick(was, names))
    }
    for (const key of deleted) {
      const raw = await findRaw(database, noun, key)
      add('delete', raw, undefined, baseOf(raw) ?? {})
    }
  }
  return items
}

/** Keys as references: an id, or `#` and a client id. */
function referring(fields: Fields): Fields {
  const refer = (key: string) => (key.startsWith('_') ? Number(key.slice(1)) : `#${key}`)
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      value && name in references ? refer(`${value}`) : value,
    ]),
  )
}

/** Applies the outcomes of what was sent, beyond what the engine does by itself. */
async function keepOutcomes(
  database: Database,
  done: (Item & { result: Result })[],
  keys: Map<string, string>,
  tell: (problem: Problem) => void,
) {
  for (const { noun, raw, op, result } of done) {
    const { outcome, id, data, errors } = result
    const collection = database.get(tables[noun])
    const problem = { noun, key: raw.id, mine: fieldsOf(noun, raw) }
    if (outcome === 'invalid') tell({ ...problem, errors: errors ?? {} })
    await database.write(async () => {
      if (op.op === 'delete' && data) {
        // Somebody has changed it meanwhile: the deletion is dropped.
        tell(problem)
        await database.adapter.destroyDeletedRecords(tables[noun], [raw.id])
        const now = { ...rawOf(noun, data, keys), id: raw.id, _status: 'synced', _changed: '' }
        await database.batch(collection.prepareCreateFromDirtyRaw(now))
      } else if (outcome === 'gone' && op.op !== 'delete') {
        tell(problem)
        await (await collection.find(raw.id)).destroyPermanently()
      } else if (['created', 'updated', 'unchanged'].includes(outcome)) {
        const base = JSON.stringify(fieldsOf(noun, raw))
        const record = await collection.find(raw.id)
        await record.update(() => Object.assign(record._raw, { server_id: id, base }))
      }
    })
  }
}
