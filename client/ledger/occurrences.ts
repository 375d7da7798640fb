import { formatMoney } from '../../src/domain/money.ts'
import { maxExceptions, occurrenceOn } from '../../src/domain/recurrence/occurrences.ts'
import type { Copy } from './copy.ts'
import { invalid, LedgerError, type WriteOptions } from './entered.ts'
import { exceptionField, exceptionsIn } from './exceptions.ts'
import type { FindKey } from './keys.ts'
import { creation, type Fields, pick, withoutUnchanged } from './pending.ts'
import type { Key } from './rows.ts'
import { requireRule } from './rules.ts'
import type { stepsOf } from './steps.ts'
import { mergedException, type validatorOf } from './validate.ts'

export type EditOptions = {
  newId: () => string
  keyOf: FindKey
  today: () => string
  steps: ReturnType<typeof stepsOf>
  validate: ReturnType<typeof validatorOf>
}

/** The differences of an occurrence from its rule; null removes one. */
export type LedgerException = {
  skip?: boolean | null
  amount?: string | number | null
  transaction_date?: string | null
  description?: string | null
}

/** Writes to the occurrences of recurring transactions, in steps that can be undone. */
export function occurrenceWritesOf(copy: Copy, { newId, keyOf, today, steps, validate }: EditOptions) {
  const { updateOf } = copy

  async function changeOccurrence(name: Key | number, date: string, changes: LedgerException): Promise<void> {
    const { row, recorded } = requireRule(copy, keyOf('recurring', name), date, today())
    const field = exceptionField(date)
    if (recorded.has(date)) throw new LedgerError('The occurrence is already recorded.')
    const own = pick({ ...row }, [field])
    const next = mergedException(own[field], changes, date)
    const others = exceptionsIn(row).filter(([other, one]) => one && other !== date)
    if (next && others.length >= maxExceptions)
      throw invalid({
        exceptions: [`A recurring transaction cannot have more than ${maxExceptions} exceptions.`],
      })
    const set = { [field]: next }
    const change = withoutUnchanged({
      op: 'update',
      set,
      was: { [field]: null, ...own },
    })
    if (change) await steps.perform([updateOf('recurring', row.key, change)])
  }

  return {
    /** Records an occurrence, and returns the key of its transaction, even of one that is there already. Throws LedgerError. */
    async recordOccurrence(name: Key | number, date: string, options?: WriteOptions): Promise<Key> {
      const rule = requireRule(copy, keyOf('recurring', name), date, today())
      const { row, occurring } = rule
      const known = rule.recorded.get(date)
      if (known) return known
      const { day, exception } = occurrenceOn(occurring, date)
      if (exception.skip) throw invalid({ date: ['The occurrence is skipped.'] })
      const key = validate.newKey('transaction', newId())
      const set: Fields = {
        ...pick({ ...row }, [
          'account_id',
          'to_account_id',
          'category_id',
          'type',
          'description',
          'reference',
        ]),
        amount: exception.amount === undefined ? row.amount : formatMoney(exception.amount),
        ...(exception.description !== undefined && { description: exception.description }),
        ...{ transaction_date: day, recurring_id: row.key, occurrence_date: date },
      }
      await steps.perform([updateOf('transaction', key, creation(set))], options)
      return key
    },

    /** Skips an occurrence. Throws LedgerError. */
    skipOccurrence: (name: Key | number, date: string): Promise<void> =>
      changeOccurrence(name, date, { skip: true }),

    /** Changes or skips one occurrence; null removes a difference. Throws LedgerError. */
    changeOccurrence,
  }
}
