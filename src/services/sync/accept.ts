import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { NewTransaction } from '../../contract/transactions.ts'
import { insertWhere } from '../../db/insert-where.ts'
import { numbered, type Owner } from '../../db/owner.ts'
import { syncBatches, users } from '../../db/schema.ts'
import type { Draft } from '../../domain/draft.ts'
import { EmailNotVerified, type FieldErrors, Invalid, InvalidItems } from '../../domain/failures.ts'
import type { SyncQueue } from '../../gateways/sync-queue.ts'
import { fieldsAsTheyCame, layDown } from '../bulk-insert.ts'
import { brokenRules } from '../rules.ts'
import { clientIdUnspent, transactionRules } from '../transactions/rules.ts'

/** A batch as it was sent: each item checked on its own, or one error for all of it. */
export type SyncBatch = {
  items: Draft<NewTransaction>[]
  /** Errors of the batch itself, which leave nothing to take. */
  errors: FieldErrors
  /** Take the good items and report the bad ones (RFC 7240, handling=lenient). */
  isLenient: boolean
  idempotencyKey: string | null
  /** Tells whether a batch with the same key is the same batch. */
  bodyHash: string
}

/**
 * Stores a batch, ownership checked, in one round trip, and puts its id into the queue; answers the id.
 * Nothing is taken of a batch with a bad item, unless it is lenient. Throws EmailNotVerified, Invalid.
 */
export async function acceptSync(owner: Owner, queue: SyncQueue, batch: SyncBatch): Promise<string> {
  const { db } = owner
  const id = crypto.randomUUID()
  const hasErrors = Object.keys(batch.errors).length > 0
  const sameKey = and(
    eq(syncBatches.userId, owner.id),
    eq(syncBatches.idempotencyKey, batch.idempotencyKey ?? ''),
  ) as SQL
  const isFirst =
    batch.idempotencyKey === null
      ? sql`true`
      : sql`not exists (select 1 from ${syncBatches} where ${sameKey})`
  const isInvalid = sql`batch_id = ${id} and outcome = 'invalid' and ${batch.isLenient ? sql`false` : sql`true`}`
  const isUntakeable = hasErrors ? sql`true` : sql`exists (select 1 from sync_items where ${isInvalid})`

  // Items are laid down to be judged, once; what cannot be taken goes again in the same transaction.
  const {
    user,
    earlier: [earlier],
    invalid,
  } = await owner.runNamed({
    earlier: db
      .select({
        id: syncBatches.id,
        bodyHash: syncBatches.bodyHash,
        completedAt: syncBatches.completedAt,
      })
      .from(syncBatches)
      .where(batch.idempotencyKey === null ? sql`false` : sameKey),
    batch: insertWhere(db, syncBatches, newBatch(owner, id, batch), sql`${isVerified(owner)} and ${isFirst}`),
    ...numbered(db, 'items', layDownItems(owner, id, batch.items)),
    invalid: db.all<{ position: number; errors: string }>(
      sql`select position, errors from sync_items where ${isInvalid} order by position`,
    ),
    untaken: db.run(sql`delete from sync_batches where id = ${id} and ${isUntakeable}`),
    done: completeIfNothingPending(owner, id),
  })
  if (user.emailVerifiedAt === null) throw new EmailNotVerified()
  if (earlier) {
    demandSame(earlier, batch)
    // Whoever sends it again may have lost the answer, and with it the message: processing it twice does nothing.
    if (earlier.completedAt === null) await queue.post(earlier.id)
    return earlier.id
  }
  if (invalid.length > 0)
    throw new InvalidItems(
      allErrors(batch, invalid),
      invalid.map(({ position }) => position),
    )
  if (hasErrors) throw new Invalid(batch.errors)
  await queue.post(id)
  return id
}

function isVerified(owner: Owner): SQL {
  return sql`exists (select 1 from ${users} where ${users.id} = ${owner.id} and ${users.emailVerifiedAt} is not null)`
}

function newBatch(owner: Owner, id: string, { idempotencyKey, bodyHash }: SyncBatch) {
  const times = { createdAt: owner.now, queuedAt: owner.now }
  return { id, userId: owner.id, status: 'pending' as const, idempotencyKey, bodyHash, ...times }
}

/** What is laid down of an item: its fields, and what is wrong with them by themselves. */
const laidDown = [
  'errors',
  'account_id',
  'to_account_id',
  'category_id',
  ...fieldsAsTheyCame,
] as const satisfies (keyof NewTransaction | 'errors')[]

function toLaidItem({ values, errors }: Draft<NewTransaction>): {
  [field in (typeof laidDown)[number]]?: unknown
} {
  const pairs = Object.entries(errors).flatMap(([field, messages]) =>
    messages.map((message) => [field, message]),
  )
  return { ...values, force: values.force ? 1 : 0, errors: pairs.length > 0 ? pairs : null }
}

/**
 * Stores the items of a batch that was stored just now; those with errors, or that break a rule, as invalid. One that
 * has landed before is a duplicate, whatever has become of its account or category since: a phone that lost the
 * answer would never be rid of it otherwise.
 */
function layDownItems({ id }: Owner, batchId: string, items: Draft<NewTransaction>[]): SQL[] {
  const next = {
    type: sql`item.type`,
    account_id: sql`item.account_id`,
    to_account_id: sql`item.to_account_id`,
    category_id: sql`item.category_id`,
  }
  const broken = brokenRules([...transactionRules(id, next), clientIdUnspent(id, sql`item.client_id`)])
  const hasLanded = sql`exists (
    select 1 from transactions row where row.user_id = ${id} and row.client_id = item.client_id)`
  // Nobody has judged the category of what has landed; the row may yet be taken back, and the item be created.
  const ownCategory = sql`(select categories.id from categories where categories.id = judged.category_id and categories.user_id = ${id})`
  // Materialized, or SQLite would judge the rules for each place in which the verdict is used.
  const judged = sql`, judged as materialized (
      select *, coalesce(errors, iif(has_landed, null, nullif(${broken}, '[]'))) as all_errors
        from (select *, ${hasLanded} as has_landed from item) item
    )
    select ${batchId}, position, iif(all_errors is null, 'pending', 'invalid'), all_errors, client_id, account_id,
           to_account_id, iif(all_errors is null, iif(has_landed, ${ownCategory}, category_id), null), type, amount,
           description, reference, transaction_date, force
      from judged`
  return layDown(batchId, items.map(toLaidItem), laidDown, judged)
}

/** A lenient batch may hold nothing good: it is done as it is. */
function completeIfNothingPending({ db, now }: Owner, batchId: string) {
  const isPending = sql`exists (select 1 from sync_items where batch_id = ${batchId} and outcome = 'pending')`
  return db
    .update(syncBatches)
    .set({ status: 'completed', completedAt: now })
    .where(and(eq(syncBatches.id, batchId), sql`not ${isPending}`))
}

/** The same key with the same body is the same request, sent again. */
function demandSame(earlier: { bodyHash: string }, { bodyHash }: SyncBatch): void {
  if (earlier.bodyHash === bodyHash) return
  throw new Invalid({ 'Idempotency-Key': ['The Idempotency-Key has been used for another batch.'] })
}

function allErrors({ errors }: SyncBatch, invalid: { position: number; errors: string }[]): FieldErrors {
  const all: FieldErrors = { ...errors }
  for (const { position, errors: pairs } of invalid) {
    for (const [field, message] of JSON.parse(pairs) as [string, string][]) {
      const key = `transactions.${position}${field && `.${field}`}`
      all[key] = [...(all[key] ?? []), message]
    }
  }
  return all
}
