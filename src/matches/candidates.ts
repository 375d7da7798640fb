import { eq, type SQL, sql } from 'drizzle-orm'
import { jsonRow } from '../database/json-row.ts'
import { hasLiveAccountsInBulk } from '../database/live-accounts.ts'
import type { UserScope } from '../database/owner.ts'
import type { Results } from '../database/run.ts'
import { accounts, importedOriginals, imports, rejectedMatches, transactions } from '../database/schema.ts'
import type { CalendarDate } from '../domain/dates.ts'
import type { MatchKind, MatchRow } from '../domain/match-row.ts'
import { matchKinds } from '../domain/types.ts'
import { occurrenceOf, selectPayees } from '../recurring/linkable.ts'
import { wordsOf } from '../transactions/duplicates.ts'
import { type Transaction, transactionColumns } from '../transactions/read.ts'
import { contextDays, findMatches, type Match, maxDaysApart } from './matching.ts'

// Other limits: failures/limits.ts.

/** At most this many rows of the requested days and those before them are read: the newest. */
export const maxRows = 20_000
/** At most this many rows of the days after them are read: the oldest. */
export const maxRowsAfter = 1_000
/** At most this many of these rows are compared, since the database sends no response above 10 MB. */
export const maxCompared = 3_000

/** The requested days. The rows of `contextDays` around them are read as well. */
type Days = { from: string | SQL; to: string | SQL }

const daysAfter = (day: string | SQL, days: number) => sql`date(${day}, ${sql.raw(`'${days} days'`)})`

/**
 * A row to be compared, with what is settled about it, as JSON: the kind and the second id of each rejected pair of which
 * it is the first; and the rows that were joined with it (`Joined`). `isBooked` is 1 if it represents a row of a file.
 */
export type Candidate = { row: Transaction; rejected: string; joined: string; isBooked: number }

/**
 * The statements that read what may be a match, for `matchesAmong`. `candidates` are the rows that have another of the
 * same amount within `maxDaysApart`, which the database finds in one pass. `importSpans` has the days of the files of
 * imports, since rows of two imports can only match on days that both cover; `payees` the rules that rows were recorded by. `searched` has the first day whose rows were
 * read, null if all were.
 */
export function selectCandidates(owner: UserScope, days: Days) {
  const { from, to } = days
  const searched = sql`select transaction_date from ${newestUntil(owner, days)}`
  return {
    names: owner.db
      .select({ id: accounts.id, name: accounts.name })
      .from(accounts)
      .where(eq(accounts.userId, owner.id)),
    candidates: owner.db
      .select({ row: jsonRow(transactionColumns), ...settledBefore(owner) })
      .from(transactions)
      .where(sql`${transactions.id} in (${resembling(owner, days)})`)
      .orderBy(sql`${transactions.transactionDate} desc`, sql`${transactions.id} desc`),
    importSpans: owner.db
      .select({ id: imports.id, from: imports.firstDay, to: imports.lastDay })
      .from(imports)
      .where(
        sql`user_id = ${owner.id} and last_day >= ${daysAfter(from, -contextDays)} and first_day <= ${daysAfter(to, contextDays)}`,
      ),
    payees: selectPayees(owner),
    searched: owner.db.all<{ back: CalendarDate | null }>(
      sql`select iif(count(*) < ${sql.raw(String(maxRows))}, null, min(transaction_date)) as back from (${searched})`,
    ),
  }
}

/** The rows that are read, of the days and of those before them. */
function newestUntil(owner: UserScope, { from, to }: Days): SQL {
  return sql`(
    select * from ${transactions}
     where user_id = ${owner.id} and transaction_date between ${daysAfter(from, -contextDays)} and ${to}
     order by transaction_date desc, id desc limit ${sql.raw(String(maxRows))})`
}

/** The rows that are read, of the days after. */
function nextAfter(owner: UserScope, { to }: Days): SQL {
  const last = daysAfter(to, contextDays)
  return sql`(
    select * from ${transactions}
     where user_id = ${owner.id} and transaction_date > ${to} and transaction_date <= ${last}
     order by transaction_date, id limit ${sql.raw(String(maxRowsAfter))})`
}

/** The ids of rows with a counterpart nearby. A transfer counts as two legs. */
function resembling(owner: UserScope, days: Days): SQL {
  const nearby = sql.raw(
    `order by julianday(transaction_date) range between ${maxDaysApart} preceding and ${maxDaysApart} following`,
  )
  return sql`
    with searched as (
      select * from ${newestUntil(owner, days)} union all select * from ${nextAfter(owner, days)}
    ), there as materialized (
      select id, account_id, to_account_id, type, amount, import_id, transaction_date
        from searched transactions where ${hasLiveAccountsInBulk(owner)}
    ), leg as (
      select id, account_id, iif(type = 'transfer', 'expense', type) as type, type = 'transfer' as is_leg,
             amount, import_id is not null or type = 'transfer' as is_imported, transaction_date
        from there
       union all
      select id, to_account_id, 'income', true, amount, true, transaction_date from there where type = 'transfer'
    ), compared as (
      select id, transaction_date, count(*) over alike > 1 and sum(is_imported) over alike > 0 as is_double,
             not is_leg and sum(not is_leg and type = 'income') over moved > 0
               and sum(not is_leg and type = 'expense') over moved > 0 as has_legs
        from leg
      window alike as (partition by account_id, type, amount ${nearby}), moved as (partition by amount ${nearby})
    )
    select id from (
      select distinct id, transaction_date from compared where is_double or has_legs)
     order by transaction_date desc, id desc limit ${sql.raw(String(maxCompared + 1))}`
}

