import { type SQL, sql } from 'drizzle-orm'
import type { UserScope } from '../database/owner.ts'
import type { LinkableRow, StoredImportResponse } from '../database/schema.ts'
import type { CalendarDate } from '../domain/dates.ts'
import { linkOccurrences, type OccurrenceLink } from '../domain/recurrence/links.ts'
import { makeTransfers } from '../recurring/legs.ts'
import { linkableOf } from '../recurring/linkable.ts'
import { wordsOf } from '../transactions/duplicates.ts'
import { maxListed } from './contract.ts'
import type { ImportFile, ImportRow } from './import-file.ts'
import { isImportedBy } from './undo.ts'

type Occurrences = NonNullable<StoredImportResponse['occurrences']>
/** A row that has become an occurrence; `place` counts the rows of its import. */
export type LinkedRow = { place: number; id: number; recurringId: number; occurrenceDate: CalendarDate }

/** The rows of a file that are open occurrences of the user's rules beyond doubt. */
export function linksOf(
  { rows }: ImportFile,
  rules: readonly LinkableRow[],
  today: CalendarDate,
): OccurrenceLink[] {
  const ids = new Map(
    rules.flatMap((rule) => [
      [rule.accountName, rule.accountId] as const,
      ...(rule.toAccountName === null ? [] : [[rule.toAccountName, rule.toAccountId] as const]),
    ]),
  )
  const idOf = (account: ImportRow['account']) =>
    typeof account === 'string' ? (ids.get(account) ?? null) : account
  const bankRows = rows.map((row) => ({
    accountId: idOf(row.account),
    toAccountId: idOf(row.to_account),
    type: row.type,
    amount: row.amount,
    date: row.transaction_date,
    words: wordsOf(row),
  }))
  return linkOccurrences(bankRows, rules.map(linkableOf), today)
}

/**
 * Makes the created rows the occurrences, unless a rule has changed since it was read or another transaction is its
 * occurrence by now: such rows stay, and are possible duplicates. A leg of a transfer becomes it, and stays if the other
 * account is reconciled on its day.
 */
export function linkRows({ id }: UserScope, importId: SQL, links: OccurrenceLink[]): SQL[] {
  const staged = links.map((one) => [one.position, one.ruleId, one.version, one.date])
  const link = sql`
    update transactions set recurring_id = link.rule_id, occurrence_date = link.date
      from (select (select first_id from imports where id = ${importId}) + (value ->> 0) as id, value ->> 1 as rule_id,
                   value ->> 2 as version, value ->> 3 as date
              from json_each(${JSON.stringify(staged)})) link
     where transactions.id = link.id and transactions.import_id = ${importId} and +transactions.user_id = ${id}
       and exists (select 1 from recurring_rules rule
                    where rule.id = link.rule_id and rule.version = link.version and rule.user_id = ${id}
                      and not (rule.type <> transactions.type and exists (
                        select 1 from accounts other
                         where other.id in (rule.account_id, rule.to_account_id) and other.id <> transactions.account_id
                           and other.reconciled_through >= transactions.transaction_date)))
       and not exists (select 1 from transactions taken
                        where taken.recurring_id = link.rule_id and taken.occurrence_date = link.date)`
  const linked = sql`select id from transactions where ${isImportedBy(importId)} and recurring_id is not null`
  return [link, ...makeTransfers(id, linked)]
}

/** Selects the rows of an import that are occurrences. */
export function selectLinked({ db }: UserScope, importId: SQL) {
  return db.all<LinkedRow>(sql`
    select id - (select first_id from imports where id = ${importId}) as place, id, recurring_id as recurringId,
           occurrence_date as occurrenceDate
      from transactions where ${isImportedBy(importId)} and recurring_id is not null order by id`)
}

/** The linked rows as they are kept in the response to an import. */
export function occurrencesOf({ rows }: ImportFile, linked: LinkedRow[]): Occurrences {
  return {
    count: linked.length,
    rows: linked.slice(0, maxListed).map(({ place, id, recurringId, occurrenceDate }) => ({
      line: rows[place]?.line ?? 0,
      transactionId: id,
      recurringId,
      occurrenceDate,
    })),
  }
}
