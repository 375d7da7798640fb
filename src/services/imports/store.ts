import { and, eq, isNotNull, type SQL, sql } from 'drizzle-orm'
import { idempotency } from '../../db/idempotency.ts'
import { insertWhere } from '../../db/insert-where.ts'
import { jsonParts } from '../../db/json-parts.ts'
import type { Owner, User } from '../../db/owner.ts'
import { accounts, batches, batchItems, imports, users } from '../../db/schema.ts'
import { categoryNameKey } from '../../domain/categories.ts'
import type { CalendarDate } from '../../domain/dates.ts'
import { EmailNotVerified, type FieldErrors, Invalid } from '../../domain/failures.ts'
import { type Minor, maxTotal } from '../../domain/money.ts'
import { hashSecret } from '../../domain/tokens.ts'
import { maxErrors } from '../../statements/problems.ts'
import { withinBounds } from '../bounds.ts'
import {
  absorbDuplicates,
  assignIds,
  commonFields,
  failRuleBreakers,
  insertPending,
  matchClientIds,
  matchRepeatedClientIds,
  stageRows,
  undoRows,
} from '../bulk-insert.ts'
import { categoryQuota, maxCategories } from '../quotas.ts'
import { brokenBy, selectVerdict } from '../rules.ts'
import type { Transaction } from '../transactions/fields.ts'

/** One row of an import. Accounts and categories come by id or by name; unknown categories are created. */
export type ImportRow = {
  /** The row's number in the file, as errors name it. */
  line: number
  account: number | string | null
  to_account: number | string | null
  category: number | string | null
  type: Transaction['type']
  amount: Minor
  description: string | null
  reference: string | null
  transaction_date: CalendarDate
  client_id: string | null
  force: boolean
}

/** A file as it was read, ready to land. */
export type ImportFile = {
  kind: (typeof imports.$inferSelect)['kind']
  format: (typeof imports.$inferSelect)['format']
  rows: ImportRow[]
  /** Where rows go that name no account of their own, as the form said. */
  accountId: number | null
  /** Entries of the file that moved no money, and so are no rows. */
  skipped: number
  /** What the statement says the account has at its end. */
  closing: { accountId: number; date: CalendarDate; balance: Minor } | null
  isDryRun: boolean
}

/** What an import did, or would do; `id` is null for a dry run. */
export type ImportResult = {
  id: number | null
  counts: { rows: number; created: number; duplicate: number }
  /** The account's balance at the end of the statement's closing date, beside the statement's; null where it is not known. */
  closing: { date: CalendarDate; statement: Minor; account: Minor } | null
}

/** An id that no row has: what a name stands for that nothing has, or more than one. */
const noRow = 0

/** The bearer. Throws EmailNotVerified. */
export async function demandVerified(owner: Owner): Promise<User> {
  const { user } = await owner.run()
  if (user.emailVerifiedAt === null) throw new EmailNotVerified()
  return user
}

/**
 * Imports a file, all or nothing, in one round trip: its rows are laid down, judged, compared with what is there
 * and created, in one transaction. A dry run goes the same way and is undone at the end of it. The same file with the
 * same key is imported once, and answered alike. Throws EmailNotVerified, Invalid (`errorKey`).
 */
