import type { FieldErrors, NewAccount, NewCategory, NewTransaction, User } from '../api.ts'
import { channelOf } from '../channel.ts'
import type { PurseClient } from '../create.ts'
import { browserLocks, type Locks, localLocks } from '../locks.ts'
import { newClientId } from '../new-id.ts'
import { bearerOf } from '../owner.ts'
import type { LedgerStorage } from '../storage.ts'
import { readAmount } from './money.ts'
import {
  type Change,
  deletes,
  type Fields,
  fold,
  giveIn,
  groupOf,
  insist,
  type Named,
  newWaiting,
  type Other,
  pick,
  type Value,
  type Waiting,
  withoutUnchanged,
} from './pending.ts'
import { queued } from './queued.ts'
import { readsOf } from './reads.ts'
import { type Renames, renamed, revive } from './revive.ts'
import type { Key, Noun } from './rows.ts'
import { type Entry, idOf, partsOf, readOthers, readStored, waitingEntry } from './store.ts'
import { type Desk, type LedgerReport, synchronise, syncLimits } from './sync.ts'
import { type Shown, viewOf } from './view.ts'

export type LedgerOptions = {
  client: Pick<PurseClient, 'api' | 'tokens'>
  storage: LedgerStorage
  /** Whose ledger it is: on a shared device each person has their own. */
  userId: number
  /** Default: the browser's locks, shared by its tabs, or else locks of this page alone: open only one tab then. */
  locks?: Locks
  newId?: () => string
  /** Milliseconds since 1970. It decides which month is the current one, and nothing else. */
  now?: () => number
  limits?: typeof syncLimits
}

/** What a person enters: accounts and categories are named by their keys or ids. */
export type Entered = {
  profile: Partial<Pick<User, 'name' | 'timezone' | 'reminder_time'>>
  account: NewAccount
  category: NewCategory
  transaction: Omit<
    NewTransaction,
    'client_id' | 'force' | 'account_id' | 'to_account_id' | 'category_id'
  > & {
    account_id: Key | number
    to_account_id?: Key | number | null
    category_id?: Key | number | null
  }
}
type Made = Exclude<Noun, 'profile'>

/** Both values of each field; `mine` is null where the person has deleted the row, `theirs` if somebody else has. */
export type LedgerConflict = Named & { fields: string[]; mine: Fields | null; theirs: Fields | null }
export type LedgerRejection = Named & { op: Change['op']; set: Fields; errors: FieldErrors }

/** A row is not there, or what was entered cannot be kept: `errors` says why, by field. Nothing was changed. */
export class LedgerError extends Error {
  override readonly name = 'LedgerError'
  readonly errors: FieldErrors

  constructor(message: string, errors: FieldErrors = {}) {
    super(message)
    this.errors = errors
  }
}

export type Ledger = Awaited<ReturnType<typeof localLedger>>

type Work = Named & { change: (waiting: Waiting | undefined) => Waiting | undefined }
/** What was done to a row: what waited, and what was shown, before and after. */
type Done = Named & {
  before: Waiting | undefined
  after: string
  was: Fields | undefined
  is: Fields | undefined
  /** What comes back with a row that was deleted. */
  others: Other[]
}

/** Of all ledgers of this page, where the platform has none for all tabs. */
const pageLocks = /* @__PURE__ */ localLocks()

/** The most steps that can be undone. */
const mostUndone = 100

/** What the person has seen of a row that they delete. */
const fieldsOf: Record<Noun, string[]> = {
  profile: ['name', 'timezone', 'reminder_time'],
  account: ['name', 'type', 'starting_balance', 'notes'],
  category: ['name', 'type'],
  transaction: [
    ...['type', 'account_id', 'to_account_id', 'category_id', 'amount', 'transaction_date'],
    ...['description', 'reference'],
  ],
}

/**
 * Opens the copy of a user's data on the device, with what waits to be sent. Reads answer at once and need no network;
 * writes are shown at once, and stored when their promise resolves. Throws LedgerVersionError, and what the storage
 * throws.
 */
