import { type SQL, sql } from 'drizzle-orm'
import { nextChange } from '../../database/change-numbers.ts'
import { insertWhere } from '../../database/insert-where.ts'
import { failIfOutOfBounds } from '../../database/kept-totals.ts'
import { hasLiveAccounts } from '../../database/live-accounts.ts'
import { refersToOwn } from '../../database/ownership.ts'
import { lockErrors, lockedThrough, type Movement, movementOfRow } from '../../database/reconciled.ts'
import { brokenRules, rule } from '../../database/rules.ts'
import { toStatements } from '../../database/run.ts'
import { batches, recurringRules, spentClientIds, transactions } from '../../database/schema.ts'
import { invalidText, requiredText } from '../../domain/field-errors.ts'
import { transactionTexts } from '../../domain/transaction-fields.ts'
import { bookedDays, movesBookedDays } from '../../transactions/booked-days.ts'
import {
  addCreatedToTotals,
  copiedColumns,
  copiedFieldNames,
  createRows,
  determineOutcomes,
  isItsOccurrence,
  rowParts,
  stageRows,
  transientBatch,
} from '../../transactions/bulk-insert.ts'
import { clientIdRule } from '../../transactions/client-ids.ts'
import { transactionChanges } from '../../transactions/contract.ts'
import { liveCategory } from '../../transactions/read.ts'
import { nextRow, transactionRules } from '../../transactions/sql-rules.ts'
import { fieldsThatGoTogether } from '../fields-contract.ts'
import { bitsOf } from './conflicts.ts'
import {
  idsWithOutcome,
  isTargetRow,
  resolveReference,
  type Step,
  type UploadSql,
  uploadOf,
} from './steps.ts'
import { applyUpdates, type ChangedNoun, changesAsJson, deletionStep, determineUpdates } from './updates.ts'

/** Which fields conflict together (conflicts.ts): clients send those of `accounts` together (`fieldsThatGoTogether`). */
const together: readonly string[] = fieldsThatGoTogether
const fields = new Set([...together, ...Object.keys(transactionChanges.shape)])
const conflictGroups = Object.fromEntries(
  [...fields].map((field) => [field, together.includes(field) ? 'accounts' : field]),
)

const unindexed: string[] = transactionTexts
const isIndexed = (field: string) => !unindexed.includes(field)
const indexed = bitsOf(conflictGroups, isIndexed)

const transaction: ChangedNoun = {
  table: 'transactions',
  conflictGroups,
  references: { account_id: 'accounts', to_account_id: 'accounts', category_id: 'categories' },
  current: { category_id: liveCategory },
  isRow: (userId) => sql`${isTargetRow(userId, 'transactions')} and ${hasLiveAccounts}`,
  hasVersion: true,
  rules: (userId) => transactionRules(userId, nextRow(nextColumn)),
  lock: { field: 'transaction_date', ofUpdate: lockOf(movementAfter()), ofDeletion: lockOf() },
}

function nextColumn(field: string): SQL {
  return sql.raw(`next_${field}`)
}

/** The row after an update, as it moves balances. Only an update that sets an account or the date gives it other days. */
function movementAfter(): Movement {
  const date = nextColumn('transaction_date')
  const next = { ...nextRow(nextColumn), amount: nextColumn('amount'), transaction_date: date }
  const { bookedOn, toBookedOn } = bookedDays(next)
  const isBookedAnew = setsAny((field) => movesBookedDays({ [field]: true }))
  const dayOn = (booked: SQL, now: SQL) => sql`coalesce(iif(${isBookedAnew}, ${booked}, ${now}), ${date})`
  return {
    ...next,
    day: dayOn(bookedOn, sql`transactions.booked_on`),
    to_day: dayOn(toBookedOn, sql`transactions.to_booked_on`),
  }
}

function setsAny(which: (field: string) => boolean): SQL {
  return sql.raw(`set_bits & ${bitsOf(conflictGroups, which)}`)
}

function lockOf(after?: Movement): SQL {
  const through = lockedThrough({ before: movementOfRow, ...(after && { after }) })
  const moves = ['type', 'amount', 'account_id', 'to_account_id', 'transaction_date']
  const mayMove = after ? setsAny((field) => moves.includes(field)) : sql`true`
  return sql`(select ${through} from transactions where transactions.id = row_id and ${mayMove})`
}

const step = 'update transaction'

/** Writes the updates that set exactly these indexed fields. */
function writeUpdates(upload: UploadSql, indexedFields: string[], now: Date): SQL {
  const bits = bitsOf(conflictGroups, (field) => indexedFields.includes(field))
  const which = sql.raw(`op.set_bits & ${indexed} = ${bits}`)
  const next = {
    account_id: sql`op.account_id`,
    to_account_id: sql`op.to_account_id`,
    transaction_date: sql`op.transaction_date`,
  }
  const { bookedOn, toBookedOn } = bookedDays(next)
  const movesDays = movesBookedDays(Object.fromEntries(indexedFields.map((field) => [field, true])))
  const also = [
    sql`seq = ${nextChange(upload.userId)} + op.position`,
    ...(movesDays ? [sql`booked_on = ${bookedOn}`, sql`to_booked_on = ${toBookedOn}`] : []),
  ]
  const fields = [...indexedFields, ...unindexed]
  return applyUpdates(upload, { noun: transaction, step, fields, also, which }, now)
}

/** The fields on which the sums of months depend. */
const summed = ['type', 'amount', 'transaction_date']

