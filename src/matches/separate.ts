import { type SQL, sql } from 'drizzle-orm'
import { withinBounds } from '../database/bounds.ts'
import { nextChange } from '../database/change-numbers.ts'
import { hasLiveAccounts } from '../database/live-accounts.ts'
import type { Owner } from '../database/owner.ts'
import { ownRow, requireComplete } from '../database/ownership.ts'
import { withinPeriods } from '../database/reconciled.ts'
import { rule, selectRuleFlags, violationOf } from '../database/rules.ts'
import { type Statement, toStatements } from '../database/run.ts'
import { transactions } from '../database/schema.ts'
import { setCause } from '../database/written-by.ts'
import { invalidText } from '../domain/field-errors.ts'
import { handedOverTexts } from '../domain/transaction-fields.ts'
import type { Draft } from '../failures/draft.ts'
import { dayInFile } from '../transactions/booked-days.ts'
import { type Transaction, transactionColumns } from '../transactions/read.ts'
import type { Separation } from './contract.ts'
import { forEachText, restoredColumns } from './join.ts'

/** Undoes the last join of a transaction; returns it and the one that was brought back. Throws Invalid, Reconciled. */
export async function separateMatch(owner: Owner, draft: Draft<Separation>): Promise<Transaction[]> {
  const { db } = owner
  const { id, override_reconciled } = await requireComplete(owner, draft)
  const isOwn = sql`exists (select 1 from ${transactions} where ${ownRow(owner, transactions, id)})`
  const last = sql`
    select id from imported_originals gone indexed by imported_originals_merged_into
     where user_id = ${owner.id} and merged_into_id = ${id} and joined_id = ${id} and ${isRestorable(owner.id)} and ${isOwn}
     order by seq desc, id desc limit 1`
  const rules = [rule('id', invalidText, sql`exists (${last})`)]
  const both = sql`${transactions.id} = ${id} and ${isOwn} or ${transactions.id} in (${last})`
  const { steps, forget } = undoJoins(owner.id, last)
  const write = (changes: Statement[]) =>
    owner.run({
      ruleFlags: selectRuleFlags(db, rules),
      changes,
      both: db
        .select(transactionColumns)
        .from(transactions)
        .where(both)
        .orderBy(sql`${transactions.id} <> ${id}`),
      forget: db.run(forget),
      cause: db.run(setCause('match')),
    })
  const results = await withinBounds(
    'amount',
    override_reconciled ? write(toStatements(steps)) : withinPeriods(owner, steps, write),
  )
  if (results.both.length < 2) throw violationOf(rules, results.ruleFlags)
  return results.both
}

/** True for a `gone` row that was joined, if its accounts and those of its target still exist. */
const isRestorable = (userId: SQL) => {
  const accounts = sql`(select id from accounts where user_id = ${userId})`
  return sql`(gone.joined_id <> gone.id and gone.kept ->> 'account_id' in ${accounts}
    and coalesce(gone.kept ->> 'to_account_id' in ${accounts}, true)
    and exists (select 1 from transactions where transactions.id = gone.merged_into_id and ${hasLiveAccounts}))`
}

/** How many joins are undone at a time, so that other writers wait less than a second. */
const joinsPerPart = 2_000

/**
 * The statements that undo the joins in which rows of an import took part: all that removed a row of the import, and those
 * in which one remained, if `which` matches it or a later join has removed it. `isImported` is the condition for the rows,
 * existing or imported_originals. At most `joinsPerPart` joins are undone: the latest, which may build on earlier ones.
 * `isDone` is true once none is left.
 */
export function separateImported(userId: SQL, isImported: SQL, which: SQL) {
  const joined = sql`
      with removed as not materialized (
        select * from imported_originals where user_id = ${userId} and ${isImported} and +merged_into_id is not null
      ), remaining as not materialized (
        select id from transactions where ${isImported} and +user_id = ${userId} and ${which}
      )
      select seq, id from removed gone where ${isRestorable(userId)}
       union
      select gone.seq, gone.id from (select merged_into_id as id from removed union select id from remaining) target
       cross join imported_originals gone indexed by imported_originals_merged_into
          on gone.user_id = ${userId} and gone.merged_into_id = target.id and ${isRestorable(userId)}
       where gone.joined_id in (select id from removed union all select id from remaining)`
  const latest = sql`select id from (${joined} order by 1 desc, 2 desc limit ${sql.raw(`${joinsPerPart}`)})`
  const { steps, forget } = undoJoins(userId, latest)
  return { statements: [...steps, forget], isDone: sql`not exists (${joined})` }
}

/**
 * The statements that bring back rows that were joined: `ids` selects them. The rows that remained lose what they gained,
 * unless it has been changed since. `forget` comes last, since `ids` no longer finds the rows after it.
 */
