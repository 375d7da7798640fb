import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import { isOutOfBounds } from '../database/errors.ts'
import { idempotency } from '../database/idempotency.ts'
import { insertWhere } from '../database/insert-where.ts'
import type { Owner } from '../database/owner.ts'
import { maxUnfinishedBatches } from '../database/quotas.ts'
import { brokenRules } from '../database/rules.ts'
import { toStatements } from '../database/run.ts'
import { batches, batchParts } from '../database/schema.ts'
import { senderColumns } from '../database/written-by.ts'
import type { FieldErrors } from '../domain/field-errors.ts'
import { firstErrors } from '../domain/field-errors.ts'
import type { Draft } from '../failures/draft.ts'
import { Invalid, InvalidItems, TooManyAttempts } from '../failures/failures.ts'
import type { SyncQueue } from '../queues/queues.ts'
import {
  copiedColumns,
  copiedFieldNames,
  invalidItems,
  itemRules,
  rowParts,
  stageRows,
  userOfBatch,
} from '../transactions/bulk-insert.ts'
import { idByClientId } from '../transactions/client-ids.ts'
import type { NewTransaction } from '../transactions/contract.ts'
import { isVerified, requireVerified } from '../users/verified.ts'
import { maxItemsProcessedAtOnce } from './contract.ts'
import { processItems } from './process.ts'
import { pendingAgain } from './retry.ts'

/** How long a client with too many unfinished batches should wait: by then, the queue should have finished some. */
const retryAfterSeconds = 10

/** A batch as it was sent, each item checked on its own. */
export type SyncBatch = {
  items: Draft<NewTransaction>[]
  /** Errors of the batch itself; if there are any, nothing is accepted. */
  errors: FieldErrors
  /** The positions of invalid items that `errors` is about. */
  invalidItems: number[]
  /** Accept the valid items and report the others (RFC 7240, handling=lenient). */
  isLenient: boolean
  /** Null without a key; an empty one counts as none. */
  idempotencyKey: string | null
  /** The SHA-256 of the body and of `isLenient`, as in `batches` (schema.ts). */
  bodyHash: string
}

/**
 * Checks and stores a batch in one round trip, and returns its id; a repeat with the same key gets the id of the first
 * batch, which is processed again if it had failed. It is queued at once if the user has no other unfinished batch,
 * otherwise after those. With `mayProcess`, a small new one with no other before it is processed in the same transaction
 * instead, unless it would push a figure past its bounds: then a second round trip accepts and queues it. One invalid item
 * means that nothing is accepted, unless the batch is lenient. Throws EmailNotVerified, TooManyAttempts, Invalid.
 */
export async function acceptSync(
  owner: Owner,
  queue: SyncQueue,
  batch: SyncBatch,
  { mayProcess }: { mayProcess: boolean },
): Promise<string> {
  await requireNoErrors(owner, batch)
  const { items } = batch
  const id = crypto.randomUUID()
  const staged = { ...batch, id, parts: rowParts(items.map(toCheckedItem), checkedFields) }
  const run = (mayProcess: boolean) => owner.run(acceptStatements(owner, staged, mayProcess))
  const results =
    mayProcess && items.length <= maxItemsProcessedAtOnce ? await processOrQueue(run) : await run(false)
  requireVerified(results.user)
  const [earlier] = results.earlier.flat()
  if (earlier && earlier.bodyHash !== batch.bodyHash)
    throw new Invalid({ 'Idempotency-Key': ['The Idempotency-Key has been used for another batch.'] })
  // A batch that is still failed was not retried: the user has too many unfinished batches.
  if (earlier?.status === 'failed') throw tooManyBatches()
  if (!earlier) requireAccepted(results.batch.length > 0, results.invalid.flat())
  // With at most two unfinished, queues the oldest: a request may have failed between storing and queueing. Queueing a batch
  // twice is harmless.
  const [oldest] = results.oldest
  if (oldest && results.oldest.length < 3) await queue.send(oldest.id)
  return earlier?.id ?? id
}

type StagedBatch = SyncBatch & { id: string; parts: ReturnType<typeof rowParts> }

