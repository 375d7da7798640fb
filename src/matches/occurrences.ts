import { type SQL, sql } from 'drizzle-orm'
import { jsonRow } from '../database/json-row.ts'
import { hasLiveAccountsInBulk } from '../database/live-accounts.ts'
import type { Owner } from '../database/owner.ts'
import { recurringRules, rejectedOccurrences, transactions } from '../database/schema.ts'
import { addDays, type CalendarDate, dateIn, daysOnEarth, type Span } from '../domain/dates.ts'
import { bookedDays, possibleOccurrences } from '../domain/recurrence/links.ts'
import { dueDays } from '../domain/recurrence/occurrences.ts'
import { linkableOf, selectLinkable } from '../recurring/linkable.ts'
import { isOfNoRule, readableExceptions } from '../recurring/read.ts'
import { wordsOf } from '../transactions/duplicates.ts'
import { type Transaction, transactionColumns } from '../transactions/read.ts'

// Other limits: failures/limits.ts.

/** At most this many rows are read: the newest. */
export const maxUnlinkedRows = 4_000
/** At most this many of these rows are compared: the newest that have an amount of a rule. */
export const maxComparedRows = 1_000
/** Rows this near decide which occurrence a row may be: other rows of its occurrences. */
const contextDays = bookedDays.before + bookedDays.after

/** A transaction that may be an open occurrence of a rule. */
export type OccurrenceMatch = {
  transaction: Transaction
  recurringId: number
  occurrenceDate: CalendarDate
  isSure: boolean
}

/**
 * Returns the unlinked transactions of the requested days that may be open occurrences, and the day back to which all were
 * compared; null if none was left out.
 */
export async function findOccurrenceMatches(owner: Owner, days: Span) {
  const { rows, rules, rejected, searched, user } = await owner.run({
    ...selectUnlinked(owner, days),
    rules: selectLinkable(owner, owner.now),
    rejected: owner.db.select().from(rejectedOccurrences).where(sql`user_id = ${owner.id}`),
  })
  const compared = rows.slice(0, maxComparedRows).map(({ row }) => row)
  const isCut = rows.length > maxComparedRows
  const keyOf = (...parts: (number | string | undefined)[]) => parts.join(' ')
  const refused = new Set(
    rejected.map((one) => keyOf(one.transactionId, one.recurringId, one.occurrenceDate)),
  )
  const found = possibleOccurrences(
    compared.map((row) => ({ ...row, date: row.transactionDate, words: wordsOf(row) })),
    rules.map(linkableOf),
    dateIn(user.timezone, owner.now),
    ({ position, ruleId, date }) => !refused.has(keyOf(compared[position]?.id, ruleId, date)),
  )
  const matches = found.flatMap(({ position, ruleId, date, isSure }): OccurrenceMatch[] => {
    const transaction = compared[position]
    return transaction ? [{ transaction, recurringId: ruleId, occurrenceDate: date, isSure }] : []
  })
  const back = isCut ? compared.at(-1)?.transactionDate : searched[0]?.back
  return { matches, completeFrom: back ? addDays(back, contextDays + 1) : null }
}

/** Selects the unlinked rows about these days whose account and amount are those of a rule. */
function selectUnlinked(owner: Owner, { from, to }: Span) {
  const earliest = addDays(daysOnEarth(owner.now).from, -dueDays - bookedDays.before)
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

/** The ids of rows on an account of a rule, with an amount that it expects or, with a tolerance, one between all of these. */
function withAmountsOfRules({ id }: Owner, rows: SQL): SQL {
  const isLive = sql`user_id = ${id} and not paused`
  return sql`
    with expected as materialized (
      select id, account_id, to_account_id, amount_tolerance, amount from ${recurringRules} where ${isLive}
       union
      select rule.id, account_id, to_account_id, amount_tolerance, exception.value ->> 'amount'
        from ${recurringRules} rule cross join json_each(${readableExceptions(sql`rule`)}) exception
       where ${isLive} and exception.value ->> 'amount' is not null
    ), side as materialized (
      select id, account_id, amount_tolerance, amount from expected
       union all
      select id, to_account_id, amount_tolerance, amount from expected where to_account_id is not null
    ), varying as materialized (
      select account_id, min(amount * (100 - amount_tolerance)) as low, max(amount * (100 + amount_tolerance)) as high
        from side where amount_tolerance > 0 group by id, account_id
    )
    select row.id from ${rows}
     where ${isOfNoRule(sql`row`)}
       and ((account_id, amount) in (select account_id, amount from side)
         or exists (select 1 from varying where varying.account_id = row.account_id and row.amount * 100 between low and high))`
}
