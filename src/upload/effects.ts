import { eq, sql } from 'drizzle-orm'
import { type CheckRow, checkColumns } from '../balance-checks/read.ts'
import type { UserScope } from '../database/owner.ts'
import { accounts, balanceChecks } from '../database/schema.ts'
import type { Minor } from '../domain/money.ts'

/** What a dry run would move: balances of accounts, and checks that are ok and would not be. */
export type Effects = {
  balances: { id: number | null; clientId: string | null; before: Minor | null; after: Minor | null }[]
  broken: (CheckRow & { difference: bigint })[]
}

type Balance = { id: number; clientId: string | null; balance: Minor }
type Difference = CheckRow & { difference: string }
type Figures = { balances: Balance[]; differences: Difference[] }

/** Selects the balances of all accounts of the user. */
export const selectBalances = ({ db, id }: UserScope) =>
  db
    .select({ id: accounts.id, clientId: accounts.clientId, balance: accounts.balance })
    .from(accounts)
    .where(eq(accounts.userId, id))

const overEarlier = sql`over (partition by balance_checks.account_id order by balance_checks.date)`
/** The differences of all checks of an account in one pass; `differenceOfCheck` is about a single one. */
const difference = sql`(accounts.starting_balance - balance_checks.balance
  + (sum(balance_checks.moved >> 20) ${overEarlier}) * 1048576 + sum(balance_checks.moved & 1048575) ${overEarlier})`

/** Selects all checks of the user with their differences, in minor units as text. */
export const selectDifferences = ({ db, id }: UserScope) =>
  db
    .select({ ...checkColumns, difference: sql<string>`cast(${difference} as text)` })
    .from(accounts)
    .crossJoin(balanceChecks)
    .where(sql`${accounts.userId} = ${id} and ${balanceChecks.accountId} = ${accounts.id}`)

/** Compares the figures before and after. Accounts that would be new have no id. */
export function effectsOf(before: Figures, after: Figures): Effects {
  const [was, is] = [before, after].map(({ balances }) => new Map(balances.map((one) => [one.id, one]))) as [
    Map<number, Balance>,
    Map<number, Balance>,
  ]
  const moved = [...new Map([...was, ...is]).values()].flatMap(({ id, clientId }) => {
    const [from, to] = [was.get(id)?.balance ?? null, is.get(id)?.balance ?? null]
    return from === to ? [] : [{ id: from === null ? null : id, clientId, before: from, after: to }]
  })
  const wereOk = new Set(before.differences.flatMap((one) => (one.difference === '0' ? [one.id] : [])))
  const broken = after.differences
    .filter(({ id, difference }) => difference !== '0' && wereOk.has(id))
    .map((one) => ({ ...one, difference: BigInt(one.difference) }))
  return { balances: moved, broken }
}