function undoJoins(userId: SQL, ids: SQL): { steps: SQL[]; forget: SQL } {
  const rows = sql`(select * from imported_originals where user_id = ${userId} and id in (${ids}))`
  const steps = [
    ...restoreRows(userId, rows),
    restoreTargets(userId, rows),
    ...removeGainedValues(userId, rows),
    sql`
    delete from spent_client_ids
     where user_id = ${userId} and noun = 'transaction' and client_id in (select ${kept('client_id')} from ${rows})`,
  ]
  return { steps, forget: deleteJoins(userId, rows) }
}

const kept = (field: string) => sql.raw(`kept ->> '${field}'`)

/** The rule that a row was an occurrence of before it was joined, or the one that continues that rule on the date by now. */
const keptRule = sql`(
  with recursive chain(id, successor_id, starts_on) as (
    select id, successor_id, starts_on from recurring_rules where id = gone.kept ->> 'recurring_id'
     union
    select next.id, next.successor_id, next.starts_on
      from chain cross join recurring_rules next on next.id = chain.successor_id
     where next.starts_on <= gone.kept ->> 'occurrence_date')
  select coalesce((select id from chain order by starts_on desc, id desc limit 1), gone.kept ->> 'recurring_id'))`

/** Which occurrence a row was before it was joined. */
const keptOccurrence = sql`(${keptRule}, gone.kept ->> 'occurrence_date')`
const isKeptOccurrence = sql`(transactions.recurring_id, transactions.occurrence_date) = ${keptOccurrence}`

/** Takes the occurrences back that the rows had handed over. */
function takeBackOccurrences(userId: SQL, rows: SQL): SQL {
  return sql`
    update transactions
       set recurring_id = null, occurrence_date = null, version = version + 1, seq = ${nextChange(userId)} + holder.nth
      from (select transactions.id, row_number() over () - 1 as nth
              from ${rows} gone cross join transactions on transactions.id = gone.merged_into_id and ${isKeptOccurrence}) holder
     where transactions.id = holder.id`
}

/** A field of a row that is brought back: another row may be its occurrence by now. */
function restoredField(field: string): SQL {
  if (field !== 'recurring_id' && field !== 'occurrence_date') return kept(field)
  const value = field === 'recurring_id' ? keptRule : kept(field)
  return sql`iif(exists (select 1 from transactions where ${isKeptOccurrence}), null, ${value})`
}

/**
 * Inserts the rows as if typed, so that the triggers count each one and log it for balance checks, which the statements for
 * many rows log as one sum; then sets their imports.
 */
function restoreRows(userId: SQL, rows: SQL): SQL[] {
  return [
    takeBackOccurrences(userId, rows),
    sql`
    insert into transactions (id, user_id, ${sql.raw(restoredColumns.join(', '))}, category_id, version, seq)
    select id, user_id, ${sql.join(restoredColumns.map(restoredField), sql`, `)},
           (select id from categories where id = ${kept('category_id')} and categories.user_id = ${userId}),
           ${kept('version')} + 1, ${nextChange(userId)} + row_number() over ()
      from ${rows} gone`,
    sql`
    update transactions
       set is_synced = gone.kept ->> 'is_synced', booked_by = gone.booked_by,
           import_id = (select imports.id from imports where imports.id = gone.import_id and imports.user_id = ${userId})
      from ${rows} gone where transactions.id = gone.id`,
  ]
}

/**
 * Takes from the rows that remained what they gained. If one of them has been joined since, that is taken from its
 * `kept`, and what it passed on from the row that it was joined into, and so on. A passed value equals that of the
 * row that passed it, so `union` sees each value of a row once, however many joins lead there. Days of the bank are those
 * that the files of the rows tell that are left; a day that no lost row has told stays.
 */
