import { type SQL, sql } from 'drizzle-orm'
import { nextChange } from '../../database/change-numbers.ts'
import { insertWhere } from '../../database/insert-where.ts'
import { failIfOutOfBounds } from '../../database/kept-totals.ts'
import { hasLiveAccounts } from '../../database/live-accounts.ts'
import { brokenRules, rule } from '../../database/rules.ts'
import { withoutResults } from '../../database/run.ts'
import { batches, spentClientIds, transactions } from '../../database/schema.ts'
import { requiredText } from '../../shared/field-errors.ts'
import {
  addCreatedToTotals,
  copiedColumns,
  copiedFieldNames,
  createRows,
  determineOutcomes,
  rowParts,
  stageRows,
  transientBatch,
} from '../../transactions/bulk-insert.ts'
import { clientIdUnspent } from '../../transactions/client-ids.ts'
import { transactionChanges } from '../../transactions/contract.ts'
import { liveCategory } from '../../transactions/read.ts'
import { nextRow, transactionRules } from '../../transactions/sql-rules.ts'
import { fieldsThatGoTogether } from '../operations-contract.ts'
import { bitsOf } from './conflicts.ts'
import { idsWithOutcome, isTargetRow, resolved, type Step, type UploadSql, uploadOf } from './steps.ts'
import { applyUpdates, type ChangedNoun, changesAsJson, deletionStep, determineUpdates } from './updates.ts'

/** Which fields conflict together (conflicts.ts): clients send those of `accounts` together (`fieldsThatGoTogether`). */
const together: readonly string[] = fieldsThatGoTogether
const fields = new Set([...together, ...Object.keys(transactionChanges.shape)])
const conflictGroups = Object.fromEntries(
  [...fields].map((field) => [field, together.includes(field) ? 'accounts' : field]),
)

const unindexed = ['description', 'reference']
const isIndexed = (field: string) => !unindexed.includes(field)
const indexed = bitsOf(conflictGroups, isIndexed)

const transaction: ChangedNoun = {
  table: 'transactions',
  conflictGroups,
  references: { account_id: 'accounts', to_account_id: 'accounts', category_id: 'categories' },
  current: { category_id: liveCategory },
  isRow: (userId) => sql`${isTargetRow(userId, 'transactions')} and ${hasLiveAccounts}`,
  hasVersion: true,
  rules: (userId) =>
    transactionRules(
      userId,
      nextRow((field) => sql.raw(`next_${field}`)),
    ),
}

const updateStep = { noun: transaction, step: 'update transaction' }

/** Writes the updates that set exactly these indexed fields. */
function writeUpdates(upload: UploadSql, isTouched: (field: string) => boolean, now: Date): SQL {
  const fields = Object.keys(conflictGroups).filter((field) => isTouched(field) || !isIndexed(field))
  const which = sql.raw(`op.set_bits & ${indexed} = ${bitsOf(conflictGroups, isTouched)}`)
  const also = [sql`seq = ${nextChange(upload.userId)} + op.position`]
  return applyUpdates(upload, { ...updateStep, fields, also, which }, now)
}

/** The fields on which the sums of months depend. */
const summed = ['type', 'amount', 'transaction_date']

/** Checks the sums of months once for all updates: while an upload runs, the triggers check none. */
function checkBounds({ id, userId }: UploadSql): SQL {
  return failIfOutOfBounds(userId, sql`id in (${idsWithOutcome(id, [updateStep.step], ['updated'])})`)
}

export const updateTransactions: Step = (owner, context, operations) => {
  const upload = uploadOf(owner, context)
  const json = changesAsJson(transaction, operations)
  // The indexed groups that each update sets, each combination once.
  const touched = new Set(operations.map(({ set }) => groupsOf(Object.keys(set).filter(isIndexed)).join()))
  const writes = [...touched].map((groups) =>
    writeUpdates(upload, (field) => groups.split(',').includes(groupsOf([field]).join()), owner.now),
  )
  const setsSummed = operations.some(({ set }) => summed.some((field) => field in set))
  return withoutResults([
    determineUpdates(upload, { ...updateStep, json }),
    ...writes,
    ...(setsSummed ? [checkBounds(upload)] : []),
  ])
}

/** The groups of fields, each once, in the order of `conflictGroups`. */
function groupsOf(fields: string[]): string[] {
  return [
    ...new Set(
      Object.entries(conflictGroups).flatMap(([field, group]) => (fields.includes(field) ? group : [])),
    ),
  ]
}

export const deleteTransactions = deletionStep(transaction, 'delete transaction', ({ db }, ids) =>
  db.delete(transactions).where(sql`${transactions.id} in (${ids})`),
)

const creationFields = [
  'account_id',
  'to_account_id',
  'category_id',
  'names_category',
  ...copiedFieldNames,
] as const

/** Creations are a batch with the upload's id, which is deleted at the end of the upload. */
export const createTransactions: Step = (owner, context, operations) => {
  const { db, now } = owner
  const { id, userId, guard } = uploadOf(owner, context)
  const rows = operations.map(({ clientId, set }) => ({
    ...set,
    client_id: clientId,
    names_category: 'category_id' in set,
  }))
  const parts = rowParts<Record<string, unknown>>(rows, creationFields)
  return [
    insertWhere(db, batches, transientBatch(id, userId, now), guard),
    ...withoutResults([
      ...stageRows(id, parts, creationFields, checkedItems(userId)),
      // Besides the items staged as invalid, only those with the client id of a deleted row are refused (outcomes.ts).
      determineOutcomes(id, [clientIdUnspent(userId, sql`item.client_id`)], {
        hasClientIds: true,
        comparesContent: false,
      }),
      createRows(id, now, { isSynced: true, importId: sql`null`, guard: sql`true` }),
      ...addCreatedToTotals(id),
    ]),
  ]
}

/** Items with the ids they refer to, and their errors: none if the client id has been used. */
function checkedItems(userId: SQL): SQL {
  const named = sql`user_id = ${userId} and client_id = item.client_id`
  const existed = sql`(exists (select 1 from ${transactions} where ${named})
    or exists (select 1 from ${spentClientIds} where ${named} and noun = 'transaction'))`
  const of = (field: string) => sql.raw(`item.${field}`)
  const item = nextRow(of)
  // Unlike a creation by POST, one of these may say that it has no category.
  const namesCategory = rule(
    'category_id',
    requiredText,
    sql`(item.type = 'transfer' or item.names_category)`,
    'type',
  )
  const broken = brokenRules([...transactionRules(userId, item), namesCategory])
  return sql`
    select iif(${existed}, null, nullif(${broken}, '[]')) as errors, account_id, to_account_id, category_id as category,
           ${copiedColumns}
      from (select ${copiedColumns}, item.names_category,
                   ${resolved(userId, 'accounts', of('account_id'))} as account_id,
                   ${resolved(userId, 'accounts', of('to_account_id'))} as to_account_id,
                   ${resolved(userId, 'categories', of('category_id'))} as category_id from item) item`
}
