import { type SQL, sql } from 'drizzle-orm'
import type { Operation } from '../../contract/operations.ts'
import { prepareOwned } from '../../db/owner.ts'
import type { Slots } from '../../db/prepared.ts'
import { spentClientIds } from '../../db/schema.ts'
import { brokenRules, type Rule } from '../guards.ts'
import { accepted, type Staged, type Step, storeDecisions, type Uploading, uploadOf } from './steps.ts'

/** An account or a category as creations see it. Its fields are columns of its table, under the same names. */
export type NewRows = {
  noun: 'account' | 'category'
  table: 'accounts' | 'categories'
  fields: readonly string[]
  /** A column that the rules need besides the fields and `nth`; the window `fresh` has the operations that are not repeats. */
  counted: SQL
  rules: (userId: SQL) => Rule[]
}

/** The step that creates rows. */
export function creation(rows: NewRows): Step {
  const create = prepareOwned((owner, staged: Slots<Staged>) => {
    const { db, now } = owner
    const upload = uploadOf(owner, staged)
    return {
      judged: db.run(judge(upload, rows, staged.json)),
      created: db.run(insert(upload, rows, now)),
    }
  })
  return (owner, asked, operations) =>
    Object.values(create(owner, { ...asked, json: asJson(rows, operations) }))
}

const stepOf = ({ noun }: NewRows) => `create ${noun}`

function asJson({ fields }: NewRows, operations: Operation[]): string {
  return JSON.stringify(
    operations.map(({ index, clientId, set }) => [
      index,
      clientId,
      ...fields.map((field) => set[field] ?? null),
    ]),
  )
}

/**
 * Decides the outcomes of the creation of accounts or categories. One whose client id already has a row is a duplicate of
 * it, or gone if that row has been deleted. One that breaks a rule still counts against those after it, so that a quota is
 * never exceeded.
 */
function judge(upload: Uploading, rows: NewRows, json: SQL): SQL {
  const { userId } = upload
  const table = sql.raw(rows.table)
  const names = ['position', 'client_id', ...rows.fields]
  const columns = sql.raw(names.map((name, at) => `value ->> ${at} as ${name}`).join(', '))
  const isSpent = sql`exists (
    select 1 from ${spentClientIds} spent
     where spent.user_id = ${userId} and spent.noun = ${sql.raw(`'${rows.noun}'`)} and spent.client_id = item.client_id)`
  // AUTOINCREMENT: the ids of deleted rows are never used again.
  const lastId = sql`coalesce((select seq from sqlite_sequence where name = ${sql.raw(`'${rows.table}'`)}), 0)`
  const query = sql`
    with item as materialized (select ${columns} from json_each(${json})),
    known as materialized (
      select item.*, known.id as known_id, known.version as known_version, known.id is null and ${isSpent} as is_spent
        from item left join ${table} known on known.user_id = ${userId} and known.client_id = item.client_id
    ),
    counted as materialized (
      select *, row_number() over fresh as nth, ${rows.counted} from known
      window fresh as (partition by known_id is null and not is_spent order by position)
    ),
    judged as materialized (
      select *, iif(known_id is null and not is_spent, ${brokenRules(rows.rules(userId))}, '[]') as broken from counted
    ),
    decided as (
      select *, case when known_id is not null then 'duplicate'
                     when is_spent then 'gone'
                     when broken <> '[]' then 'invalid' else 'created' end as outcome from judged
    ),
    decision as (
      select *, iif(outcome = 'created', ${lastId} + nth, known_id) as id,
             iif(outcome = 'created', 1, known_version) as version, iif(outcome = 'invalid', broken, null) as detail
        from decided
    )`
  return storeDecisions(upload, { step: stepOf(rows), values: ['client_id', ...rows.fields], query })
}

function insert(upload: Uploading, rows: NewRows, now: SQL): SQL {
  const values = ['client_id', ...rows.fields]
  const columns = sql.raw(values.join(', '))
  return sql`
    insert into ${sql.raw(rows.table)} (id, user_id, ${columns}, created_at, updated_at)
    with ${accepted(upload.id, { step: stepOf(rows), outcome: 'created', values })}
    select id, ${upload.userId}, ${columns}, ${now}, ${now} from op order by position`
}
