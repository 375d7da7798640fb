import { type SQL, sql } from 'drizzle-orm'
import { isSpentKey } from '../../database/idempotency.ts'
import { brokenRules, type Rule } from '../../database/rules.ts'
import { toStatements } from '../../database/run.ts'
import type { Operation } from '../operations-contract.ts'
import {
  operationsWithOutcome,
  resolveReference,
  type Step,
  storeOutcomes,
  type UploadSql,
  uploadOf,
} from './steps.ts'

/** Accounts, categories, rules or balance checks as creations see them. Their fields are columns of the table, under the same names. */
export type CreatedNoun = {
  name: 'account' | 'category' | 'recurring' | 'balance_check'
  table: 'accounts' | 'categories' | 'recurring_rules' | 'balance_checks'
  fields: readonly string[]
  /** The fields that hold ids, and the table that these belong to. */
  references?: Record<string, 'accounts' | 'categories'>
  /** The condition for the row that `item` would create again, by default that with its client id. */
  isKnown?: (userId: SQL) => SQL
  /** Values of further columns, from the fields. */
  ownColumns?: (upload: { userId: SQL; now: Date }) => Record<string, SQL>
  /** Columns that the rules need besides the fields and `nth`. The window `fresh` keeps new rows apart from the others. */
  windowColumns: SQL
  rules: (userId: SQL) => Rule[]
}

/** The step that creates rows of a noun. */
export function creationStep(noun: CreatedNoun): Step {
  return (owner, context, operations) => {
    const upload = uploadOf(owner, context)
    return toStatements([
      determineCreations(upload, noun, asJson(noun, operations)),
      insert(upload, noun, owner.now),
    ])
  }
}

const stepOf = ({ name }: CreatedNoun) => `create ${name}`

function asJson({ fields }: CreatedNoun, operations: Operation[]): string {
  return JSON.stringify(
    operations.map(({ index, clientId, set }) => [
      index,
      clientId,
      ...fields.map((field) => set[field] ?? null),
    ]),
  )
}

/**
 * Determines the outcomes of creations. A creation is a duplicate if its client id already has a
 * row, and gone if that row has been deleted. Even an invalid creation counts towards the quotas of those after it.
 */
function determineCreations(upload: UploadSql, noun: CreatedNoun, json: string): SQL {
  const { userId } = upload
  const table = sql.raw(noun.table)
  const { references = {}, isKnown = hasClientId } = noun
  const names = ['position', 'client_id', ...noun.fields]
  const columns = names.map((name, at) => {
    const [value, of] = [sql.raw(`value ->> ${at}`), references[name]]
    return sql`${of ? resolveReference(userId, of, value) : value} as ${sql.raw(name)}`
  })
  const isSpent = isSpentKey(userId, noun.name, sql`item.client_id`)
  // AUTOINCREMENT: the ids of deleted rows are never used again.
  const lastId = sql`coalesce((select seq from sqlite_sequence where name = ${sql.raw(`'${noun.table}'`)}), 0)`
  const query = sql`
    with item as materialized (select ${sql.join(columns, sql`, `)} from json_each(${json})),
    known as materialized (
      select item.*, known.id as known_id, known.version as known_version, known.id is null and ${isSpent} as is_spent
        from item left join ${table} known on ${isKnown(userId)}
    ),
    counted as materialized (
      select *, row_number() over fresh as nth, ${noun.windowColumns} from known
      window fresh as (partition by known_id is null and not is_spent order by position)
    ),
    checked as materialized (
      select *, iif(known_id is null and not is_spent, ${brokenRules(noun.rules(userId))}, '[]') as broken from counted
    ),
    determined as (
      select *, case when known_id is not null then 'duplicate'
                     when is_spent then 'gone'
                     when broken <> '[]' then 'invalid' else 'created' end as outcome from checked
    ),
    result as (
      select *, iif(outcome = 'created', ${lastId} + nth, known_id) as id,
             iif(outcome = 'created', 1, known_version) as version, iif(outcome = 'invalid', broken, null) as detail
        from determined
    )`
  return storeOutcomes(upload, { step: stepOf(noun), values: ['client_id', ...noun.fields], query })
}

const hasClientId = (userId: SQL) => sql`known.user_id = ${userId} and known.client_id = item.client_id`

function insert(upload: UploadSql, noun: CreatedNoun, now: Date): SQL {
  const ownColumns = noun.ownColumns?.({ userId: upload.userId, now }) ?? {}
  const values = ['client_id', ...noun.fields]
  const columns = sql.raw([...values, ...Object.keys(ownColumns)].join(', '))
  const selected = sql.join([...values.map((name) => sql.raw(name)), ...Object.values(ownColumns)], sql`, `)
  return sql`
    insert into ${sql.raw(noun.table)} (id, user_id, ${columns}, created_at, updated_at)
    with ${operationsWithOutcome(upload.id, { step: stepOf(noun), outcome: 'created', values })}
    select id, ${upload.userId}, ${selected}, ${now}, ${now} from op order by position`
}