export async function storeImport(
  owner: Owner,
  file: ImportFile,
  idempotencyKey: string | null,
): Promise<ImportResult> {
  const { db, now } = owner
  const batchId = crypto.randomUUID()
  const key = file.isDryRun ? null : idempotencyKey
  const rowsHash = key === null ? null : await hashSecret(JSON.stringify([file.kind, file.rows]))
  const { earlier, isFirst } = idempotency(owner, imports, key)
  const wanted = newCategories(owner, file.rows)
  const quota = categoryQuota(owner.id, 'category', sql`(select count(*) ${wanted})`)
  // Laid down at all, which needs a verified bearer, without a row that breaks a rule, and with room for what is new.
  const isSound = sql`(exists (select 1 from ${batches} where id = ${batchId})
    and not exists (select 1 from ${batchItems} where batch_id = ${batchId} and outcome = 'failed')
    and ${quota.holds})`
  const importId = sql`(select id from imports where batch_id = ${batchId})`
  const isVerified = and(eq(users.id, owner.id), isNotNull(users.emailVerifiedAt))

  const run = (statements: SQL[]) => statements.map((statement) => db.run(statement))
  const results = await withinBounds(
    'amount',
    owner.run({
      earlier: db.select().from(imports).where(earlier),
      batch: insertWhere(
        db,
        batches,
        newBatch(owner, batchId),
        and(sql`exists (select 1 from ${users} where ${isVerified})`, isFirst) as SQL,
      ),
      items: run(stageImportRows(owner, batchId, file.rows)),
      judged: db.run(failRuleBreakers(batchId)),
      broken: db.all<Broken>(brokenItems(batchId)),
      brokenTotal: db.all<{ total: number }>(sql`
        select count(*) as total from ${batchItems} where batch_id = ${batchId} and outcome = 'failed'`),
      verdict: selectVerdict(db, [quota]),
      newCategories: db.run(createCategories(owner, wanted, file.isDryRun ? sql`false` : isSound)),
      categories: run(assignCategories(owner, batchId, file.rows)),
      clientIds: db.run(matchClientIds(batchId)),
      absorbed: run(absorbDuplicates(batchId)),
      numbers: db.run(assignIds(batchId)),
      repeated: db.run(matchRepeatedClientIds(batchId)),
      counted: db.all<{ outcome: string; items: number }>(sql`
        select outcome, count(*) as items from ${batchItems} where batch_id = ${batchId} group by outcome`),
      created: insertWhere(
        db,
        imports,
        { ...newImport(owner, batchId, file), idempotencyKey: key, rowsHash },
        isSound,
      ).returning({
        id: imports.id,
      }),
      rows: db.run(
        insertPending(batchId, now, { isSynced: false, importId, guard: sql`${importId} is not null` }),
      ),
      balance: db.all<{ balance: number | null }>(balanceAt(owner, file)),
      undone: file.isDryRun
        ? run([...undoRows(importId, sql`true`), sql`delete from imports where batch_id = ${batchId}`])
        : [],
      cleared: db.delete(batches).where(eq(batches.id, batchId)),
    }),
  )
  const { user, broken, brokenTotal, created, counted, balance } = results
  const [first] = results.earlier
  if (user.emailVerifiedAt === null) throw new EmailNotVerified()
  if (broken.length > 0) throw new Invalid(errorsOf(file, broken, brokenTotal[0]?.total ?? 0))
  if (first && first.rowsHash !== rowsHash)
    throw new Invalid({ 'Idempotency-Key': ['The Idempotency-Key has been used for another import.'] })
  if (!first && created.length === 0) throw brokenBy([quota], results.verdict)
  const count = (outcome: string) => counted.find((row) => row.outcome === outcome)?.items ?? 0
  const counts = { rows: file.rows.length, created: count('pending'), duplicate: count('duplicate') }
  const { closing } = file
  return {
    id: file.isDryRun ? null : ((first ?? created[0])?.id ?? null),
    counts: first ? countsOf(first) : counts,
    closing: closing && closingOf(closing, balance[0]?.balance ?? null),
  }
}

/** Null also where the account's balance of that day is past the bounds, which only today's is kept within. */
function closingOf(
  { date, balance }: NonNullable<ImportFile['closing']>,
  account: number | null,
): ImportResult['closing'] {
  return account === null || Math.abs(account) > maxTotal
    ? null
    : { date, statement: balance, account: account as Minor }
}

function countsOf({ rows, created, duplicate }: typeof imports.$inferSelect): ImportResult['counts'] {
  return { rows, created, duplicate }
}

type Broken = { position: number; errors: string }

function newBatch(owner: Owner, id: string) {
  // It holds the rows for as long as the transaction lasts, and is never seen from outside.
  const times = { createdAt: owner.now, queuedAt: owner.now }
  return { id, userId: owner.id, status: 'processing' as const, bodyHash: '', ...times }
}

/** What is laid down of a row; its line is for the errors alone. */
const stagedFields = [
  'account',
  'to_account',
  'category',
  ...commonFields,
] as const satisfies (keyof ImportRow)[]

/** Lays the rows down, names of accounts and ids of categories resolved; a category that is not the bearer's fails. */
function stageImportRows(owner: Owner, batchId: string, rows: ImportRow[]): SQL[] {
  // An account is called as the row has it, or else, but for the case of letters, one alone is.
  const called = (name: SQL) => sql`
    select ${name} as name, min(id) as id from accounts where user_id = ${owner.id} group by 1 having count(*) = 1`
  const accountId = (given: SQL, exact: SQL, folded: SQL) =>
    sql`iif(typeof(${given}) = 'text', coalesce(${exact}, ${folded}, ${noRow}), ${given})`
  const isId = sql`typeof(item.category) = 'integer'`
  const isStray = sql`(${isId} and own.id is null)`
  const strayError = JSON.stringify([['category_id', 'The selected category id is invalid.']])
  // Materialized, or SQLite would go through all accounts for each row.
  const items = sql`,
    exact as materialized (${called(sql`name`)}), folded as materialized (${called(sql`lower(name)`)})
    select ${batchId}, position, iif(${isStray}, 'failed', 'pending'), iif(${isStray}, ${strayError}, null), client_id,
           ${accountId(sql`item.account`, sql`source.id`, sql`source_folded.id`)},
           ${accountId(sql`item.to_account`, sql`target.id`, sql`target_folded.id`)},
           own.id, item.type, amount, description, reference, transaction_date, force
      from item
      left join exact source on source.name = item.account
      left join folded source_folded on source_folded.name = lower(item.account)
      left join exact target on target.name = item.to_account
      left join folded target_folded on target_folded.name = lower(item.to_account)
      left join categories own on ${isId} and own.id = item.category and own.user_id = ${owner.id}`
  return stageRows(batchId, rows, stagedFields, items)
}

function brokenItems(batchId: string): SQL {
  return sql`
    select position, errors from ${batchItems} where batch_id = ${batchId} and outcome = 'failed'
     order by position limit ${maxErrors}`
}

