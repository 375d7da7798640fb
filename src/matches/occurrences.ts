import { type SQL, sql } from 'drizzle-orm'
import { jsonRow } from '../database/json-row.ts'
import { hasLiveAccountsInBulk } from '../database/live-accounts.ts'
import type { Owner } from '../database/owner.ts'
import { recurringRules, rejectedOccurrences, transactions } from '../database/schema.ts'
import { addDays, type CalendarDate, dateIn, daysOnEarth, type Span } from '../domain/dates.ts'
import { bookedDays, maxChange, possibleOccurrences } from '../domain/recurrence/links.ts'
import { dueDays, maxDaysMoved } from '../domain/recurrence/occurrences.ts'
import { linkableOf, selectLinkable } from '../recurring/linkable.ts'
import { isOfNoRule, readableExceptions } from '../recurring/read.ts'
import { wordsOf } from '../transactions/duplicates.ts'
import { type Transaction, transactionColumns } from '../transactions/read.ts'
import { isBooked } from './candidates.ts'

// Other limits: failures/limits.ts.

/** At most this many rows are read: the newest. */
export const maxUnlinkedRows = 4_000
/** At most this many of these rows are compared: the newest that have an amount near that of a rule. */
export const maxComparedRows = 1_000
/** Rows this near decide which occurrence a row may be: other rows of its occurrences. */
const contextDays = bookedDays.before + bookedDays.after

/** A transaction that may be an occurrence of a rule, and the transaction that this is recorded as; null if it is open. */
export type OccurrenceMatch = {
  transaction: Transaction
  recurringId: number
  occurrenceDate: CalendarDate
  recordedId: number | null
  isSure: boolean
}

/**
 * Returns the unlinked transactions of the requested days that may be occurrences, and the day back to which all were
 * compared; null if none was left out.
 */
export async function findOccurrenceMatches(owner: Owner, days: Span) {
  const { rows, unbooked, rules, rejected, searched, user } = await owner.run({
    ...selectUnlinked(owner, days),
    unbooked: selectUnbooked(owner),
    rules: selectLinkable(owner, owner.now),
    rejected: owner.db.select().from(rejectedOccurrences).where(sql`user_id = ${owner.id}`),
  })
  const compared = rows.slice(0, maxComparedRows).map(({ row }) => row)
  const isCut = rows.length > maxComparedRows
  const keyOf = (...parts: (number | string | undefined)[]) => parts.join(' ')
  const refused = new Set(
    rejected.map((one) => keyOf(one.transactionId, one.recurringId, one.occurrenceDate)),
  )
  const recorded = new Map(unbooked.map(({ id, ruleId, date }) => [keyOf(ruleId, date), id]))
  const found = possibleOccurrences(
    compared.map((row) => ({ ...row, date: row.transactionDate, words: wordsOf(row) })),
    rules.map(linkableOf),
    dateIn(user.timezone, owner.now),
    {
      isAllowed: ({ position, ruleId, date }) => !refused.has(keyOf(compared[position]?.id, ruleId, date)),
      isUnbooked: ({ ruleId, date }) => recorded.has(keyOf(ruleId, date)),
    },
  )
  const matches = found.flatMap(({ position, ruleId, date, isSure }): OccurrenceMatch[] => {
    const transaction = compared[position]
    const recordedId = recorded.get(keyOf(ruleId, date)) ?? null
    return transaction ? [{ transaction, recurringId: ruleId, occurrenceDate: date, recordedId, isSure }] : []
  })
  const back = isCut ? compared.at(-1)?.transactionDate : searched[0]?.back
  return { matches, completeFrom: back ? addDays(back, contextDays + 1) : null }
}

/** No older row is an occurrence that is still due. */
const earliestRow = ({ now }: Owner): CalendarDate =>
  addDays(daysOnEarth(now).from, -dueDays - bookedDays.before)

/** Selects the recorded occurrences of which no file is known to have a row, from the earliest on that may still be due. */
function selectUnbooked(owner: Owner) {
  return owner.db.all<{ id: number; ruleId: number; date: CalendarDate }>(sql`
    select row.id, rule.id as ruleId, row.occurrence_date as date
      from ${recurringRules} rule cross join ${transactions} row on row.recurring_id = rule.id
     where rule.user_id = ${owner.id} and not rule.paused and row.occurrence_date >= ${addDays(earliestRow(owner), -maxDaysMoved)}
       and row.import_id is null and not ${isBooked(sql`row.booked_by`)} and not exists (
         select 1 from imported_originals original indexed by imported_originals_merged_into
          where original.user_id = row.user_id and original.merged_into_id = row.id)
     order by row.occurrence_date desc limit ${sql.raw(String(maxUnlinkedRows))}`)
}

/** Selects the unlinked rows about these days whose account and amount are, or may be, those of a rule. */
function selectUnlinked(owner: Owner, { from, to }: Span) {
  const earliest = earliestRow(owner)
  const first = addDays(from, -contextDays)
  const read = sql`(
    select * from ${transactions}
     where user_id = ${owner.id} and transaction_date between ${first > earliest ? first : earliest} and ${addDays(to, contextDays)}
     order by transaction_date desc, id desc limit ${sql.raw(String(maxUnlinkedRows))}) row`
  const rowsOfRules = owner.db
    .select({ row: jsonRow(transactionColumns) })
    .from(transactions)
    .where(
      sql`${transactions.id} in (${withAmountsOfRules(owner, read)}) and ${hasLiveAccountsInBulk(owner)}`,
    )
    .orderBy(sql`transactions.transaction_date desc`, sql`transactions.id desc`)
    .limit(maxComparedRows + 1)
  return {
    rows: rowsOfRules,
    searched: owner.db.all<{ back: CalendarDate | null }>(sql`
      select iif(count(*) < ${sql.raw(String(maxUnlinkedRows))}, null, min(transaction_date)) as back from ${read}`),
  }
}

/** The ids of rows on an account of a rule, with an amount near one that it expects. */
function withAmountsOfRules({ id }: Owner, rows: SQL): SQL {
  const isLive = sql`user_id = ${id} and not paused`
  const change = sql.raw(String(maxChange))
  return sql`
    with expected as materialized (
      select id, account_id, to_account_id, amount from ${recurringRules} where ${isLive}
       union
      select rule.id, account_id, to_account_id, exception.value ->> 'amount'
        from ${recurringRules} rule cross join json_each(${readableExceptions(sql`rule`)}) exception
       where ${isLive} and exception.value ->> 'amount' is not null
    ), side as (
      select id, account_id, amount from expected
       union all
      select id, to_account_id, amount from expected where to_account_id is not null
    ), near as materialized (
      select account_id, min(amount) * (100 - ${change}) as low, max(amount) * (100 + ${change}) as high
        from side group by id, account_id
    )
    select row.id from ${rows}
     where ${isOfNoRule(sql`row`)} and exists (
       select 1 from near where near.account_id = row.account_id and row.amount * 100 between low and high)`
}
