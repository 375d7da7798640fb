import { eq, type SQL, sql } from 'drizzle-orm'
import { jsonRow } from '../database/json-row.ts'
import { hasLiveAccounts } from '../database/live-accounts.ts'
import type { Owner } from '../database/owner.ts'
import { ownRow } from '../database/ownership.ts'
import { differenceOfCheck } from '../database/reconciled.ts'
import { balanceChecks, imports, transactions } from '../database/schema.ts'
import type { CalendarDate } from '../domain/dates.ts'
import type { Minor } from '../domain/money.ts'
import type { candidateKinds } from '../domain/types.ts'
import { matchesAmong, settledBefore } from '../matches/candidates.ts'
import { transactionColumns } from '../transactions/read.ts'
import type { BalanceCheck } from './read.ts'

/** Something that alone explains the difference of a check. */
export type Candidate = {
  kind: (typeof candidateKinds)[number]
  ids: number[]
  startingBalance: bigint | null
}

/** A transaction that moves the account by the difference, or by half of it, on the bank's `day`. */
type Suspect = Awaited<ReturnType<typeof selectSuspects>>[number]

/** The most rows of the account that are looked at: the newest up to the day of the check. */
const maxRows = 20_000
const maxSuspects = 50

/**
 * Selects the transactions up to the day of a check of the user whose effects are its difference, or half of it, if it was
 * broken from the start.
 */
export function selectSuspects(owner: Owner, id: number) {
  const one = (column: SQL) => sql`(select ${column} from checked)`
  const isBroken = sql`${one(sql`difference`)} <> 0`
  const newest = (account: SQL, bookedOn: SQL) => sql`
    select * from (
      select id, amount, coalesce(${bookedOn}, transaction_date) as day from transactions
       where ${isBroken} and ${account} = ${one(sql`account_id`)} and transaction_date <= ${one(sql`date`)}
       order by transaction_date desc limit ${sql.raw(String(maxRows))})
    union all
    select id, amount, ${bookedOn} from transactions
     where ${isBroken} and ${account} = ${one(sql`account_id`)} and ${bookedOn} <= ${one(sql`date`)}
       and transaction_date > ${one(sql`date`)}`
  const isAmount = sql`amount in (abs(${one(sql`difference`)}), abs(${one(sql`difference`)}) / 2)`
  const suspects = sql`(
      with checked as materialized (
        select account_id, date, ${differenceOfCheck} as difference
          from balance_checks where ${ownRow(owner, balanceChecks, id)} and base <> 0
      ), side as (
        select *, false as is_incoming from (${newest(sql`account_id`, sql`booked_on`)}) where ${isAmount}
        union all
        select *, true from (${newest(sql`to_account_id`, sql`to_booked_on`)}) where ${isAmount}
      )
      select side.id, day, iif(is_incoming or type = 'income', side.amount, -side.amount) as effect
        from checked cross join side cross join transactions on transactions.id = side.id
       where ${hasLiveAccounts} and day <= date and effect in (difference, difference / 2.0)
       order by day desc, side.id desc limit ${sql.raw(String(maxSuspects))}) suspect`
  return owner.db
    .select({
      row: jsonRow(transactionColumns),
      ...settledBefore(owner),
      day: sql<CalendarDate>`suspect.day`,
      effect: sql<number>`suspect.effect`,
      importSpan: { id: imports.id, from: imports.firstDay, to: imports.lastDay },
    })
    .from(suspects)
    .innerJoin(transactions, sql`transactions.id = suspect.id`)
    .leftJoin(imports, eq(imports.id, transactions.importId))
    .orderBy(sql`suspect.day desc`, sql`suspect.id desc`)
}

type Case = {
  check: BalanceCheck
  checks: BalanceCheck[]
  lastOk: { date: CalendarDate } | null
  suspects: Suspect[]
  startingBalance: Minor
}

/** What alone explains the difference of a check that never was ok. No combinations: a guess is not shown. */
export function candidatesOf({ check, checks, lastOk, suspects, startingBalance }: Case): Candidate[] {
  const { difference } = check
  const inSpan = suspects.filter(({ day }) => day > (lastOk?.date ?? ''))
  const extra = inSpan.filter(({ effect }) => BigInt(effect) === difference)
  const reversed = inSpan.filter(({ effect }) => BigInt(effect) * 2n === difference)
  const importSpans = extra.flatMap(({ importSpan }) => importSpan ?? [])
  const { matches } = matchesAmong(
    { names: [], candidates: extra, importSpans, payees: [], searched: [] },
    'duplicate',
  )
  const rightStart = rightStartingBalance(checks, startingBalance)
  const candidate = (kind: Candidate['kind'], ids: number[]) => ({ kind, ids, startingBalance: null })
  return [
    ...matches.map(({ ids }) => candidate('duplicate', ids)),
    ...extra.map(({ row }) => candidate('missing_or_extra', [row.id])),
    ...reversed.map(({ row }) => candidate('reversed', [row.id])),
    ...(rightStart === null ? [] : [{ ...candidate('starting_balance', []), startingBalance: rightStart }]),
  ]
}

/** The starting balance with which all checks of an account are ok, if none was and all have one difference; else null. */
export function rightStartingBalance(
  checks: Pick<BalanceCheck, 'wasOk' | 'difference'>[],
  startingBalance: Minor,
): bigint | null {
  const { difference = 0n } = checks[0] ?? {}
  const isSame = difference !== 0n && checks.every((one) => !one.wasOk && one.difference === difference)
  return isSame ? BigInt(startingBalance) - difference : null
}
