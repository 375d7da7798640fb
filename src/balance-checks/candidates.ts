import { type SQL, sql } from 'drizzle-orm'
import { sumOf } from '../database/kept-totals.ts'
import { hasLiveAccounts } from '../database/live-accounts.ts'
import type { Owner } from '../database/owner.ts'
import { ownRow } from '../database/ownership.ts'
import { balanceChecks } from '../database/schema.ts'
import { findMatches } from '../matches/matching.ts'
import type { CalendarDate } from '../shared/dates.ts'
import type { MatchRow } from '../shared/match-row.ts'
import type { Minor } from '../shared/money.ts'
import type { candidateKinds } from '../shared/types.ts'
import type { BalanceCheck } from './read.ts'

/** Something that alone explains the difference of a check. */
export type Candidate = {
  kind: (typeof candidateKinds)[number]
  ids: number[]
  startingBalance: bigint | null
}

/** A transaction whose effect on the account is the difference, or half of it. */
type Suspect = Omit<MatchRow, 'settled'> & { effect: number; rejected: string }

/** The most rows of the account that are looked at: the newest up to the day of the check. */
const maxRows = 20_000
const maxSuspects = 50

/**
 * Selects the transactions up to the day of a check of the user whose effects are its difference, or half of it, if it was
 * broken from the start.
 */
export function selectSuspects(owner: Owner, id: number) {
  const one = (column: SQL) => sql`(select ${column} from checked)`
  const newest = (account: SQL) => sql`
    select id, amount from transactions
     where ${account} = ${one(sql`account_id`)} and transaction_date <= ${one(sql`date`)} and ${one(sql`difference`)} <> 0
     order by transaction_date desc limit ${sql.raw(String(maxRows))}`
  const isAmount = sql`amount in (abs(${one(sql`difference`)}), abs(${one(sql`difference`)}) / 2)`
  return owner.db.all<Suspect>(sql`
    select * from (
      with checked as materialized (
        select account_id, date, base + coalesce((
                 select ${sumOf(sql`effect`)} from reconciliation_log entry
                  where entry.account_id = balance_checks.account_id and entry.id > after_entry
                    and entry.date <= balance_checks.date), 0) as difference
          from balance_checks where ${ownRow(owner, balanceChecks, id)} and base <> 0 and broken_since is null
      ), side as (
        select id, false as is_incoming from (${newest(sql`account_id`)}) where ${isAmount}
        union all
        select id, true from (${newest(sql`to_account_id`)}) where ${isAmount}
      )
      select transactions.id, checked.account_id as accountId, amount,
             iif(is_incoming, coalesce(to_booked_on, transaction_date), coalesce(booked_on, transaction_date)) as date,
             iif(is_incoming or type = 'income', 'income', 'expense') as type,
             iif(is_incoming or type = 'income', amount, -amount) as effect,
             coalesce(description, '') || ' ' || coalesce(reference, '') as words, import_id as importId,
             (select json_group_array(second_id) from rejected_matches
               where user_id = transactions.user_id and first_id = transactions.id and kind = 'duplicate') as rejected
        from checked cross join side cross join transactions on transactions.id = side.id
       where ${hasLiveAccounts} and effect in (difference, difference / 2.0)
       order by date desc, transactions.id desc limit ${sql.raw(String(maxSuspects))})`)
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
  const inSpan = suspects.filter(({ date }) => date <= check.date && date > (lastOk?.date ?? ''))
  const extra = inSpan.filter(({ effect }) => BigInt(effect) === difference)
  const reversed = inSpan.filter(({ effect }) => BigInt(effect) * 2n === difference)
  const pairs = findMatches(extra, {
    kind: 'duplicate',
    accountNames: new Map(),
    isRejected: (_, [first, second]) =>
      extra.some(({ id, rejected }) => id === first && (JSON.parse(rejected) as number[]).includes(second)),
  })
  const rightStart = rightStartingBalance(checks, startingBalance)
  const candidate = (kind: Candidate['kind'], ids: number[]) => ({ kind, ids, startingBalance: null })
  return [
    ...pairs.map(({ ids }) => candidate('duplicate', ids)),
    ...extra.map(({ id }) => candidate('missing_or_extra', [id])),
    ...reversed.map(({ id }) => candidate('reversed', [id])),
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
