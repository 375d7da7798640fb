import { asc, eq, sql } from 'drizzle-orm'
import { defaultFeedSize, type FeedQuery } from '../../contract/changes.ts'
import { isTooBig } from '../../db/errors.ts'
import { type Owner, prepareLookup } from '../../db/owner.ts'
import { requireComplete } from '../../db/ownership.ts'
import { rowsOf, type Slots } from '../../db/prepared.ts'
import type { ResultOf } from '../../db/run.ts'
import { accounts } from '../../db/schema.ts'
import { type Draft, withErrors } from '../../domain/draft.ts'
import type { FieldErrors } from '../../domain/failures.ts'
import type { FeedCursor } from '../../domain/feed-cursor.ts'
import { addError } from '../../domain/field-errors.ts'
import type { Minor } from '../../domain/money.ts'
import { requireValid } from './cursor.ts'
import { changedTransactions, loggedChanges, pageOfLog } from './log.ts'
import type { Change } from './rows.ts'
import { type Ahead, aheadOf, nextAccounts, nextCategories, nextTransactions, pageOfWalk } from './walk.ts'

/** A page of the feed. The balances are those of all accounts; clients see them on the last page only. */
export type Feed = {
  changes: Change[]
  cursor: FeedCursor
  hasMore: boolean
  isSnapshot: boolean
  balances: { id: number; balance: Minor }[]
}

/**
 * Where a page begins: after a cursor, or at the `start` of everything. `now` asks for no changes, only for a cursor.
 */
export type FeedRequest = { from: FeedCursor | 'start' | 'now'; limit: number; epoch: number }

/** Returns a page of the user's feed of changes. Throws Invalid, CursorExpired. */
export async function pullChanges(owner: Owner, draft: Draft<FeedQuery>, epoch: number): Promise<Feed> {
  const { cursor, start, limit = defaultFeedSize } = await requireComplete(owner, unambiguous(draft))
  const from = cursor ?? start ?? 'start'
  return withSmallerPages(limit, async (limit) =>
    feedOf({ from, limit, epoch }, await owner.lookUp(feedStatement(owner, { from, limit, epoch }))),
  )
}

/** This many rows of each kind fit into one answer of the database, even with the longest texts. */
const smallestPage = 100

/** Reads a page of `limit` rows, or of fewer if their texts are too much for one answer of the database. */
export async function withSmallerPages<T>(limit: number, read: (limit: number) => Promise<T>): Promise<T> {
  try {
    return await read(limit)
  } catch (error) {
    if (!isTooBig(error) || limit <= smallestPage) throw error
    return await withSmallerPages(Math.max(smallestPage, Math.floor(limit / 3)), read)
  }
}

type PageLookup = { rows: number; after?: number | undefined; ahead?: Ahead | undefined }

const lookup = prepareLookup((owner, { rows, after, ahead }: Slots<PageLookup>) => {
  const none = sql<[]>`'[]'`.mapWith(() => [])
  const hasNews = after && sql`${owner.lastChange} > ${after}`
  const { accountsAfter, categoriesAfter, before } = ahead ?? {}
  return {
    changed: after ? rowsOf(changedTransactions(owner, after, rows), hasNews) : none,
    logged: after ? rowsOf(loggedChanges(owner, after, rows), hasNews) : none,
    accounts: accountsAfter ? rowsOf(nextAccounts(owner, accountsAfter, rows)) : none,
    categories: categoriesAfter ? rowsOf(nextCategories(owner, categoriesAfter, rows)) : none,
    transactions: before ? rowsOf(nextTransactions(owner, before, rows)) : none,
    balances: rowsOf(
      owner.db
        .select({ id: accounts.id, balance: accounts.balance })
        .from(accounts)
        .where(eq(accounts.userId, owner.id))
        .orderBy(asc(accounts.id)),
    ),
  }
})

/** The statement that reads a page: `Owner.lookUp` runs it alone, `Owner.run` after other statements. See `feedOf`. */
export function feedStatement(owner: Owner, { from, limit }: FeedRequest) {
  // One more than the page holds shows whether there are more.
  const rows = limit + 1
  if (from === 'now') return lookup(owner, { rows })
  if (from === 'start') return lookup(owner, { rows, ahead: aheadOf(undefined) })
  return lookup(owner, from.walk ? { rows, ahead: aheadOf(from.walk) } : { rows, after: from.seq })
}

/** Makes a page from what `feedStatement` has found. Throws CursorExpired. */
export function feedOf({ from, limit, epoch }: FeedRequest, found: FoundPage): Feed {
  const { user, lastChange, balances } = found
  const cursor = typeof from === 'string' ? { epoch, userId: user.id, seq: lastChange } : from
  requireValid(cursor, epoch, found)
  if (from === 'now') return { changes: [], cursor, hasMore: false, isSnapshot: false, balances }
  if (from === 'start' || from.walk) {
    const { changes, walk } = pageOfWalk({ ...found, profile: from === 'start' ? user : undefined }, limit)
    const hasMore = walk !== undefined || cursor.seq < lastChange
    return { changes, cursor: { ...cursor, walk }, hasMore, isSnapshot: true, balances }
  }
  const { changes, seq } = pageOfLog(found, limit)
  return { changes, cursor: { ...cursor, seq }, hasMore: seq < lastChange, isSnapshot: false, balances }
}

export type FoundPage = ResultOf<ReturnType<typeof feedStatement>>[number]

/** Refuses a cursor together with `start`, since one of them would have to be ignored. */
function unambiguous(draft: Draft<FeedQuery>): Draft<FeedQuery> {
  const errors: FieldErrors = {}
  if (draft.values.cursor && draft.values.start)
    addError(errors, 'start', 'The :field field must not be given together with cursor.')
  return withErrors(draft, errors)
}
