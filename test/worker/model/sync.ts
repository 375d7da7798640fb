import { sql } from 'drizzle-orm'
import * as fc from 'fast-check'
import type { SyncMessage } from '../../../src/shared/queues.ts'
import { openWorldDatabase } from '../laws/every-route.ts'
import type { World } from '../world.ts'
import {
  type Caller,
  claimed,
  idempotencyKey,
  keyHeader,
  type Made,
  type Outcome,
  operation,
  seldom,
  type Verdict,
} from './calls.ts'
import { isValid, land } from './rules.ts'
import { shownBatch } from './shown.ts'
import type { Batch, Item, State, User } from './state.ts'
import { asSent, item, itemOf } from './transactions.ts'

const unverified: Verdict = {
  status: 403,
  body: { message: 'Your email address is not verified.', requires_verified_email: true },
}

/** Refuses users who may not upload. */
export function verified(user: User, verdict: () => Verdict): Verdict {
  return user.isVerified ? verdict() : unverified
}

/** The batches of a user, or of somebody else. */
function batchOf({ stage, userId }: Caller, nth: number, isForeign = false): Batch | undefined {
  const batches = [...stage.state.batches.values()].filter(
    ({ user_id }) => (user_id === userId) === !isForeign,
  )
  const ids = batches.map(({ id }) => id)
  return stage.state.batches.get(stage.choose('batches', ids, nth) ?? '')
}

/** The items of a refused batch that were named. */
function namedItems(body: Outcome['body']): unknown {
  const keys = Object.keys(body?.errors ?? {})
  return [...new Set(keys.map((key) => Number(key.split('.')[1])))].sort((a, b) => a - b)
}

/** An item must keep the rules or have landed before, so that a phone that lost the answer can drop it. */
function isTakeable(state: State, user: User, item: Item): boolean {
  if (item.amount > 0n && state.rowWithClientId(user.id, item.client_id)) return true
  return isValid(state, user.id, item) && !state.isSpent(user.id, item.client_id)
}

/** A batch as it is accepted: bad items of a lenient one are invalid, and a batch without good ones is complete. */
function taken(
  state: State,
  items: Item[],
  isGood: boolean[],
  batch: Omit<Batch, 'items' | 'status'>,
): Batch {
  const isOwn = (category: number | null) => state.categories.get(category ?? 0)?.user_id === batch.user_id
  const judged = items.map((item, position) => ({
    ...item,
    category_id: isGood[position] && isOwn(item.category_id) ? item.category_id : null,
    outcome: isGood[position] ? 'pending' : 'invalid',
    transaction_id: null,
  }))
  return { ...batch, status: isGood.includes(true) ? 'pending' : 'completed', items: judged }
}

function uploaded(
  state: State,
  user: User,
  items: Item[],
  {
    key,
    sent,
    isLenient,
    mayLand,
  }: { key: string | null; sent: string; isLenient: boolean; mayLand: boolean },
  outcome: Outcome,
): Verdict {
  const earlier = key !== null && state.of(state.batches, user.id).find((batch) => batch.key === key)
  if (earlier && earlier.sent !== sent) return { status: 422 }
  if (earlier) {
    const again = state.after((next) => next.batches.set(earlier.id, pendingAgain(earlier)))
    return {
      status: 200,
      body: { sync_id: earlier.id },
      ...(earlier.status === 'failed' && { next: again }),
    }
  }
  const isGood = items.map((item) => isTakeable(state, user, item))
  const bad = [...isGood.keys()].filter((position) => !isGood[position])
  if (bad.length > 0 && !isLenient) {
    // Items that are invalid in themselves are all named, and so are those that the database refuses.
    return { status: 422, seen: namedItems(outcome.body), body: bad }
  }
  const id = outcome.body?.sync_id
  const batch = taken(state, items, isGood, { id, user_id: user.id, key, sent })
  const next = state.after((next) => next.batches.set(id, batch))
  const isOnly = !state.of(state.batches, user.id).some(({ status }) => status === 'pending')
  const found = outcome.learned as Became | undefined
  // Whether it landed is for the service to say: it is queued if another of its user is under way, or if it would push a
  // figure past its bounds.
  if (!mayLand || !isOnly || found?.status !== 'completed') return { status: 200, next }
  return {
    status: 200,
    next: processed(next, batch, (position) => found.items[position]?.transaction_id ?? null),
  }
}

function pendingAgain(batch: Batch): Batch {
  const items = batch.items.map((item) =>
    item.outcome === 'failed' ? { ...item, outcome: 'pending' } : item,
  )
  return { ...batch, status: 'pending', items }
}

/** The state after a batch was processed: items that break a rule by then have failed, the others have landed. */
function processed(state: State, batch: Batch, idFor: (position: number) => number | null): State {
  if (batch.status !== 'pending') return state
  const pending = [...batch.items.entries()].filter(([, item]) => item.outcome === 'pending')
  const landed = land(
    state,
    batch.user_id,
    pending.map(([, item]) => item),
    { is_synced: true, import_id: null },
    (index) => idFor(pending[index]?.[0] ?? 0),
  )
  const items = [...batch.items]
  for (const [index, [position, item]] of pending.entries()) {
    const outcome = landed.next ? landed.outcomes[index] : { outcome: 'failed', transaction_id: null }
    items[position] = { ...item, ...outcome }
  }
  const status = landed.next ? 'completed' : 'failed'
  return (landed.next ?? state).after((next) => next.batches.set(batch.id, { ...batch, status, items }))
}

