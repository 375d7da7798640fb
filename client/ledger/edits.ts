import type { Copy } from './copy.ts'
import { type Creatable, type Entered, LedgerError } from './entered.ts'
import { fieldsOf } from './fields.ts'
import type { FindKey } from './keys.ts'
import type { PendingUpdate } from './memory.ts'
import { type Fields, groupOf, pick, withoutUnchanged } from './pending.ts'
import type { Key, Noun } from './rows.ts'
import { consequencesOf, findRow, type Row, type stepsOf } from './steps.ts'
import { validatorOf } from './validate.ts'
import { affectedBy } from './view.ts'

type EditOptions = {
  newId: () => string
  keyOf: FindKey
  /** The date in the user's time zone. */
  today: () => string
  userId: number
  steps: ReturnType<typeof stepsOf>
}

/** Writes to rows, in steps that can be undone. */
export function editsOf(copy: Copy, { newId, keyOf, today, userId, steps }: EditOptions) {
  const { view, updateOf } = copy
  const validate = validatorOf(copy, keyOf, today)

  function rowOf(noun: Noun, name: Key | number): Row {
    const row = findRow(copy, noun, noun === 'profile' ? String(userId) : keyOf(noun, name))
    if (!row) throw new LedgerError(`There is no ${noun} ${name}.`)
    return row
  }

  /** The change of a row to the given fields; undefined if they are what it has. */
  function changeOf<N extends Noun>(
    noun: N,
    row: Row,
    fields: Partial<Entered[N]>,
  ): PendingUpdate | undefined {
    const given = validate.update(noun, row, fields)
    const set: Fields = { ...pick({ ...row }, Object.keys(given).flatMap(groupOf)), ...given }
    const change = withoutUnchanged({ op: 'update', set, was: pick(row, Object.keys(set)) })
    // Unlike a creation, a change may leave a transaction without a category.
    const category = noun === 'transaction' && { mayLackCategory: true }
    return change && updateOf(noun, row.key, { ...change, ...category })
  }

  async function create<N extends Creatable>(noun: N, fields: Entered[N]): Promise<Key> {
    const set = validate.create(noun, fields)
    const key = validate.newKey(noun, newId())
    await steps.perform([updateOf(noun, key, { op: 'create', set, was: {} })])
    return key
  }

  return {
    /** Makes a row, and returns its key. Throws LedgerError. */
    create,

    /** Checks a balance, and returns the key of the check, even of one that has this balance already. Throws LedgerError. */
    addCheck: async (fields: Entered['balance_check']): Promise<Key> =>
      validate.sameCheck(fields) ?? create('balance_check', fields),

    /** Changes the fields that are given, of one row or of several in one step. Throws LedgerError. */
    async update<N extends Noun>(
      noun: N,
      names: Key | number | readonly (Key | number)[],
      fields: Partial<Entered[N]>,
    ): Promise<void> {
      const all = typeof names === 'object' ? names : [names]
      const rows = new Map(all.map((name) => rowOf(noun, name)).map((row) => [row.key, row]))
      const works = [...rows.values()].flatMap((row) => changeOf(noun, row, fields) ?? [])
      if (works.length > 0) await steps.perform(works)
    },

    /** Deletes a row; with an account, its transactions. Throws LedgerError. */
    async remove(noun: Creatable, name: Key | number): Promise<void> {
      const row = rowOf(noun, name)
      const removal = updateOf(noun, row.key, { op: 'delete', set: {}, was: pick(row, fieldsOf(noun)) })
      const others = affectedBy(view(), noun, row.key)
      await steps.perform([...consequencesOf(copy, noun, row.key, others), removal], others)
    },

    /**
     * Undoes the last create, update or remove since the ledger was opened. False if there is none. Throws LedgerError if
     * it was the creation of an account that has transactions by now.
     */
    undo: steps.undo,
  }
}