/** The categories that rows name and the bearer has not, in either type: `from …`, with `value` as name, key and type. */
function newCategories({ id }: Owner, rows: ImportRow[]): SQL {
  const wanted = new Map<string, [name: string, key: string, type: string]>()
  for (const { category, type } of rows) {
    if (typeof category !== 'string') continue
    const [key, kind] = [categoryNameKey(category), type === 'income' ? 'income' : 'expense']
    wanted.set(key, wanted.get(key) ?? [category, key, kind])
  }
  // More than one may have need not be sent: there is no room for them, whatever is there.
  const list = [...wanted.values()].slice(0, maxCategories + 1)
  return sql`
      from json_each(${JSON.stringify(list)})
     where not exists (select 1 from categories where user_id = ${id} and name_key = value ->> 1)`
}

function createCategories({ id, now }: Owner, wanted: SQL, guard: SQL): SQL {
  return sql`
    insert into categories (user_id, name, name_key, type, created_at, updated_at)
    select ${id}, value ->> 0, value ->> 1, value ->> 2, ${now.getTime()}, ${now.getTime()}
           ${wanted} and ${guard} and ${id} is not null
     order by key`
}

/** Gives the rows the categories that they name; where there are two of one name, the one of the row's type. */
function assignCategories({ id }: Owner, batchId: string, rows: ImportRow[]): SQL[] {
  const keys = rows.map(({ category }) => (typeof category === 'string' ? categoryNameKey(category) : null))
  const named = sql`categories.user_id = ${id} and categories.name_key = wanted.name_key`
  // Materialized, or SQLite would go through the whole list for each item.
  return jsonParts(keys).map(
    ({ from, json }) => sql`
    with wanted as materialized (
      select key + ${from} as place, value as name_key from json_each(${json}) where value is not null
    )
    update ${batchItems}
       set category_id = coalesce((select id from categories where ${named} and type = ${batchItems.type}),
                                  (select min(id) from categories where ${named}))
      from wanted
     where batch_id = ${batchId} and position = wanted.place`,
  )
}

/** The record of an import; its counts are those of the rows as they lie. */
function newImport(owner: Owner, batchId: string, { kind, format, rows }: ImportFile) {
  const count = (outcome: string) =>
    sql<number>`(select count(*) from ${batchItems} where batch_id = ${batchId} and outcome = ${outcome})`
  const counts = { rows: rows.length, created: count('pending'), duplicate: count('duplicate') }
  return { userId: owner.id, batchId, kind, format, ...counts, createdAt: owner.now }
}

/** So many rows are counted back at most: it is done under the write lock, and a statement may be decades old. */
const mostCountedBack = 20_000

/**
 * The balance of the statement's account at the end of its closing date, counted back from today's; null where too much
 * came after it. It has no bounds: total() adds integers exactly and answers a float, where a sum past 2^53 would make
 * the client throw after the commit. Today's balance is added in it too, since what came after may be past 2^53 alone.
 */
function balanceAt(owner: Owner, { closing }: ImportFile): SQL {
  const isLater = sql`transaction_date > ${closing?.date ?? ''}`
  const later = sql`
    select iif(type = 'income', -amount, amount) from transactions where account_id = accounts.id and ${isLater}
     union all
    select -amount from transactions where to_account_id = accounts.id and ${isLater}
     limit ${mostCountedBack + 1}`
  return sql`
    select (select iif(count(*) - 1 > ${mostCountedBack}, null, total(moved))
              from (select accounts.balance as moved union all select * from (${later}))) as balance
      from accounts where ${accounts.id} = ${closing?.accountId ?? 0} and user_id = ${owner.id}`
}

/** What the error of a row is called, and of one of its fields: as in sync for JSON, by its line for a file. */
export function errorKey(format: ImportFile['format'], line: number, field: string): string {
  const row = format === 'json' ? `transactions.${line - 1}` : `rows.${line}`
  return field === '' ? row : `${row}.${field}`
}

/** Errors by row of the file. A row that named its account is told of the name; the form's account is told once. */
function errorsOf({ format, rows, accountId }: ImportFile, broken: Broken[], total: number): FieldErrors {
  const errors: FieldErrors = {}
  for (const { position, errors: pairs } of broken) {
    const row = rows[position]
    for (const [field, message] of JSON.parse(pairs) as [string, string][]) {
      const isOfForm = field === 'account_id' && accountId !== null && row?.account === accountId
      const isNamed =
        (field === 'account_id' && typeof row?.account === 'string') ||
        (field === 'to_account_id' && typeof row?.to_account === 'string')
      const name = isNamed ? field.replace('_id', '') : field
      const key = isOfForm ? field : errorKey(format, row?.line ?? position + 1, name)
      const text = isNamed ? message.replaceAll('account id', 'account') : message
      errors[key] = [...new Set([...(errors[key] ?? []), text])]
    }
  }
  const unlisted = total - broken.length
  if (unlisted > 0 && Object.keys(errors).some((key) => key !== 'account_id')) {
    errors[format === 'json' ? 'transactions' : 'rows'] = [`${unlisted} more rows have errors.`]
  }
  return errors
}
