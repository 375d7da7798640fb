import { and, asc, eq, sql } from 'drizzle-orm'
import { checkColumns } from '../balance-checks/read.ts'
import { jsonRow } from '../database/json-row.ts'
import type { User, UserScope } from '../database/owner.ts'
import type { ResultOf } from '../database/run.ts'
import { accounts, balanceChecks, categories, recurringRules, transactions } from '../database/schema.ts'
import { ruleColumns } from '../recurring/read.ts'
import { transactionColumns } from '../transactions/read.ts'
import { nounsBefore, type SnapshotRow } from './cursor.ts'
import { type Change, changesOfTransactions, feedAccountColumns, feedCategoryColumns } from './rows.ts'

/*
 * A snapshot consists of profile, accounts, categories, recurring transactions, balance checks, and then transactions from the newest to the oldest. It finds
 * every row that existed when it began and has not changed since; the log then has all the others.
 */

/** Where the remaining rows begin; kinds that have been sent are missing. */
export type Remaining = {
  after: { [Noun in (typeof nounsBefore)[number]]?: number }
  before: { date: string; id: number }
}

/** The rows that remain after a row. */
export function remainingAfter(row: SnapshotRow | undefined): Remaining {
  if (row?.noun === 'transaction') return { after: {}, before: { date: row.date, id: row.id } }
  const nouns = row ? nounsBefore.slice(nounsBefore.indexOf(row.noun)) : nounsBefore
  const after = Object.fromEntries(nouns.map((noun) => [noun, noun === row?.noun ? row.id : 0]))
  return { after, before: { date: '9999-12-31', id: 0 } }
}

type Table = typeof accounts | typeof categories | typeof recurringRules
/** The user's rows after one. The plus keeps SQLite from walking through all users'. */
const isNext = ({ id }: UserScope, table: Table, after: number) =>
  and(eq(table.userId, id), sql`+${table.id} > ${after}`)
const byId = ({ id }: Table) => asc(sql`+${id}`)

/** The user's next accounts, at most `rows` of them. */
export const nextAccounts = (owner: UserScope, after: number, rows: number) =>
  owner.db
    .select(feedAccountColumns)
    .from(accounts)
    .where(isNext(owner, accounts, after))
    .orderBy(byId(accounts))
    .limit(rows)

/** The user's next categories, at most `rows` of them. */
export const nextCategories = (owner: UserScope, after: number, rows: number) =>
  owner.db
    .select(feedCategoryColumns)
    .from(categories)
    .where(isNext(owner, categories, after))
    .orderBy(byId(categories))
    .limit(rows)

/** The user's next recurring transactions, at most `rows` of them: there are few. */
export const nextRules = (owner: UserScope, after: number, rows: number) =>
  owner.db
    .select(ruleColumns)
    .from(recurringRules)
    .where(isNext(owner, recurringRules, after))
    .orderBy(byId(recurringRules))
    .limit(rows)

/** The user's next balance checks, at most `rows` of them: there are few, which are found by their accounts. */
export function nextChecks(owner: UserScope, after: number, rows: number) {
  return owner.db
    .select(checkColumns)
    .from(accounts)
    .crossJoin(balanceChecks)
    .where(
      and(
        eq(accounts.userId, owner.id),
        eq(balanceChecks.accountId, accounts.id),
        sql`${balanceChecks.id} > ${after}`,
      ),
    )
    .orderBy(asc(balanceChecks.id))
    .limit(rows)
}

/** The user's next transactions, at most `rows` of them. */
export function nextTransactions(owner: UserScope, before: { date: string; id: number }, rows: number) {
  const isAhead = sql`(${transactions.transactionDate}, ${transactions.id}) < (${before.date}, ${before.id})`
  return owner.db
    .select({ row: jsonRow(transactionColumns) })
    .from(transactions)
    .where(and(eq(transactions.userId, owner.id), isAhead))
    .orderBy(sql`${transactions.transactionDate} desc`, sql`${transactions.id} desc`)
    .limit(rows)
}

type Found = {
  accounts: ResultOf<ReturnType<typeof nextAccounts>>
  categories: ResultOf<ReturnType<typeof nextCategories>>
  rules: ResultOf<ReturnType<typeof nextRules>>
  checks: ResultOf<ReturnType<typeof nextChecks>>
  transactions: ResultOf<ReturnType<typeof nextTransactions>>
  balances: { id: number }[]
  /** Only on the first page. */
  profile: User | undefined
}

/**
 * The first `limit` of the rows found, and the last of these, undefined at the end of the snapshot. `limit` + 1 rows of each
 * kind must have been requested.
 */
export function pageOfSnapshot(
  found: Found,
  limit: number,
): { changes: Change[]; lastRow: SnapshotRow | undefined } {
  const changeOf = changesOfTransactions(found.balances)
  const rows: { at: SnapshotRow; change: Change | undefined }[] = [
    ...(found.profile ? [profileStep(found.profile)] : []),
    ...found.accounts.map((row) => step({ noun: 'account', id: row.id, row })),
    ...found.categories.map((row) => step({ noun: 'category', id: row.id, row })),
    ...found.rules.map((row) => step({ noun: 'recurring', id: row.id, row })),
    ...found.checks.map((row) => step({ noun: 'balance_check', id: row.id, row })),
    ...found.transactions.map(({ row }) => ({
      at: { noun: 'transaction', id: row.id, date: row.transactionDate } as const,
      change: changeOf(row),
    })),
  ]
  const page = rows.slice(0, limit)
  return {
    changes: page.flatMap(({ change }) => change ?? []),
    lastRow: rows.length > limit ? page.at(-1)?.at : undefined,
  }
}

function step(change: Extract<Change, { noun: 'account' | 'category' | 'recurring' | 'balance_check' }>) {
  return { at: { noun: change.noun, id: change.id }, change }
}

/** The profile comes before the first account. */
function profileStep(row: User) {
  const change: Change = { noun: 'profile', id: row.id, row }
  return { at: { noun: 'account', id: 0 } as const, change }
}
