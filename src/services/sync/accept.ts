import { and, eq, type SQL, sql } from 'drizzle-orm'
import { insertWhere } from '../../db/guarded.ts'
import type { Owner } from '../../db/owner.ts'
import { syncBatches, users } from '../../db/schema.ts'
import type { Draft } from '../../domain/draft.ts'
import { EmailNotVerified, type FieldErrors, Invalid } from '../../domain/failures.ts'
import type { SyncQueue } from '../../gateways/sync-queue.ts'
import type { TransactionFields } from '../transactions/fields.ts'
import {
  allHold,
  brokenRules,
  clientIdUnspent,
  type NextRow,
  type Rule,
  transactionRules,
} from '../transactions/rules.ts'

/** One transaction of a batch. */
export type SyncItem = TransactionFields & { client_id?: string | null; force?: boolean | null }

/** A batch as it was sent: each item checked on its own, or one error for all of it. */
export type SyncBatch = {
  items: Draft<SyncItem>[]
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
  const isTakeable =
    Object.keys(batch.errors).length === 0 && (batch.isLenient || batch.items.every((item) => item.complete))
  const items = JSON.stringify(batch.items.map(toJsonItem))
  const rules = itemRules(owner.id)
  const judged = sql`from json_each(${items}) as item where item.value ->> 'errors' is null and not (${allHold(rules)})`
  const sameKey = and(
    eq(syncBatches.userId, owner.id),
    eq(syncBatches.idempotencyKey, batch.idempotencyKey ?? ''),
  ) as SQL
  const guard = and(
    isVerified(owner),
    isTakeable ? undefined : sql`false`,
    batch.idempotencyKey === null
      ? undefined
      : sql`not exists (select 1 from ${syncBatches} where ${sameKey})`,
    batch.isLenient ? undefined : sql`not exists (select 1 ${judged})`,
  ) as SQL

  const [user, [earlier], broken, [stored]] = await owner.run(
    db
      .select({
        id: syncBatches.id,
        bodyHash: syncBatches.bodyHash,
        completedAt: syncBatches.completedAt,
      })
      .from(syncBatches)
      .where(batch.idempotencyKey === null ? sql`false` : sameKey),
    db.all<{ position: number; errors: string }>(
      sql`select item.key as position, ${brokenRules(rules)} as errors ${judged}`,
    ),
    insertWhere(db, syncBatches, newBatch(owner, id, batch), guard).returning({ id: syncBatches.id }),
    insertItems(owner, id, items, rules),
    completeIfNothingPending(owner, id),
  )
  if (user.emailVerifiedAt === null) throw new EmailNotVerified()
  if (earlier) {
    demandSame(earlier, batch)
    // Whoever sends it again may have lost the answer, and with it the message: processing it twice does nothing.
    if (earlier.completedAt === null) await queue.post(earlier.id)
    return earlier.id
  }
  if (!stored) throw new Invalid(allErrors(batch, broken))
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

/** An item as it travels to the database: its fields, and what is wrong with them by themselves. */
function toJsonItem(item: Draft<SyncItem>) {
  const errors = Object.entries(item.errors).flatMap(([field, messages]) =>
    messages.map((message) => [field, message]),
  )
  return { ...item.values, force: item.values.force ? 1 : 0, errors: errors.length > 0 ? errors : null }
}

function itemRules(userId: SQL): Rule[] {
  const field = (name: keyof NextRow | 'client_id') => sql`(item.value ->> ${sql.raw(`'${name}'`)})`
  const next = {
    type: field('type'),
    account_id: field('account_id'),
    to_account_id: field('to_account_id'),
    category_id: field('category_id'),
  }
  return [...transactionRules(userId, next), clientIdUnspent(userId, field('client_id'))]
}

/** Stores the items of a batch that was stored just now; those that break a rule as invalid, with what they break. */
function insertItems({ db }: Owner, batchId: string, items: string, rules: Rule[]) {
  const isGood = sql`(item.value ->> 'errors' is null and ${allHold(rules)})`
  return db.run(sql`
    insert into sync_items (batch_id, position, outcome, errors, client_id, account_id, to_account_id, category_id,
                            type, amount, description, reference, transaction_date, force)
    select ${batchId}, key, iif(good, 'pending', 'invalid'), iif(good, null, coalesce(value ->> 'errors', broken)),
           value ->> 'client_id', value ->> 'account_id', value ->> 'to_account_id', iif(good, value ->> 'category_id', null),
           value ->> 'type', value ->> 'amount', value ->> 'description', value ->> 'reference',
           value ->> 'transaction_date', value ->> 'force'
      from (select item.key as key, item.value as value, ${isGood} as good, ${brokenRules(rules)} as broken
              from json_each(${items}) as item)
     where exists (select 1 from sync_batches where id = ${batchId})`)
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

function allErrors(batch: SyncBatch, broken: { position: number; errors: string }[]): FieldErrors {
  const errors: FieldErrors = { ...batch.errors }
  const add = (position: number, field: string, message: string) => {
    const key = `transactions.${position}${field && `.${field}`}`
    errors[key] = [...(errors[key] ?? []), message]
  }
  for (const [position, item] of batch.items.entries()) {
    for (const [field, messages] of Object.entries(item.errors))
      for (const message of messages) add(position, field, message)
  }
  for (const { position, errors: pairs } of broken) {
    for (const [field, message] of JSON.parse(pairs) as [string, string][]) add(position, field, message)
  }
  return errors
}