export async function localLedger({ client, storage, userId, ...options }: LedgerOptions) {
  const { newId = newClientId, now = Date.now, limits = syncLimits } = options
  const locks = options.locks ?? browserLocks() ?? pageLocks
  const base = `purse/${userId}/ledger/`
  const bearer = bearerOf(client, userId)
  const listeners = new Set<() => void>()
  let stored = await readStored(storage, base)
  /** What waits: what is stored, changed by what is about to be stored. */
  const pending = new Map(stored.waiting)
  let unstored: Work[] = []
  let undoable: Done[][] = []
  const cameBack: Renames = new Map()
  let view = viewOf(stored.rows, pending, userId)
  const { keyOf, ...reads } = readsOf(
    () => view,
    () => stored.rows,
    now,
    cameBack,
  )

  const newKey = () => `#${newId()}`
  const nextAt = () =>
    1 + [...stored.waiting.values(), ...pending.values()].reduce((last, one) => Math.max(last, one.at), 0)
  let channel = channelOf(base, () => refresh().catch(() => undefined))
  // If there is no room for it, it stays where it is until there is.
  await takeQueue().catch(() => undefined)

  function notify(): void {
    for (const listener of listeners) listener()
  }

  function refresh(): Promise<void> {
    return locks.request(`${base}state`, takeOthers)
  }

  /** Takes over what an offline queue has left in the storage: all at once, so that it is never in both. */
  async function takeQueue(): Promise<void> {
    const name = `purse/${userId}`
    if ((await storage.list(`${name}/item/`)).length === 0) return
    const work = async () => {
      const { taken, keys } = await queued(storage, name, newKey)
      await commit(
        () => {
          const first = nextAt()
          return taken.map((one, nth) => keep({ ...one, at: first + nth }))
        },
        keys.map((key) => [key, null]),
      )
      for (const one of taken) show(one)
      notify()
    }
    await locks.request(name, () => locks.request(`${name}/items`, work))
  }

  /** Keeps what waits for a row in memory; returns what stores it. */
  function keep(one: Waiting): Entry {
    stored.waiting.set(idOf(one), one)
    return waitingEntry(idOf(one), one)
  }

  /** Brings up to date what waits for a row. */
  function recompute(id: string): void {
    const works = unstored.filter((work) => idOf(work) === id)
    const waiting = works.reduce((one, { change }) => change(one), stored.waiting.get(id))
    if (waiting) pending.set(id, waiting)
    else pending.delete(id)
  }

  /** Takes what other tabs have stored. */
  async function takeOthers(): Promise<void> {
    const fresh = await readOthers(storage, base, stored)
    if (!fresh) return
    const ids = new Set([...stored.waiting.keys(), ...fresh.waiting.keys()])
    const hasNewRows = fresh.rows !== stored.rows
    stored = fresh
    for (const id of ids) recompute(id)
    if (hasNewRows) view = viewOf(stored.rows, pending, userId)
    else for (const id of ids) view.show(...partsOf(id))
    notify()
  }

  function commit(work: () => Entry[], others: Entry[] = []): Promise<void> {
    return locks.request(`${base}state`, async () => {
      await takeOthers()
      try {
        const entries = work()
        const renames = bringBack(entries)
        const { meta, blocks } = stored
        meta.revision += 1
        for (const [key, value] of entries) {
          if (!key.startsWith('rows/')) continue
          meta.rows = meta.revision
          if (value === null) blocks.delete(key)
          else blocks.add(key)
        }
        const all: Entry[] = [...entries, ['meta', JSON.stringify(meta)]]
        await storage.write([...all.map(([key, value]): Entry => [`${base}${key}`, value]), ...others])
        renameSteps(renames)
      } catch (error) {
        // Memory is ahead of the storage now: the next commit begins by reading what is stored.
        stored.meta.revision = -1
        stored.meta.rows = -1
        throw error
      }
    })
  }

  /** Makes new rows of deleted ones that come back, adds what stores them, and returns their new keys. */
  function bringBack(entries: Entry[]): Renames {
    const { touched, renames } = revive(stored, newKey, nextAt())
    for (const id of touched) {
      recompute(id)
      view.touch(...partsOf(id))
      entries.push(waitingEntry(id, stored.waiting.get(id)))
    }
    if (touched.size > 0) view.update()
    return renames
  }

  /** Lets steps, and whoever has the old keys, name rows that have come back by their new ones, and tells of these. */
  function renameSteps(renames: Renames): void {
    if (renames.size === 0) return
    for (const [id, key] of renames) cameBack.set(id, key)
    for (const done of undoable.flat()) {
      done.key = renames.get(idOf(done)) ?? done.key
      done.was &&= renamed(done.was, renames)
      done.is &&= renamed(done.is, renames)
      for (const other of done.others) {
        other.key = renames.get(`transaction ${other.key}`) ?? other.key
        other.set &&= renamed(other.set, renames)
      }
    }
    notify()
  }

  /** Changes what waits: at once in memory, and in the storage when this resolves. */
  async function write(works: Work[]): Promise<void> {
    unstored.push(...works)
    for (const work of works) show(work)
    try {
      notify()
      await commit(() => {
        unstored = unstored.filter((work) => !works.includes(work))
        return works.map((work) => {
          const id = idOf(work)
          const waiting = work.change(stored.waiting.get(id))
          if (waiting) stored.waiting.set(id, waiting)
          else stored.waiting.delete(id)
          return waitingEntry(id, waiting)
        })
      })
      channel?.postMessage(null)
    } catch (error) {
      unstored = unstored.filter((work) => !works.includes(work))
      await refresh().catch(() => undefined)
      for (const work of works) show(work)
      notify()
      throw error
    }
  }

  function show(work: Named): void {
    recompute(idOf(work))
    view.show(work.noun, work.key)
  }

  /** Does something that can be undone. */
  function act(works: Work[]): Promise<void> {
    const before = works.map(({ noun, key }) => ({
      ...{ noun, key, before: pending.get(idOf({ noun, key })), was: fieldsNow(noun, key) },
      others: othersOf(noun, key),
    }))
    const written = write(works)
    const done = before.map((one) => {
      const is = fieldsNow(one.noun, one.key)
      return { ...one, after: textOf(pending.get(idOf(one))), is, others: is ? [] : one.others }
    })
    undoable = [...undoable, done].slice(-mostUndone)
    return written.catch((error) => {
      undoable = undoable.filter((step) => step !== done)
      throw error
    })
  }

  function fieldsNow(noun: Noun, key: Key): Fields | undefined {
    const row = view.get(noun, key)
    return row && pick(row as unknown as Fields, fieldsOf[noun])
  }

  /** The transactions that go with an account, and those that name a category. */
  function othersOf(noun: Noun, key: Key): Other[] {
    if (noun === 'category')
      return view.listed.filter((row) => row.category_id === key).map(({ key }) => ({ key }))
    const own = noun === 'account' ? view.listed.filter((row) => isOf(row, key)) : []
    return own.map(({ key }) => ({ key, set: fieldsNow('transaction', key) as Fields }))
  }

  /** The work of folding a change into what waits for a row. */
  function workOf(noun: Noun, key: Key, change: Change): Work {
    const at = nextAt()
    return { noun, key, change: (waiting) => fold(waiting ?? newWaiting(noun, key, at), change) }
  }

  function need(noun: Noun, name: Key | number): Fields & { key: Key } {
    const key = noun === 'profile' ? String(userId) : keyOf(noun, name)
    const row = view.get(noun, key)
    if (!row) throw new LedgerError(`There is no ${noun} ${name}.`)
    return row as unknown as Fields & { key: Key }
  }

  function updateOf(noun: Noun, row: Fields & { key: Key }, entered: object): Work | undefined {
    const given = read(entered)
    const set: Fields = { ...pick({ ...row }, Object.keys(given).flatMap(groupOf)), ...given }
    // Only a transfer has a destination.
    if (noun === 'transaction' && 'type' in set && set.type !== 'transfer' && !('to_account_id' in given))
      set.to_account_id = null
    const change = withoutUnchanged({ op: 'update', set, was: pick(row, Object.keys(set)) })
    return change && workOf(noun, row.key, change)
  }

  /**
   * What becomes of transactions if a row goes that the service cannot know of, since it has not been sent: they go with
   * an account, and lose a category.
   */
  function partingsOf(noun: Noun, category_id: Key): Work[] {
    if (pending.get(`${noun} ${category_id}`)?.next?.op !== 'create') return []
    const lost: Change = { op: 'update', set: { category_id: null }, was: { category_id }, again: true }
    return othersOf(noun, category_id).map(({ key, set: was }) =>
      workOf('transaction', key, was ? { op: 'delete', set: {}, was } : lost),
    )
  }

  /** Writes what was entered as the service will answer it. */
  function read(entered: object): Fields {
    const errors: FieldErrors = {}
    const fields = Object.entries(entered).flatMap(([field, value]) => {
      if (value === undefined) return []
      const read = readField(field, value)
      if (read === undefined) errors[field] = [`The ${field} is not valid.`]
      return [[field, read ?? null] as const]
    })
    if (Object.keys(errors).length > 0) throw new LedgerError('What was entered cannot be kept.', errors)
    return Object.fromEntries(fields)
  }

  function readField(field: string, value: unknown): Value | undefined {
    if (field === 'amount' || field === 'starting_balance') return readAmount(value)
    const text = typeof value === 'string' ? value.trim() || null : (value as Value)
    if (field === 'transaction_date') return /^\d{4}-\d\d-\d\d$/.test(String(text)) ? text : undefined
    if (text === null || !field.endsWith('_id')) return text
    return keyOf(field === 'category_id' ? 'category' : 'account', text as Key | number)
  }

  /** The work of taking back a step: as if it had never been done, unless some of it has been sent. */
  function inverseOf(done: Done): Work {
    const { noun, key, before, after } = done
    const change = counterOf(done)
    const work = change && workOf(noun, key, change)
    return {
      ...{ noun, key },
      change(one) {
        if (textOf(one) === after) return before
        // The person has since kept a row that they had deleted.
        const isKept = change?.op === 'create' && !deletes(one) && stored.rows.get(noun, key)
        return work && !isKept ? work.change(one) : one
      },
    }
  }

  /** The opposite change. What has been changed since stays as it is. */
  function counterOf({ noun, key, was, is, others }: Done): Change | undefined {
    if (!was) {
      if (noun === 'account' && view.listed.some((row) => isOf(row, key)))
        throw new LedgerError('The account has transactions.')
      return is && { op: 'delete', set: {}, was: is }
    }
    const { category_id: category } = was
    const isLost = typeof category === 'string' && !view.get('category', category)
    const set: Fields = isLost ? { ...was, category_id: null } : was
    if (!is) return { op: 'create', set, was: {}, others }
    const now = fieldsNow(noun, key)
    const own = Object.keys(is).filter((field) => now && was[field] !== is[field] && now[field] === is[field])
    const fields = own.flatMap(groupOf)
    return withoutUnchanged({ op: 'update', set: pick(set, fields), was: pick(is, fields) })
  }

  return {
    ...reads,

    /** Calls the listener whenever the answer of a read may have changed. Returns a function that ends this. */
    subscribe(listener: () => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    /** Makes a row, and returns its key. Throws LedgerError. */
    async create<N extends Made>(noun: N, fields: Entered[N]): Promise<Key> {
      const key = newKey()
      await act([workOf(noun, key, { op: 'create', set: read(fields), was: {} })])
      return key
    },

    /** Changes the fields that are given. Throws LedgerError. */
    async update<N extends Noun>(noun: N, name: Key | number, fields: Partial<Entered[N]>): Promise<void> {
      const work = updateOf(noun, need(noun, name), fields)
      if (work) await act([work])
    },

    /** Deletes a row; with an account, its transactions. Throws LedgerError. */
    async remove(noun: Made, name: Key | number): Promise<void> {
      const row = need(noun, name)
      const removal = workOf(noun, row.key, { op: 'delete', set: {}, was: pick(row, fieldsOf[noun]) })
      await act([...partingsOf(noun, row.key), removal])
    },

    /**
     * Takes back the last create, update or remove since the ledger was opened. False if there is none. Throws LedgerError
     * if it was the creation of an account that others have used since.
     */
    async undo(): Promise<boolean> {
      const done = undoable.pop()
      if (!done) return false
      try {
        const partings = done.flatMap(({ noun, key, was }) => (was ? [] : partingsOf(noun, key)))
        await write([...partings, ...done.map(inverseOf).reverse()])
      } catch (error) {
        undoable.push(done)
        throw error
      }
      return true
    },

    /** What waits to be sent, for a person or for a network; `row` is what is known of the row, also if it is deleted. */
    waiting: (): (Named & { row: Fields })[] =>
      [...pending.values()].map(({ noun, key, sent, next }) => ({
        ...{ noun, key },
        row: { ...(next ?? sent)?.was, ...view.served(noun, key), ...sent?.set, ...next?.set },
      })),

    /** What has met somebody else's change. It is shown as mine until the person decides. */
    conflicts(): LedgerConflict[] {
      return [...pending.values()]
        .filter((one) => one.conflict && !one.errors)
        .map(({ noun, key, conflict, next }) => {
          const fields = conflict ?? []
          const row = view.served(noun, key)
          const mine = next?.op === 'delete' ? null : pick(next?.set ?? {}, fields)
          return { noun, key, fields, mine, theirs: row ? pick(row, fields) : null }
        })
    },

    /** Decides a conflict: what the person did is done, unless somebody has changed the row again since. */
    keepMine: ({ noun, key, theirs }: LedgerConflict): Promise<void> =>
      write([{ noun, key, change: (one) => (one?.conflict ? insist(one, theirs) : one) }]),

    /** Decides a conflict: the fields stay as somebody else has them. What did not conflict, or came after, still waits. */
    keepTheirs: ({ noun, key, mine }: LedgerConflict): Promise<void> =>
      write([{ noun, key, change: (one) => (one?.conflict ? giveIn(one, mine) : one) }]),

    /** What the service has refused. `update` corrects it and lets it go again, `discard` drops it. */
    rejected(): LedgerRejection[] {
      return [...pending.values()]
        .filter((one) => one.errors !== null)
        .map(({ noun, key, next, errors }) => ({
          ...{ noun, key, errors: errors ?? {}, op: next?.op ?? 'update', set: next?.set ?? {} },
        }))
    },

    /** Drops what the service has refused. What may have landed before is still sent, to find out. */
    async discard({ noun, key }: Named): Promise<void> {
      const change: Work['change'] = (one) =>
        !one?.errors ? one : one.sent ? { ...one, next: null, errors: null } : undefined
      if (pending.get(idOf({ noun, key }))?.errors) await write([{ noun, key, change }])
    },

    /** Takes what other tabs have stored since. They say so by themselves where the platform has a BroadcastChannel. */
    refresh,

    /** Ends it: it no longer hears of other tabs. What waits stays. */
    close(): void {
      channel?.close()
      channel = undefined
    },

    /** Sends what waits and takes what has changed, one run at a time. It throws only what the storage throws. */
    sync(): Promise<LedgerReport> {
      let isReplaced = false
      const desk: Desk = {
        ...{ client, bearer, commit, limits, stored: () => stored },
        touch(noun, key) {
          recompute(`${noun} ${key}`)
          view.touch(noun, key)
        },
        touchAll() {
          isReplaced = true
        },
        show() {
          if (isReplaced) view = viewOf(stored.rows, pending, userId)
          else view.update()
          isReplaced = false
          notify()
          channel?.postMessage(null)
        },
      }
      // The copy in memory may be behind other tabs, or ahead of the storage if that has failed.
      const run = () => refresh().then(() => synchronise(desk))
      // If there is no room for what a queue has left, sending what waits here may make some.
      return locks.request(`${base}sync`, () =>
        takeQueue()
          .catch(() => run().then(takeQueue))
          .then(run),
      )
    },
  }
}

const isOf = (row: Shown['transaction'], account: Key): boolean =>
  row.account_id === account || row.to_account_id === account

const textOf = (waiting: Waiting | undefined): string => JSON.stringify(waiting ?? null)