/** Checks the sums of months once for all updates: while an upload runs, the triggers check none. */
function checkBounds({ id, userId }: UploadSql): SQL {
  return failIfOutOfBounds(userId, sql`id in (${idsWithOutcome(id, [step], ['updated'])})`)
}

export const updateTransactions: Step = (owner, context, operations) => {
  const upload = uploadOf(owner, context)
  const json = changesAsJson(transaction, operations)
  // One UPDATE per set of indexed columns, since writing a column writes its index entries.
  const indexedSets = new Map(
    operations.map(({ set }) => {
      const fields = Object.keys(conflictGroups).filter((field) => isIndexed(field) && field in set)
      return [fields.join(), fields]
    }),
  )
  const setsSummed = operations.some(({ set }) => summed.some((field) => field in set))
  return toStatements([
    determineUpdates(upload, { noun: transaction, step, json }),
    ...[...indexedSets.values()].map((fields) => writeUpdates(upload, fields, owner.now)),
    ...(setsSummed ? [checkBounds(upload)] : []),
  ])
}

export const deleteTransactions = deletionStep(transaction, 'delete transaction', ({ db }, ids) => [
  db.delete(transactions).where(sql`${transactions.id} in (${ids})`),
])

const creationFields = [
  'account_id',
  'to_account_id',
  'category_id',
  'has_category_id',
  'no_occurrence',
  'is_override',
  ...copiedFieldNames,
] as const

/** Creations are a batch with the upload's id, which is deleted at the end of the upload. */
export const createTransactions: Step = (owner, context, operations) => {
  const { db, now } = owner
  const { id, userId, guard } = uploadOf(owner, context)
  const rows = operations.map(({ clientId, set, noOccurrence, isOverride }) => ({
    ...set,
    is_override: isOverride,
    client_id: clientId,
    has_category_id: 'category_id' in set,
    no_occurrence: noOccurrence,
  }))
  const parts = rowParts<Record<string, unknown>>(rows, creationFields)
  return [
    insertWhere(db, batches, transientBatch(id, userId, now), guard),
    ...toStatements([
      ...stageRows(id, parts, creationFields, checkedItems(userId)),
      // Besides the items staged as invalid, only those of deleted rows are refused (outcomes.ts).
      determineOutcomes(id, [clientIdRule(userId, sql`item.client_id`), notBeingDeleted], {
        hasClientIds: true,
        hasOccurrences: operations.some(({ set }) => set.recurring_id != null),
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
    or exists (select 1 from ${spentClientIds} where ${named} and noun = 'transaction')
    or exists (select 1 from ${transactions} where ${isItsOccurrence}))`
  const of = (field: string) => sql.raw(`item.${field}`)
  const item = nextRow(of)
  // An operation may send `category_id: null`.
  const hasCategoryId = rule(
    'category_id',
    requiredText,
    sql`(item.type = 'transfer' or item.has_category_id)`,
    'type',
  )
  const hasRule = sql`(item.recurring_id is null or ${refersToOwn(userId, recurringRules, sql`item.recurring_id`)})`
  const occurrence = [
    rule('recurring_id', invalidText, hasRule),
    rule('occurrence_date', invalidText, sql`item.no_occurrence is not 'unknown'`),
  ]
  const broken = brokenRules([...transactionRules(userId, item), hasCategoryId, ...occurrence])
  const locked = sql`iif(locked is null, null, ${lockErrors(sql`locked`)})`
  const errors = sql`iif(item.no_occurrence = 'skipped', '[]', coalesce(nullif(${broken}, '[]'), ${locked}))`
  return sql`
    select iif(${existed}, null, ${errors}) as errors, account_id, to_account_id, category_id as category,
           ${copiedColumns}
      from (select *, iif(is_override, null, ${lockOfItem(item)}) as locked from (
            select ${columnsOfItem(userId)}, item.has_category_id, item.no_occurrence, item.is_override,
                   ${resolveReference(userId, 'accounts', of('account_id'))} as account_id,
                   ${resolveReference(userId, 'accounts', of('to_account_id'))} as to_account_id,
                   ${resolveReference(userId, 'categories', of('category_id'))} as category_id from item) item) item`
}

/** The reconciled period in which an item would move a balance. */
function lockOfItem(item: ReturnType<typeof nextRow>): SQL {
  const of = (field: string) => sql.raw(`item.${field}`)
  const dayOn = (bookedOn: string) => sql`coalesce(${of(bookedOn)}, ${of('transaction_date')})`
  const days = { day: dayOn('booked_on'), to_day: dayOn('to_booked_on') }
  return lockedThrough({ after: { ...item, amount: of('amount'), ...days } })
}

/** The staged columns of an item, with the id of its rule. */
function columnsOfItem(userId: SQL): SQL {
  const columns = copiedFieldNames.map((name) => {
    const column = sql.raw(`item.${name}`)
    if (name !== 'recurring_id') return column
    const id = resolveReference(userId, 'recurring_rules', column)
    // 0 for another user's rule, so that no row of that user is its occurrence.
    return sql`iif(${column} is null, null, coalesce((
      select own.id from recurring_rules own where own.id = ${id} and own.user_id = ${userId}), 0)) as recurring_id`
  })
  return sql.join(columns, sql`, `)
}

/** Even a row that is being removed with its account keeps its occurrence. */
const notBeingDeleted = rule(
  'occurrence_date',
  invalidText,
  sql`not exists (select 1 from ${transactions} where ${isItsOccurrence} and not ${hasLiveAccounts})`,
)
