import type { SyncMessage } from '../../../src/queues/queues.ts'
import { type Call, ifOwn, type Operation, request, type Turn } from './calls.ts'
import { shownBatch } from './shown.ts'
import type { Batch, Item, Outcome, State } from './state.ts'
import { areDuplicates, asSent, created, isValid, newItem } from './transactions.ts'

type Upload = { items: Item[]; isLenient: boolean; key: string | null }

export const batchOperations: Operation[] = [
  {
    name: 'upload a batch',
    weight: 9,
    plan(turn) {
      const { dice } = turn
      const items = Array.from({ length: dice.from(1, 6) }, () => newItem(turn))
      const key = dice.of([null, null, null, 'k1', 'k2']) as string | null
      return upload(turn, { items, isLenient: dice.isOnceIn(3), key })
    },
  },
  {
    name: 'upload a batch again',
    weight: 2,
    plan(turn) {
      const batch = turn.dice.of(turn.state.of(turn.state.batches, turn.person.id))
      if (!batch) return
      return upload(turn, {
        items: batch.sent,
        isLenient: batch.isLenient,
        key: turn.dice.isOnceIn(2) ? batch.key : null,
      })
    },
  },
  { name: 'deliver a batch', weight: 9, plan: deliver },
]

export const showBatch: Operation = {
  name: 'show a batch',
  weight: 2,
  plan(turn) {
    const id = turn.dice.of(turn.state.batches.keys()) ?? crypto.randomUUID()
    return request(turn, 'GET', `/api/transactions/sync/${id}`, {}, (state) =>
      ifOwn('Sync batch', state.batches.get(id), turn, (batch) => ({ status: 200, body: shownBatch(batch) })),
    )
  },
}

function upload(turn: Turn, { items, isLenient, key }: Upload): Call {
  const { person, dice } = turn
  const isAsync = dice.isOnceIn(2)
  const preferences = [...(isLenient ? ['handling=lenient'] : []), ...(isAsync ? ['respond-async'] : [])]
  const headers = {
    ...(preferences.length > 0 && { Prefer: preferences.join(', ') }),
    ...(key !== null && { 'Idempotency-Key': key }),
  }
  const options = { body: { transactions: items.map(asSent) }, headers }
  const call = request(turn, 'POST', '/api/transactions/sync', options, (state, { body }) => {
    const earlier = key !== null && state.of(state.batches, person.id).find((batch) => batch.key === key)
    if (earlier) return repeated(state, earlier, { items, isLenient, key })
    const isGood = items.map((item) => isAcceptable(state, person.id, item))
    if (isGood.includes(false) && !isLenient)
      return { status: 422, body: { refused: [...isGood.keys()].filter((nth) => !isGood[nth]) } }
    const batch = accepted(person.id, body?.sync_id, { items, isLenient, key }, state, isGood)
    const next = state.after((next) => next.batches.set(batch.id, batch))
    const isOnly = !state.of(state.batches, person.id).some(({ status }) => status === 'pending')
    // The service may queue any batch: if another is under way, or if it would push a figure past its bounds.
    const isDone = !isAsync && isOnly && body?.batch?.status === 'completed'
    const after = isDone ? processed(next, batch, body.batch.items) : next
    return { status: 200, body: { batch: shownBatch(after.batches.get(batch.id) as Batch) }, next: after }
  })
  const send = async () => {
    const { status, body } = await call.send()
    const batch = body.sync_id && (await person.get(`/api/transactions/sync/${body.sync_id}`)).body
    return { status, body: { ...body, batch, refused: refusedItems(body.errors) } }
  }
  return { ...call, send }
}

/** A key with the same items is the same batch, which is tried again if it has failed; with others it is an error. */
function repeated(state: State, earlier: Batch, { items, isLenient }: Upload) {
  if (isLenient !== earlier.isLenient || text(items) !== text(earlier.sent)) return { status: 422 }
  const expected = { status: 200, body: { sync_id: earlier.id } }
  if (earlier.status !== 'failed') return expected
  const again = earlier.items.map((item) =>
    item.outcome === 'failed' ? { ...item, outcome: 'pending' } : item,
  )
  const next = state.after((next) =>
    next.batches.set(earlier.id, { ...earlier, status: 'pending', items: again }),
  )
  return { ...expected, next }
}

const text = (items: Item[]) => JSON.stringify(items.map(asSent))

/** The items that a 422 names. */
function refusedItems(errors: Record<string, string[]> = {}): number[] {
  const named = Object.keys(errors).map((path) => Number(path.split('.')[1]))
  return [...new Set(named)].sort((a, b) => a - b)
}

/** An item must be valid or have been created before, so that a device that lost the response can drop it. */
function isAcceptable(state: State, userId: number, item: Item): boolean {
  if (item.amount > 0n && state.withClientId(userId, item.client_id)) return true
  return isValid(state, userId, item) && !state.spent.has(`${userId} ${item.client_id}`)
}