/** The earlier joins and rejections about a row (see `Candidate`). Drizzle would leave out the table of its id. */
export function settledBefore(owner: UserScope) {
  return {
    rejected: sql<string>`(
      select json_group_array(json_array(kind, second_id)) from ${rejectedMatches}
       where ${rejectedMatches.userId} = ${owner.id} and first_id = transactions.id)`,
    joined: sql<string>`(
      select json_group_array(json_object(
               'kind', gone.kind, 'accountId', coalesce(gone.kept ->> 'account_id', gone.account_id),
               'type', coalesce(gone.kept ->> 'type', gone.type), 'importId', gone.import_id,
               'isDouble', gone.kind = 'duplicate' or ${isBooked(sql`gone.booked_by`)}))
        from ${importedOriginals} gone indexed by imported_originals_merged_into
       where gone.user_id = ${owner.id} and gone.merged_into_id = transactions.id and gone.kind is not null)`,
    isBooked: isBooked(sql`${transactions.bookedBy}`),
  }
}

/** True if the import with this id exists, in which a file had a row. */
export const isBooked = (by: SQL) => sql<number>`(exists (select 1 from imports where imports.id = ${by}))`

export type FoundCandidates = Results<ReturnType<typeof selectCandidates>>

/** The matches among candidates, and the day back to which rows were compared; null if none was left out. */
export function matchesAmong(
  { names, candidates, importSpans, payees, searched }: FoundCandidates,
  kind?: MatchKind,
) {
  const rejected = new Set(
    candidates.flatMap(({ row: { id }, rejected }) =>
      (JSON.parse(rejected) as [MatchKind, number][]).map(([kind, other]) => keyOf(kind, [id, other])),
    ),
  )
  const occurrences = new Set(candidates.flatMap(({ row }) => (row.recurringId === null ? [] : [row.id])))
  const compared = candidates.slice(0, maxCompared)
  const rules = new Map(payees.map((rule) => [rule.id, rule]))
  const rows = compared.flatMap((one) => {
    const rule = rules.get(one.row.recurringId ?? 0)
    const occurrence = rule && occurrenceOf(rule, one.row.transactionDate)
    return matchRow(one).map((leg): MatchRow => (leg.importId === null ? { ...leg, occurrence } : leg))
  })
  const matches: Match[] = findMatches(rows, {
    kind,
    accountNames: new Map(names.map(({ id, name }) => [id, name])),
    importDays: new Map(
      importSpans.flatMap(({ id, from, to }) => (from && to ? [[id, { from, to }] as const] : [])),
    ),
    isRejected: (kind, ids) => rejected.has(keyOf(kind, ids)) || ids.every((id) => occurrences.has(id)),
  })
  const isCut = candidates.length > maxCompared
  const lookedBackTo = isCut ? compared.at(-1)?.row.transactionDate : searched[0]?.back
  return { matches, lookedBackTo: lookedBackTo ?? null }
}

function keyOf(kind: MatchKind, ids: [number, number]): string {
  return `${kind} ${ids.toSorted((a, b) => a - b).join(' ')}`
}

/** A row that was joined with another. `isDouble` if it was a duplicate, or represented a row of a file. */
type Joined = Pick<Transaction, 'accountId' | 'type' | 'importId'> & { kind: MatchKind; isDouble: 0 | 1 }

/** A row as it is compared: a transfer as two legs, which are already known to belong together. */
function matchRow({ row, isBooked, ...settledJson }: Candidate): MatchRow[] {
  const { id, accountId, toAccountId, type, amount, transactionDate: date, importId } = row
  const joined: Joined[] = JSON.parse(settledJson.joined)
  const ofTransfer = joined.filter(({ kind }) => kind === 'transfer')
  const leg = (accountId: number, type: MatchRow['type'], counterpart: number | null): MatchRow => {
    const own = joined.filter(
      (one) => one.type === 'transfer' || (one.accountId === accountId && one.type === type),
    )
    const isDouble = isBooked === 1 || own.some((one) => one.isDouble === 1)
    // A transfer that was one leg: only that is in its file.
    const importedBy =
      ofTransfer.length > 0 ? (own.find((one) => ofTransfer.includes(one))?.importId ?? null) : importId
    const settled = matchKinds.filter((kind) => (kind === 'duplicate' ? isDouble : counterpart !== null))
    const words = wordsOf(row)
    return { id, accountId, type, counterpart, amount, date, importId: importedBy, words, settled }
  }
  if (type !== 'transfer') return [leg(accountId, type, null)]
  return [leg(accountId, 'expense', toAccountId), leg(toAccountId ?? 0, 'income', accountId)]
}
