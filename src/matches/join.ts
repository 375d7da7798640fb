import { type SQL, sql } from 'drizzle-orm'
import { withinBounds } from '../database/bounds.ts'
import { lastChange, nextChange } from '../database/change-numbers.ts'
import { hasLiveAccounts } from '../database/live-accounts.ts'
import type { Owner, UserScope } from '../database/owner.ts'
import { requireComplete } from '../database/ownership.ts'
import { withinPeriods } from '../database/reconciled.ts'
import { selectRuleFlags, violationOf } from '../database/rules.ts'
import { type Statement, toStatements } from '../database/run.ts'
import { transactions } from '../database/schema.ts'
import { setCause } from '../database/written-by.ts'
import type { FieldErrors } from '../domain/field-errors.ts'
import { handedOverTexts } from '../domain/transaction-fields.ts'
import type { Draft } from '../failures/draft.ts'
import { Invalid, Reconciled } from '../failures/failures.ts'
import { dayInFile } from '../transactions/booked-days.ts'
import { storedFieldNames } from '../transactions/bulk-insert.ts'
import { storeLegOriginals } from '../transactions/leg-originals.ts'
import { liveCategory, type Transaction, transactionColumns } from '../transactions/read.ts'
import type { JoinedPair, Pair, Pairs } from './contract.ts'
import { areOccurrences, hasRoom, isPair, kindRule, occurrenceRule, pairRules, roomRule } from './pairs.ts'

/*
 * Joining makes one transaction of two that record the same event. For a transfer, the outflow remains; for a duplicate, a
 * row that is already a transfer, or else the typed one, or else the older one. The other is deleted like any row, and
 * stored as an imported original: a file that has it imports nothing new, and separate.ts can bring it back as it was.
 * Figures, the log of changes and spent client ids are the triggers' work. The `updated_at` of the row that remains does
 * not change: undoing an import tells by it whether a row has been edited.
 */

/** The columns of the deleted row that a separation restores. */
export const restoredColumns = [
  'account_id',
  'to_account_id',
  ...storedFieldNames,
  'created_at',
  'updated_at',
]

/** A list of SQL with an item for each text that the row that remains takes from the other. */
export const forEachText = (of: (name: string) => string) => sql.raw(handedOverTexts.map(of).join(', '))

/** The outcome of a pair: the transaction that remains, or why the pair was not joined. */
export type JoinOutcome = Pair & { transaction: Transaction | null; errors: FieldErrors | null }

/** Joins two transactions, and returns the one that remains. A repeat changes nothing. Throws Invalid, Reconciled. */
export async function joinMatch(owner: Owner, draft: Draft<JoinedPair>): Promise<Transaction> {
  const [outcome] = await join(owner, [await requireComplete(owner, draft)])
  if (!outcome?.transaction) throw new Invalid(outcome?.errors ?? {})
  return outcome.transaction
}

/** Joins several pairs, each of which has its own outcome. A repeat changes nothing. Throws Invalid. */
export async function joinMatches(owner: Owner, draft: Draft<Pairs>): Promise<JoinOutcome[]> {
  const { pairs } = await requireComplete(owner, draft)
  try {
    return await join(owner, pairs)
  } catch (error) {
    if (!(error instanceof Reconciled)) throw error
  }
  const outcomes: JoinOutcome[] = []
  for (const pair of pairs) outcomes.push(await joinAlone(owner, pair))
  return outcomes
}

/** Joins a pair of several, one of which is in a reconciled period. */
async function joinAlone(owner: Owner, pair: JoinedPair): Promise<JoinOutcome> {
  const { kind, ids } = pair
  try {
    const [outcome] = await join(owner, [pair])
    return outcome ?? { kind, ids, transaction: null, errors: {} }
  } catch (error) {
    if (!(error instanceof Reconciled)) throw error
    return { kind, ids, transaction: null, errors: error.errors }
  }
}