function removeGainedValues(userId: SQL, rows: SQL): SQL[] {
  const flags = JSON.stringify({
    category_id: 'gave_category',
    ...Object.fromEntries(handedOverTexts.map((name) => [name, `gave_${name}`])),
  })
  const lost = sql`
    with recursive back as materialized (select * from ${rows}),
    gained(id, field, flag, value) as (
      select joined_id, 'into', null, ${kept('account_id')} from back where kind = 'transfer'
       union
      select joined_id, given.key, given.value, iif(kept ->> given.value, kept ->> given.key, null)
        from back cross join json_each(${flags}) given
       union
      select passing.joined_id, field, flag, value
        from gained cross join imported_originals passing on passing.user_id = ${userId} and passing.id = gained.id
       where passing.joined_id <> passing.id and passing.id not in (select id from back)
         and kept ->> flag and kept ->> field = value),
    lost_day as materialized (
      select transaction_date as day from back
       union
      select original.transaction_date
        from back cross join imported_originals original indexed by imported_originals_merged_into
          on original.user_id = ${userId} and original.merged_into_id = back.id),
    lost as (
      select id, row_number() over () as nth, max(value) filter (where field = 'into') as into_id,
             max(value) filter (where field = 'category_id') as category_id,
             ${forEachText((name) => `max(value) filter (where field = '${name}') as ${name}`)}
        from gained group by id)`
  const isLeft = sql`original.id not in (select id from back)`
  const isLost = (day: SQL) => sql`${day} in (select day from lost_day)`
  const dayOn = (account: SQL, day: SQL) =>
    sql`iif(${isLost(day)}, nullif(${dayInFile(account, isLeft)}, transactions.transaction_date), ${day})`
  const bookedOn = dayOn(sql`transactions.account_id`, sql`transactions.booked_on`)
  const toBookedOn = dayOn(sql`transactions.to_account_id`, sql`transactions.to_booked_on`)
  const keptDay = (field: string) => sql`iif(${isLost(kept(field))}, null, ${kept(field)})`
  return [
    sql`${lost}
    update transactions
       set type = iif(to_account_id = lost.into_id, 'expense', type),
           to_account_id = nullif(to_account_id, lost.into_id),
           booked_on = ${bookedOn},
           to_booked_on = iif(to_account_id = lost.into_id, null, ${toBookedOn}),
           category_id = nullif(transactions.category_id, lost.category_id),
           ${forEachText((name) => `${name} = nullif(transactions.${name}, lost.${name})`)},
           booked_by = iif(lost.into_id is null, transactions.booked_by, (
             select booked_by from imported_originals where user_id = ${userId} and id = transactions.id)),
           version = version + 1, seq = ${nextChange(userId)} + lost.nth
      from lost
     where transactions.id = lost.id`,
    sql`${lost}
    update imported_originals
       set kept = json_set(kept, '$.type', iif(${kept('to_account_id')} = lost.into_id, 'expense', ${kept('type')}),
                           '$.to_account_id', nullif(${kept('to_account_id')}, lost.into_id),
                           '$.booked_on', ${keptDay('booked_on')},
                           '$.to_booked_on', iif(${kept('to_account_id')} = lost.into_id, null, ${keptDay('to_booked_on')}),
                           '$.category_id', nullif(${kept('category_id')}, lost.category_id),
                           ${forEachText((name) => `'$.${name}', nullif(kept ->> '${name}', lost.${name})`)})
      from lost
     where imported_originals.user_id = ${userId} and imported_originals.id in (select id from lost) and lost.id = imported_originals.id
       and imported_originals.joined_id <> imported_originals.id and imported_originals.id not in (select id from back)`,
    // A row may have the day of one that was joined into it by way of another.
    sql`${lost}
    update transactions
       set booked_on = ${bookedOn}, to_booked_on = ${toBookedOn}, version = version + 1,
           seq = ${nextChange(userId)} + (select count(*) from back before where before.merged_into_id < transactions.id)
     where id in (select merged_into_id from back where merged_into_id <> joined_id)
       and (${isLost(sql`booked_on`)} or ${isLost(sql`to_booked_on`)})`,
  ]
}

/**
 * A row that was brought back again represents the rows that had been joined with it, and for those joined with them.
 * Walks down from it: a walk up from each of the others would be quadratic if they were joined one after another.
 */
function restoreTargets(userId: SQL, rows: SQL): SQL {
  return sql`
    with recursive back as materialized (select id, merged_into_id from ${rows}),
    other as materialized (
      select other.id, other.joined_id
        from (select distinct merged_into_id as id from back) target
       cross join imported_originals other indexed by imported_originals_merged_into
          on other.user_id = ${userId} and other.merged_into_id = target.id
       where other.id <> other.joined_id and other.id not in (select id from back)),
    below(id, top) as (
      select id, id from back
       union all
      select other.id, top from below cross join other on other.joined_id = below.id)
    update imported_originals set merged_into_id = below.top
      from below
     where imported_originals.user_id = ${userId} and imported_originals.id in (select id from below where id <> top)
       and below.id = imported_originals.id`
}

/**
 * Deletes the joins of these rows. A trigger then deletes the originals that are no longer needed: all but rows that their
 * file has differently, and legs that are still transfers, which their file has as income or expenses.
 */
function deleteJoins(userId: SQL, rows: SQL): SQL {
  return sql`
    with back as materialized (select id, joined_id, kind from ${rows}),
    touched as materialized (
      select id, id in (select id from back) as was_joined,
             kind = 'transfer' and id not in (select joined_id from back where kind = 'transfer') or exists (
               select 1 from imported_originals leg indexed by imported_originals_merged_into
                where user_id = ${userId} and merged_into_id = imported_originals.id and joined_id = imported_originals.id
                  and id <> imported_originals.id and kind = 'transfer' and id not in (select id from back)) as is_leg
        from imported_originals where user_id = ${userId} and id in (select id from back union select joined_id from back))
    update imported_originals
       set kind = iif(is_leg, 'transfer', null), joined_id = imported_originals.id, merged_into_id = imported_originals.id, seq = null, kept = null
      from touched
     where imported_originals.user_id = ${userId} and imported_originals.id in (select id from touched) and touched.id = imported_originals.id
       and (was_joined or joined_id = imported_originals.id and not is_leg)`
}
