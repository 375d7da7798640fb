import type { Copy } from './copy.ts'
import {
  type Creatable,
  type Entered,
  type EnteredChanges,
  LedgerError,
  type WriteOptions,
} from './entered.ts'
import { enteredFields } from './fields.ts'
import type { FindKey } from './keys.ts'
import type { PendingUpdate } from './memory.ts'
import { type Fields, groupOf, pick, withoutUnchanged } from './pending.ts'
import type { Key, Noun } from './rows.ts'
import { changeOfSkip, consequencesOf, findRow, type Row, type stepsOf } from './steps.ts'
import type { validatorOf } from './validate.ts'
import { affectedBy } from './view.ts'

type EditOptions = {
  newId: () => string
  keyOf: FindKey
  validate: ReturnType<typeof validatorOf>
  userId: number
  steps: ReturnType<typeof stepsOf>
}

type Names = Key | number | readonly (Key | number)[]

/** Writes to rows, in steps that can be undone. */
export function editsOf(copy: Copy, { newId, keyOf, validate, userId, steps }: EditOptions) {
  const { view, updateOf } = copy

  const rowsOf = (noun: Noun, names: Names): Row[] => {
    const rows = [names].flat().map((name) => rowOf(noun, name as Key | number))
    return [...new Map(rows.map((row) => [row.key, row])).values()]
  }

  function rowOf(noun: Noun, name: Key | number): Row {
    const row = findRow(copy, noun, noun === 'profile' ? String(userId) : keyOf(noun, name))
    if (!row) throw new LedgerError(`There is no ${noun} ${name}.`)
    return row
  }

  /** The change of a row to the given fields; undefined if they are what it has. */
  function changeOf<N extends Noun>(noun: N, row: Row, fields: EnteredChanges<N>): PendingUpdate | undefined {
    const given = validate.update(noun, row, fields)
    const set: Fields = { ...pick({ ...row }, Object.keys(given).flatMap(groupOf)), ...given }
    const change = withoutUnchanged({ op: 'update', set, was: pick(row, Object.keys(set)) })
    // Unlike a creation, a change may leave a transaction without a category.
    const category = noun === 'transaction' && { mayLackCategory: true }
    return change && updateOf(noun, row.key, { ...change, ...category })
  }

  async function create<N extends Creatable>(
    noun: N,
    fields: Entered[N],
    options?: WriteOptions,
  ): Promise<Key> {
    const set = validate.create(noun, fields)
    const key = validate.newKey(noun, newId())
    await steps.perform([updateOf(noun, key, { op: 'create', set, was: {} })], options)
    return key
  }

  async function update<N extends Noun>(
    noun: N,
    names: Names,
    fields: EnteredChanges<N>,
    options?: WriteOptions,
  ): Promise<void> {
    const works = rowsOf(noun, names).flatMap((row) => changeOf(noun, row, fields) ?? [])
    if (works.length > 0) await steps.perform(works, options)
  }

  return {
    /** Makes a row, and returns its key. Throws LedgerError. */
    create,

    /** Checks a balance, and returns the key of the check, even of one that has this balance already. Throws LedgerError. */
    addCheck: async (fields: Entered['balance_check']): Promise<Key> =>
      validate.sameCheck(fields) ?? create('balance_check', fields),

    /** Changes the fields that are given, of one row or of several in one step. Throws LedgerError. */
    update,

    /** Reconciles an account through a day with a balance check that is ok, or opens its period (null). Throws LedgerError. */
    reconcile: (account: Key | number, day: string | null): Promise<void> =>
      update('account', account, { reconciled_through: day }),

    /** Deletes a row, with an account its transactions, or several transactions in one step. Throws LedgerError. */
    async remove<N extends Creatable>(
      noun: N,
      names: Key | number | (N extends 'transaction' ? readonly (Key | number)[] : never),
      options?: WriteOptions,
    ): Promise<void> {
      const rows = rowsOf(noun, names)
      const others = rows.flatMap(({ key }) => affectedBy(view(), noun, key))
      const consequences = rows.flatMap(({ key }) => [
        ...consequencesOf(copy, noun, key, others),
        ...changeOfSkip(copy, { noun, key }, true),
      ])
      const removals = rows.map((row) =>
        updateOf(noun, row.key, { op: 'delete', set: {}, was: enteredFields(noun, row) }),
      )
      if (rows.length > 0) await steps.perform([...consequences, ...removals], { ...options, others })
    },

    /**
     * Undoes the last create, update or remove since the ledger was opened. False if there is none. Throws LedgerError if
     * it was the creation of an account that has transactions by now.
     */
    undo: steps.undo,
  }
}