/** Joins pairs. Throws Reconciled if any of them that does not override it is in a reconciled period. */
async function join(owner: Owner, pairs: JoinedPair[]): Promise<JoinOutcome[]> {
  const list = JSON.stringify(pairs.map(({ kind, ids }) => [kind, ...ids]))
  const rules = pairs.map((pair) => [
    ...pairRules(owner, pair.ids),
    kindRule(owner, pair),
    occurrenceRule(owner, pair),
    roomRule(owner, pair),
  ])
  const write = (changes: Statement[]) =>
    owner.run({
      ruleFlags: rules.map((ofPair) => selectRuleFlags(owner.db, ofPair)),
      changes,
      remaining: owner.db
        .select({ ...transactionColumns, goneId: sql<number>`gone.id` })
        .from(transactions)
        .innerJoin(sql`(${originalsOfPairs(owner.id, list)}) gone`, sql`${transactions.id} = gone.joined_id`)
        .where(hasLiveAccounts),
    })
  const changes = joinPairs(owner, list)
  const areOverrides = pairs.every((pair) => pair.override_reconciled)
  const results = await withinBounds(
    'amount',
    areOverrides ? write(toStatements(changes)) : withinPeriods(owner, changes, write),
  )
  return pairs.map((pair, i) => {
    const isOf = (row: { id: number; goneId: number }) =>
      [row.id, row.goneId].every((id) => pair.ids.includes(id))
    const transaction = results.remaining.find(isOf) ?? null
    const errors = transaction ? null : violationOf(rules[i] ?? [], results.ruleFlags[i] ?? []).errors
    return { kind: pair.kind, ids: pair.ids, transaction, errors }
  })
}

/**
 * The statements that join the user's pairs, as JSON: a kind and two ids each. No row may be in two pairs; a pair that
 * cannot be joined is skipped.
 */
export function joinPairs({ id: userId }: UserScope, pairs: string): SQL[] {
  const joined = sql`(${originalsOfPairs(userId, pairs)})`
  return [
    storeOriginals(userId, pairs),
    ...storeLegOriginals(userId, joined),
    redirectOriginals(userId, joined),
    unlinkDeleted(joined),
    sql`delete from transactions where id in (select id from ${joined})`,
    updateRemaining(userId, joined),
    setCause('match'),
  ]
}

/**
 * Stores the row that each pair loses, with all of its fields (`kept`). If an original exists (the row was edited), updates
 * only the columns of the join.
 */
function storeOriginals(userId: SQL, pairs: string): SQL {
  const category = (row: SQL) =>
    sql`(select id from categories where id = ${row}.category_id and user_id = ${userId})`
  const asTheyAre = sql.raw(restoredColumns.map((column) => `'${column}', gone.${column}`).join(', '))
  const given = forEachText((name) => `'gave_${name}', target.${name} is null`)
  return sql`
    insert into imported_originals (user_id, id, account_id, to_account_id, type, amount, reference, transaction_date, kind,
                            import_id, booked_by, joined_id, merged_into_id, seq, kept)
    with ${rolesIn(userId, pairs)}
    select ${userId}, gone.id, gone.account_id, gone.to_account_id, gone.type, gone.amount, gone.reference,
           gone.transaction_date, role.kind, gone.import_id, gone.booked_by, merged_into_id, merged_into_id, ${lastChange(userId)},
           json_object(${asTheyAre}, 'category_id', ${category(sql`gone`)}, 'is_synced', gone.is_synced,
                       'version', gone.version, 'gave_category', ${category(sql`target`)} is null, ${given})
      from role
     cross join transactions gone on gone.id = gone_id
     cross join transactions target on target.id = merged_into_id
     where true
    on conflict do update set
      kind = excluded.kind, joined_id = excluded.joined_id, merged_into_id = excluded.merged_into_id, seq = excluded.seq,
      kept = excluded.kept`
}

