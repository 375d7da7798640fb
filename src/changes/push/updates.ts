import { type SQL, sql } from 'drizzle-orm'
import type { UserScope } from '../../database/owner.ts'
import { lockErrors } from '../../database/reconciled.ts'
import { brokenRules, type Rule } from '../../database/rules.ts'
import { type Statement, toStatements } from '../../database/run.ts'
import type { Operation } from '../operations-contract.ts'
import { bitsOf, type ConflictGroups, columns, deletionConflicts, updateConflicts } from './conflicts.ts'
import {
  idsWithOutcome,
  operationsWithOutcome,
  resolveReference,
  type Step,
  storeOutcomes,
  type UploadSql,
  uploadOf,
} from './steps.ts'

/** A noun as updates and deletions see it. Its fields are columns of its table, under the same names. */
export type ChangedNoun = {
  table: 'accounts' | 'categories' | 'transactions' | 'balance_checks' | 'users'
  conflictGroups: ConflictGroups
  /** The fields that hold ids, and the table that these belong to. */
  references?: Record<string, 'accounts' | 'categories'>
  /** The current values of fields that are not what their columns hold. */
  current?: Record<string, SQL>
  /** The condition for the row of `item`. */
  isRow: (userId: SQL) => SQL
  hasVersion: boolean
  /** Columns that the rules need besides each field's `now_` and `next_`, such as sums over several operations. */
  windowColumns?: SQL
  rules: (userId: SQL) => Rule[]
  /** The last day of the reconciled period that the update, or the deletion, of the row would change; NULL if there is none. */
  lock?: { field: string; ofUpdate: SQL; ofDeletion: SQL }
}

type StepInput = { noun: ChangedNoun; step: string; json: string }

/** The columns of `item` before its values: `set_bits` has a bit for each field in `set`, `was_bits` for each in `was`. */
const head = ['position', 'id', 'client_id', 'is_override', 'set_bits', 'was_bits']

/** The operations of a step as JSON. */
export function changesAsJson({ conflictGroups }: ChangedNoun, operations: Operation[]): string {
  const fields = Object.keys(conflictGroups)
  const listed = (values: Operation['set']) => fields.map((field) => values[field] ?? null)
  return JSON.stringify(
    operations.map(({ index, id, clientId, isOverride, set, was }) => {
      const bits = [
        bitsOf(conflictGroups, (field) => field in set),
        bitsOf(conflictGroups, (field) => field in was),
      ]
      return [index, id, clientId, isOverride, ...bits, ...listed(set), ...listed(was)]
    }),
  )
}

/** The values in the outcome of an update: which fields were sent, and what each field should become. */
const changedValues = ({ conflictGroups }: ChangedNoun) => ['set_bits', ...Object.keys(conflictGroups)]

/**
 * Determines the outcomes of updates:
 *
 * 1. A row that does not exist, or is another user's, is gone.
 * 2. An update that would break a rule is invalid.
 * 3. An update conflicts as a whole if any of its fields does.
 * 4. An update that would change nothing leaves the row unchanged.
 * 5. One that would change a reconciled period is invalid.
 */
export function determineUpdates(upload: UploadSql, { noun, step, json }: StepInput): SQL {
  const { userId } = upload
  const fields = Object.keys(noun.conflictGroups)
  const next = fields.map(
    (field, at) => `iif(set_bits & ${1 << at}, set_${field}, now_${field}) as next_${field}`,
  )
  const query = sql`
    with ${foundRows(userId, noun, json)},
    next as materialized (
      select *, ${sql.raw(next.join(', '))}, ${updateConflicts(noun.conflictGroups)} as conflicting from found
    ),
    counted as materialized (select *, ${noun.windowColumns ?? sql`null`} from next),
    checked as materialized (
      select *, iif(row_id is null, '[]', ${brokenRules(noun.rules(userId))}) as broken,
             ${lockedBy(noun, 'ofUpdate', userId)} as locked from counted
    ),
    determined as (
      select *, case when row_id is null then 'gone'
                     when broken <> '[]' then 'invalid'
                     when conflicting <> '[]' then 'conflict'
                     when ${columns('next', fields)} is ${columns('now', fields)} then 'unchanged'
                     when locked is not null then 'invalid'
                     else 'updated' end as outcome from checked
    ),
    result as (
      select position, outcome, row_id as id, version + (outcome = 'updated') as version,
             case outcome when 'invalid' then iif(broken <> '[]', broken, ${lockErrorsOf(noun)})
                          when 'conflict' then conflicting end as detail, set_bits,
             ${sql.raw(fields.map((field) => `next_${field} as ${field}`).join(', '))} from determined
    )`
  return storeOutcomes(upload, { step, values: changedValues(noun), query })
}