export const syncOperations = [
  operation(
    'upload a batch',
    9,
    {
      items: fc.array(item, { minLength: 1, maxLength: 6 }),
      isLenient: seldom(3),
      mayLand: fc.boolean(),
      key: idempotencyKey,
    },
    (caller, drawn) => {
      const items = drawn.items.map((one) => itemOf(caller, one))
      return upload(caller, items, drawn)
    },
  ),

  operation(
    'upload a batch again',
    2,
    { nth: fc.nat(9), mayLand: fc.boolean(), keepsKey: fc.boolean() },
    (caller, drawn) => {
      const batch = batchOf(caller, drawn.nth)
      if (!batch) return
      const { items, isLenient } = JSON.parse(batch.sent, (name, value) =>
        name === 'amount' ? BigInt(value) : value,
      )
      return upload(caller, items, {
        isLenient,
        mayLand: drawn.mayLand,
        key: drawn.keepsKey ? batch.key : null,
      })
    },
  ),

  operation(
    'deliver a message',
    9,
    { nth: fc.nat(4), how: fc.constantFrom('once', 'twice', 'to two consumers'), comesAgain: seldom(4) },
    ({ stage }, { nth, how, comesAgain }) => {
      const { world, state } = stage
      const ids = world.queuedSyncs.map(({ batch_id }) => batch_id)
      const id = stage.choose('batches', ids, nth)
      const message = world.queuedSyncs.find(({ batch_id }) => batch_id === id)
      if (id === undefined || !message) return
      const send = async () => {
        if (!comesAgain) takeOut(world, message)
        await Promise.all(
          how === 'to two consumers'
            ? [deliver([message]), deliver([message])]
            : [deliver(how === 'twice' ? [message, message] : [message])],
        )
        return { status: 200, body: await whatBecame(world, id) }
      }
      const deliver = async (messages: SyncMessage[]) => {
        const { retryMessages } = await world.deliver(messages, 'purse-sync')
        if (retryMessages.length > 0) throw new Error('The consumer wants a message again')
      }
      const expect = (state: State, { body }: Outcome): Verdict => {
        const batch = state.batches.get(id)
        if (!batch) return { status: 200, body: { status: null, items: [] } }
        const next = processed(state, batch, (position) => body.items[position]?.transaction_id)
        const { status, items } = shownBatch(next.batches.get(id) as Batch)
        return { status: 200, body: { status, items: items.map(({ client_id: _, ...item }) => item) }, next }
      }
      const userId = state.batches.get(id)?.user_id ?? 0
      const made = ({ body }: Outcome) => rowsOf(body)
      return { text: `deliver ${id} ${how}`, userId, send, expect, made, clashes: ['leave'] }
    },
  ),
]

export const showBatch = operation(
  'show a batch',
  2,
  { nth: fc.nat(9), isForeign: seldom(15) },
  (caller, { nth, isForeign }) => {
    const id = batchOf(caller, nth, isForeign)?.id ?? crypto.randomUUID()
    return caller.request('GET', `/api/transactions/sync/${id}`, {}, (state, user) =>
      claimed('batches', state.batches.get(id), user, (batch) => ({ status: 200, body: shownBatch(batch) })),
    )
  },
)

function upload(
  caller: Caller,
  items: Item[],
  { isLenient, mayLand, key }: { isLenient: boolean; mayLand: boolean; key: string | null },
) {
  const preferences = [...(isLenient ? ['handling=lenient'] : []), ...(mayLand ? [] : ['respond-async'])]
  const headers = {
    ...(preferences.length > 0 && { Prefer: preferences.join(', ') }),
    ...keyHeader(key),
  }
  const sent = JSON.stringify({ items, isLenient }, (_, value) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  const call = caller.request(
    'POST',
    '/api/transactions/sync',
    { body: { transactions: items.map(asSent) }, headers },
    (state, user, outcome) =>
      verified(user, () => uploaded(state, user, items, { key, sent, isLenient, mayLand }, outcome)),
  )
  const send = async (): Promise<Outcome> => {
    const outcome = await call.send()
    const id = outcome.body?.sync_id
    return { ...outcome, ...(id && { learned: await whatBecame(caller.stage.world, id) }) }
  }
  const made = ({ body, learned }: Outcome): Made[] => [
    ['batches', body?.sync_id],
    ...rowsOf(learned as Became | undefined),
  ]
  return { ...call, send, made, clashes: ['leave'] }
}

const rowsOf = (became: Became | undefined): Made[] =>
  (became?.items ?? []).map(({ transaction_id }) => ['rows', transaction_id])

function takeOut({ queuedSyncs }: World, message: SyncMessage): void {
  const place = queuedSyncs.indexOf(message)
  if (place >= 0) queuedSyncs.splice(place, 1)
}

type Became = {
  status: string | null
  items: { index: number; outcome: string; transaction_id: number | null }[]
}

/**
 * What the database has of a batch, unless its user has left. It is read there, since there may be no valid token at
 * the moment.
 */
async function whatBecame(world: World, id: string): Promise<Became> {
  const db = openWorldDatabase(world)
  const [batches, items] = await db.batch([
    db.all<{ status: string }>(
      sql`select status from sync_batches where id = ${id} and user_id in (select id from users)`,
    ),
    db.all<{ index: number; outcome: string; transaction_id: number | null }>(
      sql`
        select key as "index", value ->> 0 as outcome, value ->> 1 as transaction_id
          from sync_batches batch cross join json_each(outcomes) where batch.id = ${id} order by key`,
    ),
  ])
  return batches[0] ? { status: batches[0].status, items } : { status: null, items: [] }
}
