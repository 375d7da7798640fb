/** RxDB: one collection for all rows, so that one cursor and one upload are enough. */
import { defaultConflictHandler, type RxCollection, type RxConflictHandler, type WithDeleted } from 'rxdb'
import { replicateRxCollection } from 'rxdb/plugins/replication'
import { Subject } from 'rxjs'
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
  pick,
  pull,
  push,
  type Row,
} from './changes.ts'

/** `data` is what the feed shows. A row refers to another by `#` and its client id until the service has seen it. */
export type Doc = { key: string; noun: Noun; id: number; data: Fields }

export const schema = {
  version: 0,
  primaryKey: 'key',
  type: 'object',
  properties: {
    key: { type: 'string', maxLength: 80 },
    noun: { type: 'string', maxLength: 20 },
    id: { type: 'integer', minimum: 0, maximum: 1e15, multipleOf: 1 },
    data: { type: 'object' },
  },
  required: ['key', 'noun', 'id', 'data'],
  indexes: [['noun', 'id']],
} as const

/** A row that is created on the device. Others refer to it as `#` and its `clientId`. */
export const newDoc = (noun: Noun, clientId: string, data: Fields): Doc => ({
  key: `${noun}:${clientId}`,
  noun,
  id: 0,
  data,
})

/** For `addCollections`. If both sides have changed a field, theirs stays and `tell` gets mine: let the person choose. */
export const conflictHandler = (
  tell: (mine: Doc, theirs: WithDeleted<Doc>, fields: string[]) => void,
): RxConflictHandler<Doc> => ({
  ...defaultConflictHandler,
  resolve({ assumedMasterState: was, newDocumentState: mine, realMasterState: theirs }) {
    const clash = (fields: string[]) => tell(mine, theirs, fields)
    if (mine._deleted || theirs._deleted) {
      if (mine._deleted !== theirs._deleted) clash([])
      return Promise.resolve(theirs)
    }
    // If an answer was lost, it is unknown what this row was, but its references have not changed.
    const known = Object.entries(mine.data).filter(([, value]) => was || !String(value).startsWith('#'))
    const data = merge(was?.data, Object.fromEntries(known), theirs.data, clash)
    return Promise.resolve({ ...theirs, data })
  },
})

/** Keeps a collection in sync with the service. What the service refuses stays on the device, for the person to change. */
export function replicate(
  collection: RxCollection<Doc>,
  call: Call,
  onInvalid: (doc: Doc, errors: Errors) => void,
) {
  const resync = new Subject<'RESYNC'>()
  /** Rows whose creation RxDB has not yet noticed. It ignores what is pulled for them, so they are pulled once more. */
  const creating = new Set<string>()
  // RxDB asks for the next page before it has stored the last, so one call fetches all pages.
  const batchSize = Number.MAX_SAFE_INTEGER
  const replication = replicateRxCollection<Doc, Checkpoint>({
    collection,
    replicationIdentifier: 'purse',
    pull: {
      batchSize,
      stream$: resync,
      async handler(checkpoint) {
        const pulled = await pullDocs(collection, call, checkpoint)
        const isEarly = pulled.documents.some(({ key }) => creating.has(key))
        return isEarly ? { ...pulled, checkpoint } : pulled
      },
    },
    push: {
      batchSize,
      async handler(changes) {
        for (const { newDocumentState: doc } of changes) if (!doc.id) creating.add(doc.key)
        const masters = await pushDocs(call, changes, onInvalid)
        void replication.internalReplicationState?.streamQueue.up.then(() => {
          creating.clear()
          resync.next('RESYNC')
        })
        return masters
      },
    },
  })
  return replication
}

type Checkpoint = { cursor: string }

async function pullDocs(collection: RxCollection<Doc>, call: Call, checkpoint?: Checkpoint) {
  const { rows, gone, cursor, isSnapshot } = await pull(call, checkpoint?.cursor)
  const documents = [...rows.values()].map(({ noun, data }) => withConsequences(docOf(noun, data), gone))
  const ids = [...gone].map((name) => Number(name.split(' ')[1]))
  const fields = ['id', 'data.account_id', 'data.to_account_id', 'data.category_id']
  const selector = isSnapshot
    ? { id: { $gt: 0 } }
    : { $or: fields.map((field) => ({ [field]: { $in: ids } })) }
  const stored = isSnapshot || gone.size > 0 ? await collection.find({ selector }).exec() : []
  for (const { key, noun, id, data } of stored.map((doc) => doc.toMutableJSON())) {
    if (rows.has(`${noun} ${id}`)) continue
    const doc = { key, noun, id, data, _deleted: isSnapshot }
    const next = withConsequences(doc, gone)
    if (isSnapshot || next !== doc) documents.push(next)
  }
  return { documents, checkpoint: { cursor } }
}

type Change = { assumedMasterState?: WithDeleted<Doc>; newDocumentState: WithDeleted<Doc> }

/** Returns the rows that differ from what RxDB now assumes: it passes them to the conflict handler. */
async function pushDocs(call: Call, changes: Change[], onInvalid: (doc: Doc, errors: Errors) => void) {
  const items = changes.flatMap(({ assumedMasterState: was, newDocumentState: mine }) => {
    const op = operation(was?.data, mine)
    return op ? [{ mine, op }] : []
  })
  const masters: WithDeleted<Doc>[] = []
  for (const { mine, result } of await push(call, items)) {
    const { outcome, id, data, errors } = result
    if (outcome === 'invalid') onInvalid(mine, errors ?? {})
    if (outcome === 'gone' && !mine._deleted) masters.push({ ...mine, _deleted: true })
    // Not a conflict, but the only way to tell RxDB the id.
    if (outcome === 'created' && id) masters.push({ ...mine, id })
    // Also if somebody has made the same change and maybe others, which RxDB ignored while the row was waiting.
    if (data) masters.push({ ...mine, id: data.id, data, _deleted: false })
  }
  return masters
}

const docOf = (noun: Noun, data: Row): WithDeleted<Doc> => ({
  key: `${noun}:${keyOf(data)}`,
  noun,
  id: data.id,
  data,
  _deleted: false,
})

/** A row is deleted with its account, and stays, without a category, if its category is deleted. */
function withConsequences(doc: WithDeleted<Doc>, gone: Set<string>): WithDeleted<Doc> {
  const { account_id, to_account_id, category_id } = doc.data
  const names = [`${doc.noun} ${doc.id}`, `account ${account_id}`, `account ${to_account_id}`]
  if (names.some((name) => gone.has(name))) return { ...doc, _deleted: true }
  return gone.has(`category ${category_id}`) ? { ...doc, data: { ...doc.data, category_id: null } } : doc
}

function operation(
  was: Fields | undefined,
  { key, noun, id, data, _deleted }: WithDeleted<Doc>,
): Op | undefined {
  const row = { noun, ...(id ? { id } : named(key.slice(noun.length + 1))) }
  if (_deleted) return { op: 'delete', ...row, was: id && was ? was : {} }
  if (!id) return { op: 'create', ...row, set: data }
  const names = changed(was ?? {}, data)
  return names.length > 0
    ? { op: 'update', ...row, set: pick(data, names), was: pick(was ?? {}, names) }
    : undefined
}