function determineDeletions(upload: UploadSql, { noun, step, json }: StepInput): SQL {
  const query = sql`
    with ${foundRows(upload.userId, noun, json)},
    checked as materialized (
      select *, ${deletionConflicts(noun.conflictGroups)} as conflicting, ${lockedBy(noun, 'ofDeletion', upload.userId)} as locked from found
    ),
    determined as (
      select *, case when row_id is null then 'gone'
                     when conflicting <> '[]' then 'conflict'
                     when locked is not null then 'invalid' else 'deleted' end as outcome from checked
    ),
    result as (
      select position, row_id as id, version, outcome,
             case outcome when 'conflict' then conflicting when 'invalid' then ${lockErrorsOf(noun)} end as detail from determined
    )`
  return storeOutcomes(upload, { step, values: [], query })
}

/** The lock of an operation that does not override it; only of a row that exists, and of a user who has any. */
function lockedBy({ lock }: ChangedNoun, of: 'ofUpdate' | 'ofDeletion', userId: SQL): SQL {
  const hasAny = sql`exists (select 1 from accounts where user_id = ${userId} and reconciled_through is not null)`
  return lock ? sql`iif(row_id is not null and not is_override and ${hasAny}, ${lock[of]}, null)` : sql`null`
}

const lockErrorsOf = ({ lock }: ChangedNoun) => (lock ? lockErrors(sql`locked`, lock.field) : sql`null`)

/** The step that updates rows, with a statement for each of `writes`. */
export function updateStep(noun: ChangedNoun, step: string, writes: (now: Date) => Write[]): Step {
  return (owner, context, operations) => {
    const { now } = owner
    const upload = uploadOf(owner, context)
    return toStatements([
      determineUpdates(upload, { noun, step, json: changesAsJson(noun, operations) }),
      ...writes(now).map((one) => applyUpdates(upload, { noun, step, ...one }, now)),
    ])
  }
}

/** The step that deletes rows: `statements` makes those that delete the rows whose ids a query selects. */
export function deletionStep(
  noun: ChangedNoun,
  step: string,
  statements: (owner: UserScope, ids: SQL) => Statement[],
): Step {
  return (owner, context, operations) => {
    const upload = uploadOf(owner, context)
    return [
      owner.db.run(determineDeletions(upload, { noun, step, json: changesAsJson(noun, operations) })),
      ...statements(owner, idsWithOutcome(upload.id, [step], ['deleted'])),
    ]
  }
}

/** `found` has each operation: what it sets, what the client saw, and the current values of the row that it names. */
function foundRows(userId: SQL, noun: ChangedNoun, json: string): SQL {
  const { table, conflictGroups, references = {}, current = {}, hasVersion } = noun
  const name = sql.raw(table)
  const fields = Object.keys(conflictGroups)
  const sent = ['set', 'was'].flatMap((prefix, half) =>
    fields.map((field, at) => {
      const value = sql.raw(`value ->> ${head.length + half * fields.length + at}`)
      const whose = references[field]
      return sql`${whose ? resolveReference(userId, whose, value) : value} as ${sql.raw(`${prefix}_${field}`)}`
    }),
  )
  const now = fields.map(
    (field) => sql`${current[field] ?? sql.raw(`${table}.${field}`)} as ${sql.raw(`now_${field}`)}`,
  )
  const headColumns = head.map((column, at) => sql.raw(`value ->> ${at} as ${column}`))
  return sql`
    item as materialized (select ${sql.join([...headColumns, ...sent], sql`, `)} from json_each(${json})),
    found as materialized (
      select item.*, ${name}.id as row_id, ${hasVersion ? sql`${name}.version` : sql`null`} as version,
             ${sql.join(now, sql`, `)}
        from item left join ${name} on ${noun.isRow(userId)}
    )`
}

/**
 * Writes the updates of a step that `which` matches. Sets only the given fields, since setting a column writes its
 * index entries and runs its triggers, even if its value stays the same.
 */
export function applyUpdates(
  upload: UploadSql,
  { noun, step, fields, also = [], which = sql`true` }: Omit<StepInput, 'json'> & Write,
  now: Date,
): SQL {
  const table = sql.raw(noun.table)
  const set = [
    ...fields.map((field) => sql.raw(`${field} = op.${field}`)),
    ...(noun.hasVersion ? [sql`version = ${table}.version + 1`] : []),
    ...also,
    sql`updated_at = ${now}`,
  ]
  return sql`
    with ${operationsWithOutcome(upload.id, { step, outcome: 'updated', values: changedValues(noun) })}
    update ${table} set ${sql.join(set, sql`, `)} from op where ${table}.id = op.id and ${which}`
}
type Write = { fields: readonly string[]; also?: SQL[]; which?: SQL }
