import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { NewTransaction } from '../../contract/transactions.ts'
import { idempotency } from '../../db/idempotency.ts'
import { insertWhere } from '../../db/insert-where.ts'
import type { Owner } from '../../db/owner.ts'
import { isThere } from '../../db/ownership.ts'
import { batches, batchItems } from '../../db/schema.ts'
import type { Draft } from '../../domain/draft.ts'
import { EmailNotVerified, type FieldErrors, Invalid, InvalidItems } from '../../domain/failures.ts'
import type { SyncQueue } from '../../gateways/queues.ts'
import { columnsAsSent, fieldsAsSent, stageRows } from '../bulk-insert.ts'
import { brokenRules } from '../guards.ts'
import { clientIdUnspent, nextRow, transactionRules } from '../transactions/rules.ts'
import { isVerified } from '../verified.ts'

/** A batch as it was sent, each item checked on its own. */
export type SyncBatch = {
  items: Draft<NewTransaction>[]
  /** Errors of the batch itself; if there are any, nothing is accepted. */
  errors: FieldErrors
  /** Accept the valid items and report the others (RFC 7240, handling=lenient). */
  isLenient: boolean
  idempotencyKey: string | null
  /** Tells whether a batch with the same key is the same one. */
  bodyHash: string
}

/**
 * Checks and stores a batch in one round trip, queues it and returns its id. One invalid item means that nothing is
 * accepted, unless the batch is lenient. Throws EmailNotVerified, Invalid.
 */
export async function acceptSync(owner: Owner, queue: SyncQueue, batch: SyncBatch): Promise<string> {
  const { db } = owner
  const id = crypto.randomUUID()
  const hasErrors = Object.keys(batch.errors).length > 0
  const { earlier, isFirst } = idempotency(owner, batches, batch.idempotencyKey)
  const isInvalid = sql`batch_id = ${id} and outcome = 'invalid' and ${batch.isLenient ? sql`false` : sql`true`}`
  const isRefused = hasErrors ? sql`true` : sql`exists (select 1 from ${batchItems} where ${isInvalid})`

  // Items are staged so that they can be checked; a batch that is refused is deleted in the same transaction.
  const results = await owner.run({
    earlier: db
      .select({ id: batches.id, bodyHash: batches.bodyHash, completedAt: batches.completedAt })
      .from(batches)
      .where(earlier),
    batch: insertWhere(db, batches, newBatch(owner, id, batch), and(isVerified(owner), isFirst) as SQL),
    items: stageItems(owner, id, batch.items).map((statement) => db.run(statement)),
    invalid: db.all<{ position: number; errors: string }>(
      sql`select position, errors from ${batchItems} where ${isInvalid} order by position`,
    ),
    refused: db.run(sql`delete from ${batches} where id = ${id} and ${isRefused}`),
    completed: completeIfNothingPending(owner, id),
  })
  if (results.user.emailVerifiedAt === null) throw new EmailNotVerified()
  const [first] = results.earlier
  if (first) {
    if (first.bodyHash !== batch.bodyHash)
      throw new Invalid({ 'Idempotency-Key': ['The Idempotency-Key has been used for another batch.'] })
    // If the client got no answer, the batch may never have been queued. Queueing it twice does no harm.
    if (first.completedAt === null) await queue.post(first.id)
    return first.id
  }
  const { invalid } = results
  if (invalid.length > 0)
    throw new InvalidItems(
      allErrors(batch, invalid),
      invalid.map(({ position }) => position),
    )
  if (hasErrors) throw new Invalid(batch.errors)
  await queue.post(id)
  return id
}

function newBatch(owner: Owner, id: string, { idempotencyKey, bodyHash }: SyncBatch) {
  const times = { createdAt: owner.now, queuedAt: owner.now }
  return { id, userId: owner.id, status: 'pending' as const, idempotencyKey, bodyHash, ...times }
}

/** What is staged for an item: its fields, and the errors that were found without the database. */
const stagedFields = ['errors', 'account_id', 'to_account_id', 'category_id', ...fieldsAsSent] as const

function toStagedItem({ values, errors }: Draft<NewTransaction>): {
  [field in (typeof stagedFields)[number]]?: unknown
} {
  const pairs = Object.entries(errors).flatMap(([field, messages]) =>
    messages.map((message) => [field, message]),
  )
  return { ...values, force: values.force ? 1 : 0, errors: pairs.length > 0 ? pairs : null }
}

/**
 * Stages the items of a batch that has just been stored. Those that have errors or break a rule become invalid, the
 * others pending. An item that was created as a transaction earlier becomes pending even if its account or category is
 * gone by now: otherwise, a phone that never got the answer could never get rid of it.
 */
function stageItems({ id }: Owner, batchId: string, items: Draft<NewTransaction>[]): SQL[] {
  const next = nextRow((field) => sql.raw(`item.${field}`))
  const broken = brokenRules([...transactionRules(id, next), clientIdUnspent(id, sql`item.client_id`)])
  const existsAlready = sql`exists (
    select 1 from transactions where user_id = ${id} and transactions.client_id = item.client_id and ${isThere})`
  // The rules are not checked for an item that exists already, so its category may be gone or somebody else's. The
  // existing row may be deleted before the batch is processed, and the item is then created after all.
  const ownCategory = sql`(select categories.id from categories where categories.id = judged.category_id and categories.user_id = ${id})`
  // Materialized, or SQLite would check the rules for each use of their verdict.
  const judged = sql`, judged as materialized (
      select *, coalesce(errors, iif(exists_already, null, nullif(${broken}, '[]'))) as all_errors
        from (select *, ${existsAlready} as exists_already from item) item
    )
    select ${batchId}, position, iif(all_errors is null, 'pending', 'invalid'), all_errors, account_id, to_account_id,
           iif(all_errors is null, iif(exists_already, ${ownCategory}, category_id), null), ${columnsAsSent('judged')}
      from judged`
  return stageRows(batchId, items.map(toStagedItem), stagedFields, judged)
}

/** A lenient batch without a valid item is complete at once. */
function completeIfNothingPending({ db, now }: Owner, batchId: string) {
  const isPending = sql`exists (select 1 from ${batchItems} where batch_id = ${batchId} and outcome = 'pending')`
  return db
    .update(batches)
    .set({ status: 'completed', completedAt: now })
    .where(and(eq(batches.id, batchId), sql`not ${isPending}`))
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
