import { asc, eq, sql } from 'drizzle-orm'
import { lastChange } from '../database/change-numbers.ts'
import { type Owner, type User, type UserScope, userColumns } from '../database/owner.ts'
import { requireComplete } from '../database/ownership.ts'
import type { Results } from '../database/run.ts'
import { accounts, users } from '../database/schema.ts'
import type { FieldErrors } from '../domain/field-errors.ts'
import { addError } from '../domain/field-errors.ts'
import type { Minor } from '../domain/money.ts'
import { type Draft, withErrors } from '../failures/draft.ts'
import { ResponseTooLarge } from '../failures/failures.ts'
import { defaultFeedSize, type FeedQuery } from './contract.ts'
import type { FeedCursor } from './cursor.ts'
import { requireValid } from './cursor-check.ts'
import { changedTransactions, loggedChanges, pageOfLog } from './log.ts'
import type { Change } from './rows.ts'
import {
  nextAccounts,
  nextCategories,
  nextChecks,
  nextRules,
  nextTransactions,
  pageOfSnapshot,
  type Remaining,
  remainingAfter,
} from './snapshot.ts'

/**
 * A page of the feed. The balances are those of all accounts; clients see them on the last page only, and the number of
 * transactions on those of a snapshot.
 */
export type Feed = {
  changes: Change[]
  cursor: FeedCursor
  hasMore: boolean
  isSnapshot: boolean
  balances: { id: number; balance: Minor; transactions: number }[]
}

/**
 * Where a page begins: after a cursor, or at the `start` of everything. `now` reads a cursor and no changes.
 */
export type FeedRequest = { from: FeedCursor | 'start' | 'now'; limit: number; epoch: number }

/** Returns a page of the user's feed of changes. Throws Invalid, CursorExpired. */
export async function pullChanges(owner: Owner, draft: Draft<FeedQuery>, epoch: number): Promise<Feed> {
  const { cursor, start, limit = defaultFeedSize } = await requireComplete(owner, unambiguous(draft))
  const from = cursor ?? start ?? 'start'
  return withSmallerPages(limit, async (limit) =>
    feedOf({ from, limit, epoch }, await owner.run(feedStatements(owner, { from, limit }))),
  )
}

/** This many rows of each kind fit into one response of the database, even with the longest texts. */
const smallestPage = 100

/** Reads a page of `limit` rows, or of fewer if their texts are too large for one response of the database. */
export async function withSmallerPages<T>(limit: number, read: (limit: number) => Promise<T>): Promise<T> {
  try {
    return await read(limit)
  } catch (error) {
    if (!(error instanceof ResponseTooLarge) || limit <= smallestPage) throw error
    return await withSmallerPages(Math.max(smallestPage, Math.floor(limit / 3)), read)
  }
}

/** The statements that read a page, for `feedOf`. They read the profile too, since those before them may have changed it. */
export function feedStatements(owner: UserScope, { from, limit }: Pick<FeedRequest, 'from' | 'limit'>) {
  // One more than the page holds shows whether there are more.
  const rows = limit + 1
  const { after, remaining } = placeOf(from)
  const { account, category, recurring, balance_check: check } = remaining?.after ?? {}
  return {
    profile: owner.db
      .select({ user: userColumns, lastChange: lastChange(sql`users.id`) })
      .from(users)
      .where(eq(users.id, owner.id)),
    changed: after === undefined ? [] : [changedTransactions(owner, after, rows)],
    logged: after === undefined ? [] : [loggedChanges(owner, after, rows)],
    nextAccounts: account === undefined ? [] : [nextAccounts(owner, account, rows)],
    nextCategories: category === undefined ? [] : [nextCategories(owner, category, rows)],
    nextRules: recurring === undefined ? [] : [nextRules(owner, recurring, rows)],
    nextChecks: check === undefined ? [] : [nextChecks(owner, check, rows)],
    nextTransactions: remaining ? [nextTransactions(owner, remaining.before, rows)] : [],
    balances: owner.db
      .select({ id: accounts.id, balance: accounts.balance, transactions: accounts.transactionCount })
      .from(accounts)
      .where(eq(accounts.userId, owner.id))
      .orderBy(asc(accounts.id)),
  }
}

/** Where to read: after a change of the log, or the remaining rows of a snapshot. */
function placeOf(from: FeedRequest['from']): { after?: number; remaining?: Remaining } {
  if (from === 'now') return {}
  if (from === 'start') return { remaining: remainingAfter(undefined) }
  return from.lastRow ? { remaining: remainingAfter(from.lastRow) } : { after: from.seq }
}

export type FoundPage = Results<ReturnType<typeof feedStatements>> & { user: User }

/** Makes a page from the results of `feedStatements`. Throws CursorExpired. */
export function feedOf({ from, limit, epoch }: FeedRequest, results: FoundPage): Feed {
  const { balances } = results
  const { user, lastChange } = results.profile[0] ?? { user: results.user, lastChange: 0 }
  const found = {
    user,
    balances,
    lastChange,
    changed: results.changed.flat(),
    logged: results.logged.flat(),
    accounts: results.nextAccounts.flat(),
    categories: results.nextCategories.flat(),
    rules: results.nextRules.flat(),
    checks: results.nextChecks.flat(),
    transactions: results.nextTransactions.flat(),
  }
  const cursor = typeof from === 'string' ? { epoch, userId: user.id, seq: lastChange } : from
  requireValid(cursor, epoch, found)
  if (from === 'now') return { changes: [], cursor, hasMore: false, isSnapshot: false, balances }
  if (from === 'start' || from.lastRow) {
    const { changes, lastRow } = pageOfSnapshot(
      { ...found, profile: from === 'start' ? user : undefined },
      limit,
    )
    const hasMore = lastRow !== undefined || cursor.seq < lastChange
    return { changes, cursor: { ...cursor, lastRow }, hasMore, isSnapshot: true, balances }
  }
  const { changes, seq } = pageOfLog(found, limit)
  return { changes, cursor: { ...cursor, seq }, hasMore: seq < lastChange, isSnapshot: false, balances }
}

/** Refuses a cursor together with `start`, since one of them would have to be ignored. */
function unambiguous(draft: Draft<FeedQuery>): Draft<FeedQuery> {
  const errors: FieldErrors = {}
  if (draft.values.cursor && draft.values.start)
    addError(errors, 'start', 'The :field field must not be given together with cursor.')
  return withErrors(draft, errors)
}
