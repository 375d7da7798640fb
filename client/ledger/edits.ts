import type { Copy, PendingUpdate } from './copy.ts'
import { type Creatable, type Entered, LedgerError } from './entered.ts'
import { fieldsOf } from './fields.ts'
import {
  type AffectedTransaction,
  type Change,
  type Fields,
  groupOf,
  pick,
  withoutUnchanged,
} from './pending.ts'
import type { Renames } from './revive.ts'
import type { Key, Noun } from './rows.ts'
import { idOf } from './store.ts'
import { type Done, renameDone, textOf, undoWorkOf } from './undo.ts'
import { validatorOf } from './validate.ts'

type Row = Fields & { key: Key }

/** The most steps that can be undone. */
const maxUndoSteps = 100

/** Writes to rows, in steps that can be undone. */
export function editsOf(
  copy: Copy,
  newId: () => string,
  keyOf: (noun: Creatable, name: Key | number) => Key,
  userId: number,
) {
  const { pending, view, updateOf, write } = copy
  const validate = validatorOf(copy, keyOf)
  let steps: Done[][] = []

  /** A row as it is shown, or a rejected transaction that is not shown, since its account is gone. */
  function find(noun: Noun, key: Key): Row | undefined {
    const isRefused = pending.get(`${noun} ${key}`)?.errors
    return (view().get(noun, key) ?? (isRefused && view().all(noun).get(key)) ?? undefined) as Row | undefined
  }

  /** Performs works as a step that can be undone. `others` are restored with the account or category that it deletes. */
  async function perform(works: PendingUpdate[], others: AffectedTransaction[] = []): Promise<void> {
    const before = works.map(({ noun, key }) => {
      const row = find(noun, key)
      const fieldsBefore = row && pick(row, fieldsOf(noun))
      return { noun, key, pendingBefore: pending.get(idOf({ noun, key })), fieldsBefore }
    })
    const written = write(works)
    const step = before.map((one) => {
      const fieldsAfter = view().fields(one.noun, one.key)
      const own = fieldsAfter || one.noun === 'transaction' ? [] : others
      return { ...one, pendingAfter: textOf(pending.get(idOf(one))), fieldsAfter, others: own }
    })
    steps = [...steps, step].slice(-maxUndoSteps)
    try {
      await written
    } catch (error) {
      steps = steps.filter((one) => one !== step)
      throw error
    }
  }

  function rowOf(noun: Noun, name: Key | number): Row {
    const row = find(noun, noun === 'profile' ? String(userId) : keyOf(noun, name))
    if (!row) throw new LedgerError(`There is no ${noun} ${name}.`)
    return row
  }

  /**
   * Further changes for the deletion of a row that was never sent. The service does not know the row, so the transactions
   * of an account are deleted here, and those of a category lose it here.
   */
  function consequencesOf(noun: Noun, key: Key, others = view().affectedBy(noun, key)): PendingUpdate[] {
    if (pending.get(`${noun} ${key}`)?.next?.op !== 'create') return []
    const lost: Change = {
      op: 'update',
      set: { category_id: null },
      was: { category_id: key },
      mayLackCategory: true,
    }
    return others.map(({ key, set: was }) =>
      updateOf('transaction', key, was ? { op: 'delete', set: {}, was } : lost),
    )
  }

  return {
    edits: {
      /** Makes a row, and returns its key. Throws LedgerError. */
      async create<N extends Creatable>(noun: N, fields: Entered[N]): Promise<Key> {
        const set = validate.create(noun, fields)
        const key = validate.newKey(noun, newId())
        await perform([updateOf(noun, key, { op: 'create', set, was: {} })])
        return key
      },

      /** Changes the fields that are given. Throws LedgerError. */
      async update<N extends Noun>(noun: N, name: Key | number, fields: Partial<Entered[N]>): Promise<void> {
        const row = rowOf(noun, name)
        const given = validate.update(noun, row, fields)
        const set: Fields = { ...pick({ ...row }, Object.keys(given).flatMap(groupOf)), ...given }
        const change = withoutUnchanged({ op: 'update', set, was: pick(row, Object.keys(set)) })
        // Unlike a creation, a change may leave a transaction without a category.
        const category = noun === 'transaction' && { mayLackCategory: true }
        if (change) await perform([updateOf(noun, row.key, { ...change, ...category })])
      },

      /** Deletes a row; with an account, its transactions. Throws LedgerError. */
      async remove(noun: Creatable, name: Key | number): Promise<void> {
        const row = rowOf(noun, name)
        const removal = updateOf(noun, row.key, { op: 'delete', set: {}, was: pick(row, fieldsOf(noun)) })
        const others = view().affectedBy(noun, row.key)
        await perform([...consequencesOf(noun, row.key, others), removal], others)
      },

      /**
       * Undoes the last create, update or remove since the ledger was opened. False if there is none. Throws LedgerError if
       * it was the creation of an account that has transactions by now.
       */
      async undo(): Promise<boolean> {
        const step = steps.pop()
        if (!step) return false
        try {
          const consequences = step.flatMap(({ noun, key, fieldsBefore }) =>
            fieldsBefore ? [] : consequencesOf(noun, key),
          )
          await write([...consequences, ...step.map((done) => undoWorkOf(copy, step, done)).reverse()])
        } catch (error) {
          steps.push(step)
          throw error
        }
        return true
      },
    },

    /** Puts the new keys of restored rows into the steps. */
    renameSteps(renames: Renames): void {
      for (const done of steps.flat()) renameDone(done, renames)
    },
  }
}