/** A new batch: bad items of a lenient one are invalid, and a batch without good ones is complete. */
function accepted(
  userId: number,
  id: string,
  { items, ...upload }: Upload,
  state: State,
  isGood: boolean[],
): Batch {
  const isOwn = (category: number | null) => state.categories.get(category ?? 0)?.user_id === userId
  return {
    id,
    user_id: userId,
    ...upload,
    sent: items,
    status: isGood.includes(true) ? 'pending' : 'completed',
    items: items.map((item, nth) => ({
      ...item,
      category_id: isGood[nth] && isOwn(item.category_id) ? item.category_id : null,
      outcome: isGood[nth] ? 'pending' : 'invalid',
      transaction_id: null,
    })),
  }
}

/** Delivers a message about a batch of the user: once, twice, to two consumers at once, or so that it comes again. */
function deliver({ world, person, state, dice }: Turn): Call | undefined {
  const isOwn = ({ batch_id }: SyncMessage) => state.batches.get(batch_id)?.user_id === person.id
  const message = dice.of(world.queuedSyncs.filter(isOwn))
  if (!message) return
  const { batch_id: id } = message
  const isTaken = !dice.isOnceIn(4)
  const deliveries = dice.of<SyncMessage[][]>([[[message]], [[message, message]], [[message], [message]]])
  const send = async () => {
    if (isTaken) world.queuedSyncs.splice(world.queuedSyncs.indexOf(message), 1)
    const results = await Promise.all(
      (deliveries ?? []).map((messages) => world.deliver(messages, 'purse-sync')),
    )
    if (results.some(({ retryMessages }) => retryMessages.length > 0))
      throw new Error('The consumer retries a message')
    return person.get(`/api/transactions/sync/${id}`)
  }
  return {
    text: `deliver ${id} ${deliveries?.map(({ length }) => length)}`,
    send,
    expect(state, { body }) {
      const batch = state.batches.get(id) as Batch
      const next = processed(state, batch, body.items)
      return { status: 200, body: shownBatch(next.batches.get(id) as Batch), next }
    },
  }
}

/** The state after a batch was processed: all items that are still valid are created, unless a figure passes its bounds. */
function processed(state: State, batch: Batch, shown: Outcome[]): State {
  if (batch.status !== 'pending') return state
  const next = state.after(() => {})
  const items = batch.items.map((item) => ({ ...item }))
  const known = absorbed(state, batch.user_id, items)
  for (const [nth, item] of items.entries()) {
    if (item.outcome !== 'pending') continue
    const isGood = known.has(item) || isAcceptable(state, batch.user_id, item)
    const same = known.get(item) ?? next.withClientId(batch.user_id, item.client_id)
    if (!isGood) item.outcome = 'failed'
    else if (same) Object.assign(item, { outcome: 'duplicate', transaction_id: same.id })
    else {
      const { outcome: _, transaction_id: __, ...fields } = item
      // The service gives no ids where it creates nothing.
      const id = shown[nth]?.transaction_id ?? -1 - nth
      const transaction = created(id, batch.user_id, fields, true)
      next.transactions.set(transaction.id, transaction)
      Object.assign(item, { outcome: 'created', transaction_id: transaction.id })
    }
  }
  const isInBounds = next.isInBounds(batch.user_id)
  const failed = batch.items.map((item) =>
    item.outcome === 'pending' ? { ...item, outcome: 'failed' } : item,
  )
  return (isInBounds ? next : state).after((after) =>
    after.batches.set(batch.id, {
      ...batch,
      status: isInBounds ? 'completed' : 'failed',
      items: isInBounds ? items : failed,
    }),
  )
}

/**
 * Items that repeat a transaction, with it; each transaction stands for one item. An item with a reference takes a
 * transaction with that one, then one without; once all of those have chosen, items without a reference take what is
 * left, transactions without one first.
 */
function absorbed(state: State, userId: number, items: (Item & Outcome)[]) {
  const found = new Map<Item, { id: number }>()
  const sent = items.flatMap(({ outcome, client_id }) => (outcome === 'pending' ? [client_id] : []))
  const free = state
    .of(state.transactions, userId)
    .filter(({ client_id }) => client_id === null || !sent.includes(client_id))
    .sort((a, b) => a.id - b.id)
  const choose = (hasReference: boolean, references: (item: Item) => (string | null | undefined)[]) => {
    for (const item of items) {
      const { outcome, client_id, force, reference } = item
      if (outcome !== 'pending' || client_id !== null || force || found.has(item)) continue
      if ((reference !== null) !== hasReference || !isValid(state, userId, item)) continue
      const equal = free.filter((one) => areDuplicates(one, item))
      for (const wanted of references(item)) {
        const match = equal.find((one) => wanted === undefined || one.reference === wanted)
        if (!match || found.has(item)) continue
        found.set(item, match)
        free.splice(free.indexOf(match), 1)
      }
    }
  }
  choose(true, ({ reference }) => [reference])
  choose(true, () => [null])
  choose(false, () => [null, undefined])
  return found
}
