/** What the adapters next to this file share: pulling the change feed, uploading operations, and merging. */

export type Noun = 'account' | 'category' | 'transaction'
export type Fields = Record<string, string | number | boolean | null>
export type Row = Fields & { id: number; client_id: string | null }
export type Call = (method: 'GET' | 'POST', path: string, body?: object) => Promise<Answer>
type Answer = { status: number; body: Row & Page & { results: Result[]; errors?: Errors } }
type Page = { changes: { noun: Noun; id: number; data: Row | null }[]; cursor: string; has_more: boolean }
export type Errors = Record<string, string[]>

/** The service, for the user of the token. Calls that are worth repeating throw, and engines retry by themselves. */
export const connect =
  (baseUrl: string, token: string): Call =>
  async (method, path, body) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const response = await fetch(`${baseUrl}/api${path}`, init)
    if (!response.ok && ![410, 413, 422].includes(response.status))
      throw new Error(`${method} ${path}: ${response.status}`)
    return { status: response.status, body: await response.json() }
  }

/** Rows under `noun id`, and the names of deleted ones. With `isSnapshot`, rows that are not included are deleted too. */
export type Pulled = {
  rows: Map<string, { noun: Noun; data: Row }>
  gone: Set<string>
  cursor: string
  isSnapshot: boolean
}
const nouns: string[] = ['account', 'category', 'transaction'] satisfies Noun[]

/** Reads all that has changed since the cursor, or everything if there is none, or it is no longer valid. */
export async function pull(call: Call, cursor = ''): Promise<Pulled> {
  const pulled: Pulled = { rows: new Map(), gone: new Set(), cursor, isSnapshot: !cursor }
  for (let hasMore = true; hasMore; ) {
    const place = pulled.cursor && `&cursor=${pulled.cursor}`
    const { status, body } = await call('GET', `/changes?limit=1000${place}`)
    if (status !== 200 && place) return pull(call)
    if (status !== 200) throw new Error(`The feed answered ${status}.`)
    for (const { noun, id, data } of body.changes.filter(({ noun }) => nouns.includes(noun))) {
      if (data) pulled.rows.set(`${noun} ${id}`, { noun, data })
      else pulled.gone.add(`${noun} ${id}`)
    }
    pulled.cursor = body.cursor
    hasMore = body.has_more
  }
  for (const name of pulled.gone) pulled.rows.delete(name)
  return pulled
}

/** The key of a row on the device: the client id it was created with, or one made from its id, which no client id is. */
export const keyOf = ({ id, client_id }: Row) =>
  client_id && /^[A-Za-z0-9-]+$/.test(client_id) ? client_id : `_${id}`

/** How an operation names the row with a key. */
export const named = (key: string) =>
  key.startsWith('_') ? { id: Number(key.slice(1)) } : { client_id: key }

export type Op = { op: 'create' | 'update' | 'delete'; noun: Noun; set?: Fields; was?: Fields }
export type Result = {
  index: number
  outcome: 'created' | 'updated' | 'unchanged' | 'deleted' | 'duplicate' | 'conflict' | 'gone' | 'invalid'
  id?: number
  data?: Row
  errors?: Errors
}

/** Sends operations, in parts if necessary, and returns each with its outcome. */
export async function push<Item extends { op: Op }>(call: Call, items: Item[]) {
  // Parts refer to rows that earlier parts have created.
  const isParent = ({ op }: Item) => op.op === 'create' && op.noun !== 'transaction'
  return pushInOrder(call, [...items.filter(isParent), ...items.filter((item) => !isParent(item))])
}

type Done<Item> = (Item & { result: Result })[]

async function pushInOrder<Item extends { op: Op }>(call: Call, items: Item[]): Promise<Done<Item>> {
  if (items.length === 0) return []
  const ops = items.map(({ op }) => op)
  const answer = ops.length <= 500 ? await call('POST', '/changes', { ops }) : undefined
  const { results, errors } = answer?.body ?? {}
  if (results) return results.map((result) => ({ ...(items[result.index] as Item), result: settled(result) }))
  if (items.length === 1)
    return items.map((item) => ({ ...item, result: { index: 0, outcome: 'invalid', errors: errors ?? {} } }))
  const half = Math.ceil(items.length / 2)
  return [...(await pushInOrder(call, items.slice(0, half))), ...(await pushInOrder(call, items.slice(half)))]
}

/** A spent client id belonged to a row that landed and has been deleted since. */
const settled = (result: Result): Result =>
  result.errors?.client_id ? { ...result, outcome: 'gone' } : result

const together = ['type', 'account_id', 'to_account_id']
const groupsOf = (fields: Fields) =>
  [
    together,
    ...Object.keys(fields)
      .filter((field) => !together.includes(field))
      .map((field) => [field]),
  ].map((group) => group.filter((field) => field in fields))
const differ = (group: string[], a: Fields, b: Fields) =>
  group.some((field) => (a[field] ?? null) !== (b[field] ?? null))

/** The fields that differ; of those that go together, either all do or none. */
export const changed = (was: Fields, now: Fields) =>
  groupsOf(now)
    .filter((group) => differ(group, was, now))
    .flat()

export const pick = (fields: Fields, names: string[]) =>
  Object.fromEntries(names.map((name) => [name, fields[name] ?? null]))

/** A field that only one side has changed is as that side has it. If both have, theirs stays, and `clash` is told. */
export function merge(
  was: Fields | undefined,
  mine: Fields,
  theirs: Fields,
  clash: (names: string[]) => void,
) {
  const merged = { ...theirs }
  for (const group of groupsOf(mine)) {
    if (!differ(group, mine, theirs) || (was && !differ(group, mine, was))) continue
    if (was && !differ(group, theirs, was)) Object.assign(merged, pick(mine, group))
    else clash(group)
  }
  return merged
}
