import type { Copy, Work } from './copy.ts'
import { type Creatable, type Entered, fieldsOf, LedgerError, readEntered } from './entered.ts'
import { type Renames, renamed } from './revive.ts'
import type { Key, Noun } from './rows.ts'
import type { Shown } from './shown-row.ts'
import { idOf } from './store.ts'
import {
  type Change,
  deletes,
  type Fields,
  fold,
  groupOf,
  type Named,
  newWaiting,
  type Other,
  pick,
  type Waiting,
  withoutUnchanged,
} from './waiting.ts'

/** What a step did to a row: what waited, and what was shown, before and after. */
type Done = Named & {
  before: Waiting | undefined
  after: string
  was: Fields | undefined
  is: Fields | undefined
  /** What comes back with a row that was deleted. */
  others: Other[]
}
type Row = Fields & { key: Key }

/** The most steps that can be undone. */
const mostUndone = 100

/** What a person does to rows, in steps that can be undone. */
export function editsOf(
  { waiting, stored, view, nextAt, write }: Copy,
  newKey: () => Key,
  keyOf: (noun: Creatable, name: Key | number) => Key,
  userId: number,
) {
  let steps: Done[][] = []

  /** Does something as a step that can be undone. */
  async function act(works: Work[]): Promise<void> {
    const before = works.map(({ noun, key }) => ({
      ...{ noun, key, before: waiting.get(idOf({ noun, key })), was: fieldsNow(noun, key) },
      others: othersOf(noun, key),
    }))
    const written = write(works)
    const step = before.map((one) => {
      const is = fieldsNow(one.noun, one.key)
      return { ...one, after: textOf(waiting.get(idOf(one))), is, others: is ? [] : one.others }
    })
    steps = [...steps, step].slice(-mostUndone)
    try {
      await written
    } catch (error) {
      steps = steps.filter((one) => one !== step)
      throw error
    }
  }

  function fieldsNow(noun: Noun, key: Key): Fields | undefined {
    const row = view().get(noun, key)
    return row && pick(row as unknown as Fields, fieldsOf(noun))
  }

  function rowOf(noun: Noun, name: Key | number): Row {
    const row = view().get(noun, noun === 'profile' ? String(userId) : keyOf(noun, name))
    if (!row) throw new LedgerError(`There is no ${noun} ${name}.`)
    return row as unknown as Row
  }

  /** The transactions that go with an account, and those that name a category. */
  function othersOf(noun: Noun, key: Key): Other[] {
    const { listed } = view()
    if (noun === 'category')
      return listed.filter((row) => row.category_id === key).map(({ key }) => ({ key }))
    const own = noun === 'account' ? listed.filter((row) => isOf(row, key)) : []
    return own.map(({ key }) => ({ key, set: fieldsNow('transaction', key) as Fields }))
  }

  /** The work of folding a change into what waits for a row. */
  function workOf(noun: Noun, key: Key, change: Change): Work {
    const at = nextAt()
    return { noun, key, change: (one) => fold(one ?? newWaiting(noun, key, at), change) }
  }

  /**
   * What else changes when a row that was never sent is deleted. The service cannot know of it, so here the transactions
   * of an account are deleted too, and those of a category lose it.
   */
  function consequencesOf(noun: Noun, key: Key): Work[] {
    if (waiting.get(`${noun} ${key}`)?.next?.op !== 'create') return []
    const lost: Change = { op: 'update', set: { category_id: null }, was: { category_id: key }, again: true }
    return othersOf(noun, key).map(({ key, set: was }) =>
      workOf('transaction', key, was ? { op: 'delete', set: {}, was } : lost),
    )
  }

  /** The work of undoing what a step did to a row: as if it had never been done or, if some of it has been sent, a change. */
  function undoWorkOf(done: Done): Work {
    const { noun, key, before, after } = done
    const change = undoChangeOf(done)
    const work = change && workOf(noun, key, change)
    return {
      ...{ noun, key },
      change(one) {
        if (textOf(one) === after) return before
        // The person has since kept a row that they had deleted.
        const isKept = change?.op === 'create' && !deletes(one) && stored().rows.get(noun, key)
        return work && !isKept ? work.change(one) : one
      },
    }
  }

  /** The change that undoes what a step did to a row. What has been changed since stays as it is. */
  function undoChangeOf({ noun, key, was, is, others }: Done): Change | undefined {
    if (!was) {
      if (noun === 'account' && view().listed.some((row) => isOf(row, key)))
        throw new LedgerError('The account has transactions.')
      return is && { op: 'delete', set: {}, was: is }
    }
    const { category_id: category } = was
    const isLost = typeof category === 'string' && !view().get('category', category)
    const set: Fields = isLost ? { ...was, category_id: null } : was
    if (!is) return { op: 'create', set, was: {}, others }
    const now = fieldsNow(noun, key)
    const own = Object.keys(is).filter((field) => now && was[field] !== is[field] && now[field] === is[field])
    const fields = own.flatMap(groupOf)
    return withoutUnchanged({ op: 'update', set: pick(set, fields), was: pick(is, fields) })
  }

  return {
    edits: {
      /** Makes a row, and returns its key. Throws LedgerError. */
      async create<N extends Creatable>(noun: N, fields: Entered[N]): Promise<Key> {
        const key = newKey()
        await act([workOf(noun, key, { op: 'create', set: readEntered(fields, keyOf), was: {} })])
        return key
      },

      /** Changes the fields that are given. Throws LedgerError. */
      async update<N extends Noun>(noun: N, name: Key | number, fields: Partial<Entered[N]>): Promise<void> {
        const row = rowOf(noun, name)
        const given = readEntered(fields, keyOf)
        const set: Fields = { ...pick({ ...row }, Object.keys(given).flatMap(groupOf)), ...given }
        // Only a transfer has a destination.
        if (noun === 'transaction' && 'type' in set && set.type !== 'transfer' && !('to_account_id' in given))
          set.to_account_id = null
        const change = withoutUnchanged({ op: 'update', set, was: pick(row, Object.keys(set)) })
        if (change) await act([workOf(noun, row.key, change)])
      },

      /** Deletes a row; with an account, its transactions. Throws LedgerError. */
      async remove(noun: Creatable, name: Key | number): Promise<void> {
        const row = rowOf(noun, name)
        const removal = workOf(noun, row.key, { op: 'delete', set: {}, was: pick(row, fieldsOf(noun)) })
        await act([...consequencesOf(noun, row.key), removal])
      },

      /**
       * Undoes the last create, update or remove since the ledger was opened. False if there is none. Throws LedgerError if
       * it was the creation of an account that has transactions by now.
       */
      async undo(): Promise<boolean> {
        const step = steps.pop()
        if (!step) return false
        try {
          const consequences = step.flatMap(({ noun, key, was }) => (was ? [] : consequencesOf(noun, key)))
          await write([...consequences, ...step.map(undoWorkOf).reverse()])
        } catch (error) {
          steps.push(step)
          throw error
        }
        return true
      },
    },

    /** Gives rows that have come back their new keys in the steps. */
    renameSteps(renames: Renames): void {
      for (const done of steps.flat()) {
        done.key = renames.get(idOf(done)) ?? done.key
        done.was &&= renamed(done.was, renames)
        done.is &&= renamed(done.is, renames)
        for (const other of done.others) {
          other.key = renames.get(`transaction ${other.key}`) ?? other.key
          other.set &&= renamed(other.set, renames)
        }
      }
    },
  }
}

const isOf = (row: Shown['transaction'], account: Key): boolean =>
  row.account_id === account || row.to_account_id === account

const textOf = (waiting: Waiting | undefined): string => JSON.stringify(waiting ?? null)