/** Items are staged so that they can be checked; a batch that is refused is deleted in the same round trip. */
function acceptStatements(owner: Owner, batch: StagedBatch, mayProcess: boolean) {
  const { db } = owner
  const { id, items, isLenient, idempotencyKey } = batch
  const { earlier, isFirst } = idempotency(owner, batches, idempotencyKey)
  const comparesContent = items.some(({ values }) => !values.client_id && values.force !== true)
  const { bodyHash, status } = batches
  const unfinished = sql`(select count(*) from ${batches} where user_id = ${owner.id} and completed_at is null)`
  const canBeStored = and(isVerified(owner), sql`${unfinished} < ${maxUnfinishedBatches}`)
  const invalid = invalidItems(id)
  // One batch of each user is in the queue at a time, so that a user with many does not delay the others: when one is
  // done, the next is queued.
  const queuedAt = sql<Date>`iif(${unfinished} = 0, ${owner.now}, null)`
  const row = {
    id,
    userId: owner.id,
    status: 'pending' as const,
    idempotencyKey: idempotencyKey || null,
    bodyHash: batch.bodyHash,
    createdAt: owner.now,
    queuedAt,
    ...senderColumns(owner.tokenId),
  }
  return {
    retried: idempotencyKey
      ? [
          db
            .update(batches)
            .set({ ...pendingAgain, queuedAt })
            .where(and(earlier, eq(bodyHash, batch.bodyHash), eq(status, 'failed'), canBeStored)),
        ]
      : [],
    earlier: idempotencyKey
      ? [db.select({ id: batches.id, bodyHash, status }).from(batches).where(earlier)]
      : [],
    batch: insertWhere(db, batches, row, and(canBeStored, isFirst) as SQL).returning({ id: batches.id }),
    items: toStatements(stageItems(batch)),
    invalid: isLenient ? [] : [db.all<InvalidItem>(sql`select position, errors from ${invalid}`)],
    refused: isLenient
      ? []
      : [db.run(sql`delete from ${batches} where id = ${id} and exists (select 1 from ${invalid})`)],
    completed: isLenient ? [db.run(completeIfNothingPending(owner.now, id))] : [],
    processed: mayProcess
      ? toStatements(processItems(idIfFirstUnfinished(id), owner.now, { comparesContent }))
      : [],
    oldest: db
      .select({ id: batches.id })
      .from(batches)
      .where(and(eq(batches.userId, owner.id), isNull(batches.completedAt)))
      .orderBy(sql`rowid`)
      .limit(3),
  }
}

/**
 * Accepts and processes a batch. If its amounts go past a bound, its acceptance is rolled back too, so it is accepted
 * alone: the queue then records that it failed, and why.
 */
async function processOrQueue<T>(run: (mayProcess: boolean) => Promise<T>): Promise<T> {
  try {
    return await run(true)
  } catch (error) {
    if (!isOutOfBounds(error)) throw error
    return run(false)
  }
}

type InvalidItem = { position: number; errors: string }

const tooManyBatches = () => new TooManyAttempts(maxUnfinishedBatches, retryAfterSeconds)

/** Throws the reason why a batch was refused, if it was: TooManyAttempts, InvalidItems. */
function requireAccepted(wasStored: boolean, invalid: InvalidItem[]): void {
  // The caller has ruled out an unverified user and a repeated key, so the user has too many unfinished batches.
  if (!wasStored) throw tooManyBatches()
  if (invalid.length > 0)
    throw new InvalidItems(
      allErrors(invalid),
      invalid.map(({ position }) => position),
    )
}

/** Throws the errors of the batch itself, if there are any. Whether the user may send batches at all comes first. */
async function requireNoErrors(owner: Owner, { errors, invalidItems }: SyncBatch): Promise<void> {
  if (Object.keys(errors).length === 0) return
  requireVerified((await owner.run()).user)
  throw invalidItems.length > 0 ? new InvalidItems(errors, invalidItems) : new Invalid(errors)
}

/** The id of the batch; NULL if it was not stored, or the user has other unfinished ones. */
const idIfFirstUnfinished = (id: string) =>
  sql`(select id from ${batches} where id = ${id} and queued_at is not null)`

/** The staged fields of an item, with the errors that were found without the database. */
const checkedFields = ['errors', 'account_id', 'to_account_id', 'category_id', ...copiedFieldNames] as const

function toCheckedItem({ values, errors }: Draft<NewTransaction>): {
  [field in (typeof checkedFields)[number]]?: unknown
} {
  const pairs = Object.entries(errors).flatMap(([field, messages]) =>
    messages.map((message) => [field, message]),
  )
  return { ...values, force: values.force ? 1 : 0, errors: pairs.length > 0 ? pairs : null }
}

/**
 * Stages the items of a batch that has just been stored. Items with errors, or that break a rule, are invalid. An item
 * whose transaction already exists is valid even if a category or account that it names is gone by now: otherwise a
 * phone that never got the response could never clear the item from its queue.
 */
function stageItems({ id: batchId, parts }: StagedBatch): SQL[] {
  const userId = userOfBatch(batchId)
  const broken = brokenRules(itemRules(userId, { category_id: sql`item.category_id` }))
  const existsAlready = sql`${idByClientId(userId, sql`item.client_id`)} is not null`
  const checked = sql`
    select coalesce(errors, iif(${existsAlready}, null, nullif(${broken}, '[]'))) as errors, ${copiedColumns},
           account_id, to_account_id, category_id as category
      from item`
  return stageRows(batchId, parts, checkedFields, checked)
}

/** A lenient batch without a valid item is complete at once. */
function completeIfNothingPending(now: Date, batchId: string): SQL {
  const isPending = sql`exists (
    select 1 from ${batchParts} where batch_id = ${batchId} and invalid < json_array_length(items))`
  return sql`
    update ${batches} set status = 'completed', completed_at = ${now}
     where id = ${batchId} and not ${isPending}`
}

function allErrors(invalid: InvalidItem[]): FieldErrors {
  const all: FieldErrors = {}
  for (const { position, errors: pairs } of invalid) {
    for (const [field, message] of JSON.parse(pairs) as [string, string][]) {
      const key = itemKey(position, field)
      all[key] = [...(all[key] ?? []), message]
    }
  }
  return firstErrors(all, 'transactions')
}

/** The key of an error: `field` is empty for the item as a whole. */
export function itemKey(position: number, field: string): string {
  return `transactions.${position}${field && `.${field}`}`
}
