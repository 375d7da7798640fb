import { and, type SQL, sql } from 'drizzle-orm'
import type { Owner, UserScope } from '../../database/owner.ts'
import type { Statement } from '../../database/run.ts'
import { uploadSteps } from '../../database/schema.ts'
import type { FoundRule } from '../../recurring/chain.ts'
import type { Operation } from '../operations-contract.ts'
import { canContinue, type FeedPosition } from '../pull/cursor-check.ts'
import { repeatedRows } from './repeated-rows.ts'
import type { RuleWrite } from './rule-writes.ts'

/*
 * An upload is done in steps, one for each combination of kind and noun. The first statement of a step stores the outcome
 * of each operation: an array of the columns below, followed by the values to write. The other statements of the step
 * write the values. The outcomes are deleted at the end of the upload. Creations of transactions are a batch
 * instead (bulk-insert.ts).
 */

/** The beginning of every outcome; `detail` has the errors of an invalid operation, or the fields that conflict. */
const outcomeColumns = ['position', 'outcome', 'id', 'version', 'detail'] as const

/** The upload in SQL; `guard` is false if nothing may be written. */
export type UploadSql = { id: string; userId: SQL; guard: SQL }

/** Stores the rows of `result`, which `query` must define, with the columns above and the named values. */
export function storeOutcomes(
  upload: UploadSql,
  { step, values, query }: { step: string; values: readonly string[]; query: SQL },
): SQL {
  const fields = [
    ...outcomeColumns.map((column) => (column === 'detail' ? 'json(detail)' : column)),
    ...values,
  ]
  return sql`
    insert into ${uploadSteps} (upload_id, step, items)
    ${query}
    select ${upload.id}, ${sql.raw(`'${step}'`)}, json_group_array(json_array(${sql.raw(fields.join(', '))}))
      from result where ${upload.guard}`
}

/**
 * The operations of a step with this outcome, as a table for a WITH clause: `op` has the position, the id of the row and
 * the named values. Materialized, since `UPDATE … FROM json_each(…)` would go through the list for each row.
 */
export function operationsWithOutcome(
  uploadId: string,
  { step, outcome, values }: { step: string; outcome: string; values: readonly string[] },
): SQL {
  const columns = values.map((name, at) => `value ->> ${outcomeColumns.length + at} as ${name}`)
  return sql`op as materialized (
      select ${sql.raw(['value ->> 0 as position', 'value ->> 2 as id', ...columns].join(', '))}
        from ${storedItems(uploadId, [step])} where value ->> 1 = ${sql.raw(`'${outcome}'`)})`
}

/** The ids of the rows whose operations have one of these outcomes, as a query. */
export function idsWithOutcome(uploadId: string, steps: readonly string[], outcomes: readonly string[]): SQL {
  return sql`select value ->> 2 from ${storedItems(uploadId, steps)} where value ->> 1 in (${literals(outcomes)})`
}

/** The outcomes of an upload without the values to write, as a query: one row for each step. */
export function storedOutcomes(uploadId: string): SQL {
  const head = outcomeColumns.map((column, at) => `value ${column === 'detail' ? '->' : '->>'} ${at}`)
  return sql`
    select (select json_group_array(json_array(${sql.raw(head.join(', '))})) from json_each(items)) as outcomes
      from ${uploadSteps} where upload_id = ${uploadId}`
}

function storedItems(uploadId: string, steps: readonly string[]): SQL {
  return sql`(select value from ${uploadSteps} cross join json_each(items)
         where upload_id = ${uploadId} and step in (${literals(steps)}))`
}

const literals = (texts: readonly string[]) => sql.raw(texts.map((text) => `'${text}'`).join(', '))

export type UploadContext = {
  uploadId: string
  /** No two of these rows may be the same (repeated-rows.ts); undefined if there are none. */
  rowsToCompare: string | undefined
  /** The feed must be able to continue from here; undefined if the upload has no cursor. */
  cursor: FeedPosition | undefined
  /** The current epoch of the feed, which the cursor's must equal. */
  epoch: number
  /** The rules as they were read, and what is to be written of them; undefined if the upload does not depend on any. */
  plan: { read: FoundRule[]; writes: RuleWrite[] } | undefined
}

/** Makes the statements of a step, in the order in which they are to run. */
export type Step = (owner: Owner, context: UploadContext, operations: Operation[]) => Statement[]

/** The upload in SQL. If its guard holds before the first step, it still holds before each later one. */
export function uploadOf(owner: UserScope, context: UploadContext): UploadSql {
  const { uploadId, plan } = context
  const guard = plan ? sql`exists (${begun(uploadId)})` : mayWrite(owner, context)
  return { id: uploadId, userId: owner.id, guard }
}

function mayWrite(owner: UserScope, { rowsToCompare, cursor, epoch }: UploadContext): SQL {
  const isEachOnce = rowsToCompare ? sql`not exists (${repeatedRows(owner.id, rowsToCompare)})` : undefined
  return and(owner.isValid, cursor && canContinue(owner, cursor, epoch), isEachOnce) as SQL
}

/** The step that notes that the upload may write: its own steps change the rules that must be as they were read. */
const firstStep = 'begin'

/** Notes that the upload may write, if it may. */
export function begin(owner: UserScope, context: UploadContext, rules: FoundRule[]): SQL {
  const { uploadId } = context
  const guard = sql`${mayWrite(owner, context)} and ${areAsRead(owner.id, rules)}`
  return sql`insert into ${uploadSteps} (upload_id, step, items) select ${uploadId}, ${firstStep}, '[]' where ${guard}`
}

/** Selects a row if the upload has begun. */
export const begun = (uploadId: string): SQL =>
  sql`select 1 as begun from ${uploadSteps} where upload_id = ${uploadId} and step = ${firstStep}`

/** True if the user's rules are those that were read. */
function areAsRead(userId: SQL, rules: FoundRule[]): SQL {
  const read = JSON.stringify(rules.map(({ id, version }) => [id, version]))
  return sql`not exists (
    select 1 from json_each(${read}) read
      left join recurring_rules now on now.id = read.value ->> 0 and now.user_id = ${userId}
     where now.version is not read.value ->> 1)`
}

/** The condition for the user's row that `item` names, by its id or its client id. */
export function isTargetRow(
  userId: SQL,
  table: 'accounts' | 'categories' | 'transactions' | 'balance_checks',
): SQL {
  const name = sql.raw(table)
  const withClientId = sql`select named.id from ${name} named where named.user_id = ${userId} and named.client_id = item.client_id`
  return sql`${name}.id = coalesce(item.id, (${withClientId})) and ${name}.user_id = ${userId}`
}

/**
 * The id that a sent value refers to: `#` and a client id mean the row with that client id. 0 if there is none;
 * `refersToOwn` then rejects it.
 */
export function resolveReference(
  userId: SQL,
  table: 'accounts' | 'categories' | 'recurring_rules',
  sent: SQL,
): SQL {
  const named = sql`select named.id from ${sql.raw(table)} named where named.user_id = ${userId} and named.client_id = substr(${sent}, 2)`
  return sql`iif(typeof(${sent}) = 'text', coalesce((${named}), 0), ${sent})`
}