/** The CTEs that choose the pairs to join: `role` has the kind of each, the row that remains and the one that goes. */
function rolesIn(userId: SQL, pairs: string): SQL {
  // Of two duplicates, the one with the higher precedence remains.
  const precedence = (row: SQL) => sql`(${row}.type = 'transfer', ${row}.import_id is null, -${row}.id)`
  // Skips pairs that cannot be joined.
  const areLive = sql`a.user_id = ${userId} and b.user_id = ${userId} and not exists (
    select 1 from accounts where former_user_id = ${userId}
       and id in (a.account_id, a.to_account_id, b.account_id, b.to_account_id))`
  return sql`
    pair as materialized (
      select value ->> 0 as kind, value ->> 1 as a_id, value ->> 2 as b_id from json_each(${pairs})
    ), role as materialized (
      select kind, iif(b_remains, b_id, a_id) as merged_into_id, iif(b_remains, a_id, b_id) as gone_id
        from (select pair.*, iif(kind = 'transfer', a.type = 'income', ${precedence(sql`a`)} < ${precedence(sql`b`)}) as b_remains
                from pair cross join transactions a on a.id = a_id cross join transactions b on b.id = b_id
               where ${areLive} and ${isPair(sql`kind`)} and not ${areOccurrences} and ${hasRoom(userId, sql`a_id, b_id`)})
    )`
}

/** The row that remains now also represents the rows that had been joined with the one that went. */
function redirectOriginals(userId: SQL, joined: SQL): SQL {
  return sql`
    with joined as materialized ${joined}
    update imported_originals set merged_into_id = gone.joined_id
      from joined gone
     where imported_originals.user_id = ${userId} and imported_originals.id in (
       select other.id from joined gone cross join imported_originals other indexed by imported_originals_merged_into
           on other.user_id = ${userId} and other.merged_into_id = gone.id)
       and gone.id = imported_originals.merged_into_id`
}

/** The rows that remain become the occurrences (`updateRemaining`) that the deleted ones were, which no longer are these. */
function unlinkDeleted(joined: SQL): SQL {
  return sql`
    update transactions set recurring_id = null, occurrence_date = null
     where recurring_id is not null and id in (select id from ${joined})`
}

/** Gives the rows that remain what they lacked. This raises their `seq` above the join's, so a repeat does nothing. */
function updateRemaining(userId: SQL, joined: SQL): SQL {
  const toAccount = sql`iif(gone.kind = 'transfer', gone.kept ->> 'account_id', transactions.to_account_id)`
  const toDay = sql`iif(gone.kind = 'transfer', gone.kept ->> 'booked_on', transactions.to_booked_on)`
  return sql`
    update transactions
       set type = iif(gone.kind = 'transfer', 'transfer', transactions.type),
           to_account_id = ${toAccount},
           booked_on = nullif(coalesce(${dayInFile(sql`transactions.account_id`)}, transactions.booked_on), transactions.transaction_date),
           to_booked_on = nullif(coalesce(${dayInFile(toAccount)}, ${toDay}), transactions.transaction_date),
           category_id = coalesce(${liveCategory}, gone.kept ->> 'category_id'),
           recurring_id = coalesce(gone.kept ->> 'recurring_id', transactions.recurring_id),
           occurrence_date = coalesce(gone.kept ->> 'occurrence_date', transactions.occurrence_date),
           ${forEachText((name) => `${name} = coalesce(transactions.${name}, gone.kept ->> '${name}')`)},
           version = transactions.version + 1, seq = ${nextChange(userId)} + gone.nth
      from (select *, row_number() over () as nth from ${joined}) gone
     where transactions.id = gone.joined_id and transactions.seq <= gone.seq`
}

/** Selects the imported originals of the joined pairs: the row of each that was deleted. */
function originalsOfPairs(userId: SQL, pairs: string): SQL {
  return sql`
    select gone.* from json_each(${pairs}) pair
             cross join imported_originals gone on gone.user_id = ${userId} and gone.id in (pair.value ->> 1, pair.value ->> 2)
     where gone.joined_id in (pair.value ->> 1, pair.value ->> 2) and gone.joined_id <> gone.id
       and gone.kind = pair.value ->> 0`
}
