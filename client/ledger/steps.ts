import type { Copy } from './copy.ts'
import type { WriteOptions } from './entered.ts'
import { exceptionField, skipped } from './exceptions.ts'
import { enteredFields } from './fields.ts'
import type { PendingUpdate } from './memory.ts'
import { type AffectedTransaction, type Change, type Fields, type Named, textOf } from './pending.ts'
import { withinPeriods } from './reconciled.ts'
import type { Renames } from './revive.ts'
import type { Key, Noun } from './rows.ts'
import type { Shown } from './shown-row.ts'
import { idOf } from './store.ts'
import { type Done, renameDone, undoWorkOf } from './undo.ts'
import { affectedBy, fieldsIn } from './view.ts'

export type Row = Fields & { key: Key }

/** The most steps that can be undone. */
const maxSteps = 100

/** The user's steps since the ledger was opened, each of which can be undone. */
export function stepsOf(copy: Copy) {
  const { pending, view, write } = copy
  let steps: Done[][] = []

  return {
    /** Performs works as one step. `others` are restored with the account or category that it deletes. */
    async perform(
      given: PendingUpdate[],
      { others = [], override_reconciled }: WriteOptions & { others?: AffectedTransaction[] } = {},
    ): Promise<void> {
      const works = withinPeriods(copy, given, override_reconciled)
      const before = works.map(({ noun, key }) => {
        const row = findRow(copy, noun, key)
        const fieldsBefore = row && enteredFields(noun, row)
        return { noun, key, pendingBefore: pending.get(idOf({ noun, key })), fieldsBefore }
      })
      const written = write(works)
      const step = before.map((one) => {
        const fieldsAfter = fieldsIn(view(), one.noun, one.key)
        const own = fieldsAfter || one.noun === 'transaction' ? [] : others
        const pendingAfter = textOf(pending.get(idOf(one)))
        return { ...one, pendingAfter, fieldsAfter, others: own, isOverride: override_reconciled }
      })
      steps = [...steps, step].slice(-maxSteps)
      try {
        await written
      } catch (error) {
        steps = steps.filter((one) => one !== step)
        throw error
      }
    },

    /** Undoes the last step. False if there is none. One that was an override needs no other. Throws LedgerError. */
    async undo({ override_reconciled }: WriteOptions = {}): Promise<boolean> {
      const step = steps.pop()
      if (!step) return false
      try {
        const consequences = step.flatMap(({ noun, key, fieldsBefore }) =>
          fieldsBefore ? [] : consequencesOf(copy, noun, key),
        )
        const reopened = step.flatMap((done) => (done.fieldsBefore ? [] : changeOfSkip(copy, done, false)))
        const works = [
          ...consequences,
          ...step.map((done) => undoWorkOf(copy, step, done)).reverse(),
          ...reopened,
        ]
        await write(
          withinPeriods(copy, works, override_reconciled || step.some(({ isOverride }) => isOverride)),
        )
      } catch (error) {
        steps.push(step)
        throw error
      }
      return true
    },

    /** Puts the new keys of restored rows into the steps. */
    rename(renames: Renames): void {
      for (const done of steps.flat()) renameDone(done, renames)
    },
  }
}

/**
 * The change that skips the occurrence that a transaction is, as the service does when it deletes one: that of an unsent one
 * it does not learn of. Undoing the creation of a sent one opens it again.
 */
export function changeOfSkip(
  { stored, view, updateOf }: Copy,
  { noun, key }: Named,
  skip: boolean,
): PendingUpdate[] {
  const isServed = stored().rows.get(noun, key) !== undefined
  const { recurring_id: rule, occurrence_date: date } = (view().get('transaction', key) ?? {}) as Partial<
    Shown['transaction']
  >
  if (noun !== 'transaction' || !rule || !date || isServed === skip) return []
  const field = exceptionField(date)
  const [set, was] = skip ? [skipped, null] : [null, skipped]
  return [updateOf('recurring', rule, { op: 'update', set: { [field]: set }, was: { [field]: was } })]
}

/** A row as it is shown, or a rejected transaction that is not shown, since its account is gone. */
export function findRow({ pending, view }: Copy, noun: Noun, key: Key): Row | undefined {
  const isRejected = pending.get(`${noun} ${key}`)?.errors
  const hidden = isRejected && noun === 'transaction' ? view().edited(key) : undefined
  return (view().get(noun, key) ?? hidden) as Row | undefined
}

/**
 * Further changes for the deletion of a row that was never sent. The service does not know the row, so the transactions
 * of an account are deleted here, and those of a category lose it here.
 */
export function consequencesOf(
  { pending, view, updateOf }: Copy,
  noun: Noun,
  key: Key,
  others = affectedBy(view(), noun, key),
): PendingUpdate[] {
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
