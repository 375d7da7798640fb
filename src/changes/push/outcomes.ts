import { and, eq, sql } from 'drizzle-orm'
import { checkColumns } from '../../balance-checks/read.ts'
import type { User, UserScope } from '../../database/owner.ts'
import type { Results } from '../../database/run.ts'
import {
  accounts,
  balanceChecks,
  batches,
  categories,
  type ItemErrors,
  recurringRules,
  transactions,
} from '../../database/schema.ts'
import type { FieldErrors } from '../../domain/field-errors.ts'
import { errorsByField } from '../../domain/field-errors.ts'
import { operationKinds, type operationOutcomes } from '../../domain/types.ts'
import { ruleColumns } from '../../recurring/read.ts'
import { transactionColumns } from '../../transactions/read.ts'
import type { Operation } from '../operations-contract.ts'
import { type Change, feedAccountColumns, feedCategoryColumns } from '../pull/rows.ts'
import { idsWithOutcome, storedOutcomes } from './steps.ts'

export type Outcome = {
  index: number
  outcome: (typeof operationOutcomes)[number]
  id: number | null
  version: number | null
  /** The fields that conflict. */
  fields: string[] | null
  errors: FieldErrors | null
  /** The row as it is now, where the client cannot know it. */
  current: Change | null
}

type OperationOutcome = [
  index: number,
  outcome: Outcome['outcome'],
  id: number | null,
  version: number | null,
  detail: ItemErrors | string[] | null,
]

/** Outcomes that show the row, since the client cannot know it as it is now. */
const shownOutcomes: Outcome['outcome'][] = ['duplicate', 'conflict', 'unchanged']

/** Reads the outcomes of an upload, the current rows of those with `shownOutcomes`, and which accounts were deleted. */
export function readOutcomes({ db, id }: UserScope, uploadId: string) {
  const shown = (noun: string) =>
    idsWithOutcome(
      uploadId,
      [...operationKinds, 'reconcile'].map((kind) => `${kind} ${noun}`),
      shownOutcomes,
    )
  const duplicates = sql`
    select value ->> 1 from ${batches} cross join json_each(outcomes)
     where ${batches.id} = ${uploadId} and value ->> 0 = 'duplicate'`
  // The plus makes SQLite search by id: the user has many rows.
  const own = sql`+${transactions.userId} = ${id}`
  return {
    stored: db.all<{ outcomes: string }>(storedOutcomes(uploadId)),
    creations: db.select({ outcomes: batches.outcomes }).from(batches).where(eq(batches.id, uploadId)),
    accounts: db
      .select(feedAccountColumns)
      .from(accounts)
      .where(and(sql`${accounts.id} in (${shown('account')})`, sql`+${accounts.userId} = ${id}`)),
    categories: db
      .select(feedCategoryColumns)
      .from(categories)
      .where(and(sql`${categories.id} in (${shown('category')})`, sql`+${categories.userId} = ${id}`)),
    rules: db
      .select(ruleColumns)
      .from(recurringRules)
      .where(
        and(sql`${recurringRules.id} in (${shown('recurring')})`, sql`+${recurringRules.userId} = ${id}`),
      ),
    transactions: db
      .select(transactionColumns)
      .from(transactions)
      .where(and(sql`${transactions.id} in (${shown('transaction')} union all ${duplicates})`, own)),
    checks: db
      .select(checkColumns)
      .from(balanceChecks)
      .where(
        and(sql`${balanceChecks.id} in (${shown('balance_check')})`, sql`+${balanceChecks.userId} = ${id}`),
      ),
    accountsDeleted: db.all(idsWithOutcome(uploadId, ['delete account'], ['deleted'])),
  }
}

/**
 * Makes outcomes from what `readOutcomes` has read. `user` is the profile before the upload: it is shown only if the
 * upload has not changed it.
 */
export function outcomesOf(
  operations: Operation[],
  found: Results<ReturnType<typeof readOutcomes>>,
  user: User,
): Outcome[] {
  const shown = new Map<string, Change>()
  const add = (change: Change) => shown.set(`${change.noun} ${change.id}`, change)
  for (const row of found.accounts) add({ noun: 'account', id: row.id, row })
  for (const row of found.categories) add({ noun: 'category', id: row.id, row })
  for (const row of found.rules) add({ noun: 'recurring', id: row.id, row })
  for (const row of found.transactions) add({ noun: 'transaction', id: row.id, row })
  for (const row of found.checks) add({ noun: 'balance_check', id: row.id, row })
  add({ noun: 'profile', id: user.id, row: user })
  const nouns = new Map(operations.map(({ index, noun }) => [index, noun]))
  return [...parseOutcomes(found.stored), ...creationOutcomes(operations, found.creations)].map(
    ([index, outcome, id, version, detail]) => {
      const isShown = shownOutcomes.includes(outcome)
      const current = isShown ? (shown.get(`${nouns.get(index)} ${id}`) ?? null) : null
      return {
        index,
        outcome,
        id,
        version: version ?? (current?.noun === 'transaction' ? (current.row?.version ?? null) : null),
        fields: outcome === 'conflict' ? (detail as string[]) : null,
        errors: outcome === 'invalid' ? errorsByField(detail as ItemErrors) : null,
        current,
      }
    },
  )
}

function parseOutcomes(found: { outcomes: string }[]): OperationOutcome[] {
  return found.flatMap(({ outcomes }) => JSON.parse(outcomes) as OperationOutcome[])
}

/**
 * The outcomes of creations of transactions (bulk-insert.ts): one that `failed` has the client id of a deleted row, and
 * one that is invalid without errors is an occurrence that is skipped.
 */
function creationOutcomes(
  operations: Operation[],
  [batch]: Results<ReturnType<typeof readOutcomes>>['creations'],
): OperationOutcome[] {
  const creations = operations.filter(({ kind, noun }) => kind === 'create' && noun === 'transaction')
  return (batch?.outcomes ?? []).map(([outcome, id, errors], at) => {
    const index = creations[at]?.index ?? 0
    if (outcome === 'failed' || errors?.length === 0) return [index, 'gone', null, null, null]
    return [
      index,
      outcome as 'created' | 'duplicate' | 'invalid',
      id,
      outcome === 'created' ? 1 : null,
      errors,
    ]
  })
}
