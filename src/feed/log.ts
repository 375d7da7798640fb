import { and, asc, eq, gt, sql } from 'drizzle-orm'
import { checkColumns } from '../balance-checks/read.ts'
import { jsonRow } from '../database/json-row.ts'
import { hasLiveAccount } from '../database/live-accounts.ts'
import type { User, UserScope } from '../database/owner.ts'
import type { ResultOf } from '../database/run.ts'
import { accounts, balanceChecks, categories, recurringRules, transactions } from '../database/schema.ts'
import { ruleColumns } from '../recurring/read.ts'
import { transactionColumns } from '../transactions/read.ts'
import { type Change, changesOfTransactions, feedAccountColumns, feedCategoryColumns } from './rows.ts'

/**
 * The user's transactions that have changed since change number `after`, at most `rows` of them, in the order of their
 * last changes.
 */
export function changedTransactions(owner: UserScope, after: number, rows: number) {
  return owner.db
    .select({ row: jsonRow(transactionColumns) })
    .from(transactions)
    .where(and(eq(transactions.userId, owner.id), gt(transactions.seq, after)))
    .orderBy(asc(transactions.seq))
    .limit(rows)
}

/**
 * The next entries of the log, at most `rows`, grouped by the row that they are about: the row as it is now, the number
 * of its last entry among them, and how many there are.
 */
export function loggedChanges(owner: UserScope, after: number, rows: number) {
  const entries = sql`
    select seq, noun, row_id from changes where user_id = ${owner.id} and seq > ${after} order by seq limit ${rows}`
  const idOf = (noun: Change['noun']) => sql`iif(log.noun = ${sql.raw(`'${noun}'`)}, log.row_id, null)`
  return owner.db
    .select({
      seq: sql<number>`log.seq`,
      noun: sql<Change['noun'] | 'forgotten'>`log.noun`,
      id: sql<number>`log.row_id`,
      entries: sql<number>`log.entries`,
      isThere: sql<number>`coalesce(${accounts.userId}, ${categories.userId}) is not null`,
      account: feedAccountColumns,
      category: feedCategoryColumns,
      transaction: transactionColumns,
      check: checkColumns,
      rule: ruleColumns,
    })
    .from(
      sql`(select max(seq) as seq, noun, row_id, count(*) as entries from (${entries}) group by noun, row_id) log`,
    )
    .leftJoin(accounts, and(eq(accounts.id, idOf('account')), eq(accounts.userId, owner.id)))
    .leftJoin(categories, and(eq(categories.id, idOf('category')), eq(categories.userId, owner.id)))
    .leftJoin(transactions, and(eq(transactions.id, idOf('transaction')), eq(transactions.userId, owner.id)))
    .leftJoin(
      recurringRules,
      and(eq(recurringRules.id, idOf('recurring')), eq(recurringRules.userId, owner.id)),
    )
    .leftJoin(
      balanceChecks,
      and(eq(balanceChecks.id, idOf('balance_check')), eq(balanceChecks.userId, owner.id), hasLiveAccount),
    )
}

type Logged = ResultOf<ReturnType<typeof loggedChanges>>
type Found = {
  changed: ResultOf<ReturnType<typeof changedTransactions>>
  logged: Logged
  balances: { id: number }[]
  user: User
  lastChange: number
}

/**
 * The first `limit` of the changes found, and `seq`, the next cursor: every change up to that number is among them.
 * `limit` + 1 rows must have been requested.
 */
export function pageOfLog({ changed, logged, balances, user, lastChange }: Found, limit: number) {
  const changeOf = changesOfTransactions(balances)
  const isLogged = new Set(logged.map(({ seq }) => seq))
  const entries = [
    // A transaction that moved to another account is in the log too, under the same number (transaction_move_logged).
    ...changed.flatMap(({ row }) => (isLogged.has(row.seq) ? [] : [{ seq: row.seq, change: changeOf(row) }])),
    ...logged.map((entry) => ({ seq: entry.seq, change: loggedChange(entry, user, changeOf) })),
  ].sort((a, b) => a.seq - b.seq)
  // There may be others beyond the last row of a full result.
  const completeUpTo = Math.min(
    changed.length > limit ? lastOf(changed.map(({ row }) => row)) : lastChange,
    logged.reduce((sum, entry) => sum + entry.entries, 0) > limit ? lastOf(logged) : lastChange,
  )
  const page = entries.filter(({ seq }) => seq <= completeUpTo)
  const seq = page.length > limit ? (page[limit - 1]?.seq ?? completeUpTo) : completeUpTo
  const changes = page.slice(0, limit).flatMap(({ change }) => change ?? [])
  return { changes: atLastPlaces(changes), seq }
}

/** Each row once: one that was moved and later changed is both in the log and among the transactions. */
function atLastPlaces(changes: Change[]): Change[] {
  const last = new Map(changes.map((change) => [`${change.noun} ${change.id}`, change]))
  return changes.filter((change) => last.get(`${change.noun} ${change.id}`) === change)
}

function lastOf(rows: { seq: number }[]): number {
  return Math.max(...rows.map(({ seq }) => seq))
}

function loggedChange(
  { noun, id, isThere, account, category, transaction, check, rule }: Logged[number],
  user: User,
  changeOf: ReturnType<typeof changesOfTransactions>,
): Change | undefined {
  if (noun === 'profile') return { noun, id, row: user }
  if (noun === 'transaction') return (transaction && changeOf(transaction)) ?? { noun, id, row: null }
  if (noun === 'account') return { noun, id, row: isThere ? account : null }
  if (noun === 'category') return { noun, id, row: isThere ? category : null }
  if (noun === 'recurring') return { noun, id, row: rule }
  if (noun === 'balance_check') return { noun, id, row: check }
  return undefined
}
