import type { CalendarDate } from './dates.ts'

/** By how much an account's balance changes, in minor units, from a day on. */
export type Movement<Account> = { account: Account; day: CalendarDate; amount: bigint }

/** The day of a starting balance: before all others. */
export const dayOfStart: CalendarDate = '0000-00-00'

/** A transaction as it moves balances. The days are those of the bank. */
export type Moving<Account> = {
  type: unknown
  amount: bigint
  account: Account
  toAccount: Account | null
  day: CalendarDate
  toDay: CalendarDate
}

/** The movements of a transaction: one for each of its accounts. */
export function movementsOf<Account>(row: Moving<Account>): Movement<Account>[] {
  const { type, amount, account, toAccount, day, toDay } = row
  const own = { account, day, amount: type === 'income' ? amount : -amount }
  return toAccount === null ? [own] : [own, { account: toAccount, day: toDay, amount }]
}

/** What remains of movements after those that cancel each other: `before` is taken back, `after` is made. */
export function netMovements<Account>(
  before: Movement<Account>[],
  after: Movement<Account>[],
): Movement<Account>[] {
  const sums = new Map<string, Movement<Account>>()
  const takenBack = before.map((one) => ({ ...one, amount: -one.amount }))
  for (const one of [...takenBack, ...after]) {
    const key = `${one.day} ${one.account}`
    sums.set(key, { ...one, amount: (sums.get(key)?.amount ?? 0n) + one.amount })
  }
  return [...sums.values()].filter(({ amount }) => amount !== 0n)
}

/** The last day of the reconciled periods in which balances would change; undefined if there is none. */
export function lockedThrough<Account>(
  movements: Pick<Movement<Account>, 'account' | 'day'>[],
  throughOf: (account: Account) => CalendarDate | null | undefined,
): CalendarDate | undefined {
  return movements
    .flatMap(({ account, day }) => {
      const through = throughOf(account)
      return through && through >= day ? [through] : []
    })
    .toSorted()
    .at(-1)
}
