import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type * as z from 'zod/mini'
import { toColumns } from '../../database/input-columns.ts'
import { recurringQuota } from '../../database/quotas.ts'
import { brokenRules, type Rule as WriteRule } from '../../database/rules.ts'
import type { Statement } from '../../database/run.ts'
import { recurringRules } from '../../database/schema.ts'
import { newRecurring } from '../../recurring/contract.ts'
import { openedNow } from '../../recurring/create.ts'
import { divisionStatements } from '../../recurring/divide.ts'
import { dueAfterWrite, isAsRead, isOpened, referenceRules } from '../../recurring/next-rule.ts'
import { nextRow, transactionRules } from '../../transactions/sql-rules.ts'
import type { fieldsOfNoun } from '../fields-contract.ts'
import type { Operation } from '../operations-contract.ts'
import { type CreatedNoun, creationStep } from './creations.ts'
import { withoutNulls } from './rule-occurrences.ts'
import type { RuleWrite, SetFields } from './rule-writes.ts'
import {
  idsWithOutcome,
  resolveReference,
  type Step,
  storeOutcomes,
  type UploadContext,
  type UploadSql,
  uploadOf,
} from './steps.ts'

const references = { account_id: 'accounts', to_account_id: 'accounts', category_id: 'categories' } as const

const created: CreatedNoun = {
  name: 'recurring',
  table: 'recurring_rules',
  fields: [...Object.keys(newRecurring.shape), 'exceptions'],
  references,
  windowColumns: sql`null`,
  rules: (userId) => [
    ...transactionRules(
      userId,
      nextRow((field) => sql.raw(`counted.${field}`)),
    ),
    recurringQuota(userId, sql`nth`),
  ],
  ownColumns: ({ userId, now }) => ({
    opened_at: sql`${now}`,
    opened_in: sql`(select timezone from users where users.id = ${userId})`,
    due_at: sql`iif(auto_record and not paused, 0, null)`,
  }),
}

type NewFields = z.output<typeof fieldsOfNoun.recurring.create>

/** The values of fields that a new rule need not have. */
const defaults = { amount_tolerance: 0, weekend: 'keep', auto_record: false, paused: false }

/** Creates rules, and then sets which others continue them. */
export const createRules: Step = (owner, context, operations) => {
  const rows = operations.map((one) => {
    const set = { ...defaults, ...(one.set as Partial<NewFields>) }
    return { ...one, set: { ...set, exceptions: JSON.stringify(withoutNulls(set.exceptions)) } }
  })
  const successors = operations.filter(({ set }) => set.successor_id != null)
  const statements = creationStep(created)(owner, context, rows)
  if (successors.length === 0) return statements
  return [...statements, owner.db.run(setSuccessors(uploadOf(owner, context), successors))]
}

function setSuccessors({ id, userId }: UploadSql, operations: Operation[]): SQL {
  const json = JSON.stringify(operations.map(({ clientId, set }) => [clientId, set.successor_id]))
  const successor = resolveReference(userId, 'recurring_rules', sql`sent.value ->> 1`)
  return sql`
    update recurring_rules
       set successor_id = (select own.id from recurring_rules own
                            where own.id = ${successor} and own.user_id = ${userId})
      from json_each(${json}) sent
     where recurring_rules.user_id = ${userId} and recurring_rules.client_id = sent.value ->> 0
       and recurring_rules.id in (${idsWithOutcome(id, ['create recurring'], ['created'])})`
}

/** Writes the changes of rules that have been decided, and stores the outcomes of those that may be refused. */
export const changeRules: Step = (owner, context) => {
  const upload = uploadOf(owner, context)
  return writesOf(context).flatMap((write): Statement[] => {
    if (write.kind === 'delete') return []
    const { rule, set } = write
    const sent = withIds(owner.id, set)
    const rules = [
      ...referenceRules(owner.id, rule, sent),
      ...(write.kind === 'divide' ? [recurringQuota(owner.id)] : []),
    ]
    const where = and(upload.guard, isAsRead(owner, rule), ...rules.map(({ holds }) => holds)) as SQL
    const columns = { ...toColumns(sent), ...(isOpened(rule, set) && openedNow(owner)) }
    const outcome = rules.length > 0 ? [owner.db.run(storeOutcome(upload, write, rules))] : []
    if (write.kind === 'update') {
      const { exceptions } = write
      const own = {
        exceptions,
        dueAt: dueAfterWrite(rule, set),
        version: rule.version + 1,
        updatedAt: owner.now,
      }
      return [
        ...outcome,
        owner.db
          .update(recurringRules)
          .set({ ...columns, ...own })
          .where(where),
      ]
    }
    const { from, columns: continued } = write.division
    const division = { rule: write.division.rule, from, columns: { ...columns, ...continued } }
    const { ended, created, moved } = divisionStatements(owner, division, where)
    return [...outcome, ended, created, moved]
  })
}

export const deleteRules: Step = (owner, context) => {
  const ids = writesOf(context).flatMap(({ kind, rule }) => (kind === 'delete' ? rule.id : []))
  const isOwn = and(inArray(recurringRules.id, ids), eq(recurringRules.userId, owner.id))
  return [owner.db.delete(recurringRules).where(and(uploadOf(owner, context).guard, isOwn))]
}

const writesOf = ({ plan }: UploadContext) => plan?.writes ?? []

/** What a change sets, with the ids of rows that it names by client ids. */
function withIds(userId: SQL, { exceptions, from, successor_client_id, ...set }: SetFields) {
  const { account_id, to_account_id, category_id, ...fields } = set
  const idOf = (table: 'accounts' | 'categories', name: number | string) =>
    typeof name === 'number' ? name : sql<number>`${resolveReference(userId, table, sql`${name}`)}`
  return {
    ...fields,
    ...(account_id !== undefined && { account_id: idOf('accounts', account_id) }),
    ...(to_account_id !== undefined && { to_account_id: to_account_id && idOf('accounts', to_account_id) }),
    ...(category_id !== undefined && { category_id: category_id && idOf('categories', category_id) }),
  }
}

function storeOutcome(upload: UploadSql, { index, rule }: RuleWrite, rules: WriteRule[]): SQL {
  const query = sql`
    with checked as materialized (select ${brokenRules(rules)} as broken),
    result as (
      select ${index} as position, iif(broken = '[]', 'updated', 'invalid') as outcome, ${rule.id} as id,
             ${rule.version} + (broken = '[]') as version, nullif(broken, '[]') as detail from checked)`
  return storeOutcomes(upload, { step: `change recurring ${index}`, values: [], query })
}
