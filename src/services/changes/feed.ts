import { asc, eq, sql } from 'drizzle-orm'
import { defaultFeedSize, type FeedQuery } from '../../contract/changes.ts'
import type { Results } from '../../db/batch.ts'
import { lastChange } from '../../db/changes.ts'
import { type Owner, prepareOwned, type User } from '../../db/owner.ts'
import { requireComplete } from '../../db/ownership.ts'
import type { Slots } from '../../db/prepared.ts'
import { accounts } from '../../db/schema.ts'
import { addError, type Draft, withErrors } from '../../domain/draft.ts'
import { CursorExpired, type FieldErrors } from '../../domain/failures.ts'
import type { FeedCursor } from '../../domain/feed-cursor.ts'
import type { Minor } from '../../domain/money.ts'
import { changedTransactions, loggedChanges, pageOfLog } from './log.ts'
import type { Change } from './rows.ts'
import { aheadOf, nextAccounts, nextCategories, nextTransactions, pageOfWalk } from './walk.ts'

/** A page of the feed. The balances of all accounts come with the last. */
export type Feed = {
  changes: Change[]
  cursor: FeedCursor
  hasMore: boolean
  isSnapshot: boolean
  balances: { id: number; balance: Minor }[]
}

/** What a page is asked for: what comes after a cursor; everything, without one; or `now`, nothing but a cursor. */
export type FeedRequest = { from: FeedCursor | 'start' | 'now'; limit: number; epoch: number }

/** Returns a page of the user's feed of changes. Throws Invalid, CursorExpired. */
export async function pullChanges(owner: Owner, draft: Draft<FeedQuery>, epoch: number): Promise<Feed> {
  const { cursor, start, limit = defaultFeedSize } = await requireComplete(owner, unambiguous(draft))
  const request: FeedRequest = { from: cursor ?? start ?? 'start', limit, epoch }
  const { user, ...found } = await owner.run(feedStatements(owner, request))
  return feedOf(request, found, user)
}

const read = prepareOwned((owner, { rows, after, ahead }: Slots<Asked>) => {
  const { accountsAfter, categoriesAfter, before } = ahead ?? {}
  return {
    lastChange: owner.db.select({ seq: lastChange(owner.id) }).from(sql`(select 1)`),
    changedTransactions: after ? [changedTransactions(owner, after, rows)] : [],
    loggedChanges: after ? [loggedChanges(owner, after, rows)] : [],
    nextAccounts: accountsAfter ? [nextAccounts(owner, accountsAfter, rows)] : [],
    nextCategories: categoriesAfter ? [nextCategories(owner, categoriesAfter, rows)] : [],
    nextTransactions: before ? [nextTransactions(owner, before, rows)] : [],
    balances: owner.db
      .select({ id: accounts.id, balance: accounts.balance })
      .from(accounts)
      .where(eq(accounts.userId, owner.id))
      .orderBy(asc(accounts.id)),
  }
})
type Asked = { rows: number; after?: number | undefined; ahead?: ReturnType<typeof aheadOf> | undefined }

/**
 * The statements that read a page, for `Owner.run`, alone or after others in the same transaction. `feedOf` makes the
 * page of their results.
 */
export function feedStatements(owner: Owner, { from, limit }: FeedRequest) {
  const rows = limit + 1
  if (from === 'now') return read(owner, { rows })
  if (from === 'start') return read(owner, { rows, ahead: aheadOf(undefined) })
  return read(owner, from.walk ? { rows, ahead: aheadOf(from.walk) } : { rows, after: from.seq })
}

/** Makes a page of what `feedStatements` have found. Throws CursorExpired. */
export function feedOf(
  { from, limit, epoch }: FeedRequest,
  found: Results<ReturnType<typeof feedStatements>>,
  user: User,
): Feed {
  const lastSeq = found.lastChange[0]?.seq ?? 0
  const cursor = typeof from === 'string' ? { epoch, userId: user.id, seq: lastSeq } : from
  const { balances } = found
  if (cursor.epoch !== epoch || cursor.userId !== user.id || cursor.seq > lastSeq) throw new CursorExpired()
  if (from === 'now') return { changes: [], cursor, hasMore: false, isSnapshot: false, balances }
  if (from === 'start' || from.walk) {
    const { changes, walk } = pageOfWalk(
      {
        profile: from === 'start' ? user : undefined,
        accounts: found.nextAccounts.flat(),
        categories: found.nextCategories.flat(),
        transactions: found.nextTransactions.flat(),
      },
      limit,
    )
    const hasMore = walk !== undefined || cursor.seq < lastSeq
    return { changes, cursor: { ...cursor, walk }, hasMore, isSnapshot: true, balances }
  }
  const { changes, seq } = pageOfLog(
    { transactions: found.changedTransactions.flat(), log: found.loggedChanges.flat(), user },
    limit,
    lastSeq,
  )
  return { changes, cursor: { ...cursor, seq }, hasMore: seq < lastSeq, isSnapshot: false, balances }
}

/** Refuses a cursor together with `start`, since one of them would have to be ignored. */
function unambiguous(draft: Draft<FeedQuery>): Draft<FeedQuery> {
  const errors: FieldErrors = {}
  if (draft.values.cursor && draft.values.start)
    addError(errors, 'start', 'The :field field must not be given together with cursor.')
  return withErrors(draft, errors)
}
