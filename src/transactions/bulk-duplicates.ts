import { type SQL, sql } from 'drizzle-orm'
import { hasLiveAccounts } from '../database/live-accounts.ts'
import { comparedFields } from '../domain/transaction-fields.ts'
import { maxCompared } from './duplicates.ts'

/** A round of pairing: the items and the rows that take part, and the reference that both must have. */
type Round = { items: SQL; rows: SQL; reference: SQL }

/** Items with a reference go first, since those without one match any row: this pairs as many items as possible. */
const rounds: Round[] = [
  { items: sql`reference is not null`, rows: sql`reference is not null`, reference: sql`reference` },
  { items: sql`reference is not null`, rows: sql`reference is null`, reference: sql`null` },
  { items: sql`reference is null`, rows: sql`true`, reference: sql`null` },
]

/** True for a row unless its client id is that of an item: it then belongs to that item, and absorbs no other. */
const isFree = (clientId: SQL, { hasClientIds }: Compared) =>
  hasClientIds
    ? sql`(${clientId} is null or ${clientId} not in (select client_id from item where client_id is not null and errors is null))`
    : sql`true`

const fields = sql.raw(comparedFields.join(', '))

/**
 * The CTEs that decide which items of `checked` are duplicates: each existing row, and each imported original, absorbs
 * one equal item that has neither a client id nor `force`, by the rule that `isDuplicateOf` applies to a single
 * transaction. The last of them, `absorbed`, has the item's position and the row's id, which is negative for an
 * imported original. Rows with the account, date and amount of any item are read once, however many items match them.
 *
 * Few CTEs are referred to more than once, since SQLite copies a CTE's query for each reference, and planning all the
 * copies took ten times as long as running the statement.
 */
export function absorbed(userId: SQL, compared: Compared): SQL {
  const { originals, comparesContent = true } = compared
  // Planning the comparison takes SQLite most of a batch's time.
  if (!comparesContent) return sql`absorbed as (select null as position, null as id where false)`
  const paired = rounds.reduce(
    (unpaired, round) => sql`(${pairsOf(unpaired, round)})`,
    sql`(
        select position, null as id, ${fields}, null as is_imported, null as pair from candidate
        union all
        select null, id, ${fields}, is_imported, null from absorbing
        ${originals ? sql`union all select null, id, ${fields}, is_imported, null from absorbing_original` : sql``})`,
  )
  // Queries side by side, since SQLite's parser runs out of stack if they are nested deeper.
  return sql`
      candidate as materialized (
        select position, ${fields} from checked
         where refusal is null and known_id is null and client_id is null and not force
           and (exists (select 1 from transactions row where ${haveSameKey('row', 'checked')} and +user_id = ${userId})
             ${originals ? sql`or exists (select 1 from imported_originals row where user_id = ${userId} and ${haveSameKey('row', 'checked')})` : sql``})
      ),
      item_group as materialized (select account_id, transaction_date, amount, count(*) as items from candidate group by 1, 2, 3),
      resembling as (
        select row.* from item_group
         cross join transactions row on id in (
                 select id from transactions row where ${haveSameKey('row', 'item_group')} order by id desc limit ${maxPerKey})
           and +user_id = ${userId}
         limit ${maxInTotal}
      ),
      absorbing as (
        select id, ${fields}, ${originals ? isImported('row') : sql`null`} as is_imported from resembling row
         where ${isFree(sql`client_id`, compared)} ${originals && !originals.hasOwnRows ? sql`and ${absorbsItself(userId)}` : sql``}
      ),
      ${originals ? sql`${originalRows(userId, originals, isFree(sql`kept ->> 'client_id'`, compared))},` : sql``}
      absorbed as materialized (
        select position, pair as id from ${paired} where position is not null and pair is not null
      )`
}

/*
 * Only the newest rows are compared with the items, since the write lock is held meanwhile: `maxPerKey` for each
 * account, date and amount (at least one for each item that has them), and `maxInTotal` existing rows and
 * as many imported originals altogether. A single item is compared with about as many as a single transaction.
 */
const base = sql`5000`
const maxInTotal = sql`(select ${base} + 3 * coalesce(sum(items), 0) from item_group)`
const maxPerKey = sql`(
  select coalesce(min(${sql.raw(String(maxCompared))} + sum(items), 2 * max(items) + ${base} / count(*)), 0) from item_group)`

/**
 * Which imported originals a file is compared with: joined and edited ones and, if `deleted`, deleted ones too. A file that
 * has rows as the user does (`hasOwnRows`) is also compared with the rows that represent these.
 */
type ComparedOriginals = { deleted: boolean; hasOwnRows: boolean }

/**
 * The rows that items are compared with besides existing ones, whether any item may have a client id, and whether any may have
 * neither a client id nor `force`: only such items are compared by content.
 */
export type Compared = {
  originals?: ComparedOriginals
  hasClientIds: boolean
  comparesContent?: boolean
}

/** True for two rows with the same account, date and amount. */
const haveSameKey = (one: string, other: string) =>
  sql.raw(
    `${one}.account_id = ${other}.account_id and ${one}.transaction_date = ${other}.transaction_date and ${one}.amount = ${other}.amount`,
  )

/** True for a row, existing or original, that came from a file or represents a row of one. */
export const isImported = (row: string) =>
  sql.raw(
    `(${row}.import_id is not null or exists (select 1 from imports where imports.id = ${row}.booked_by))`,
  )

/**
 * False for a `row` that represents an imported original, which absorbs items instead: the row was edited, or was
 * typed and has been joined with a row of a file. The legs that a transfer was joined from do not count.
 */
function absorbsItself(userId: SQL): SQL {
  return sql`not exists (
    select 1 from imported_originals file_original indexed by imported_originals_merged_into
     where file_original.user_id = ${userId} and file_original.merged_into_id = row.id and ${isImported('file_original')}
       and file_original.account_id = row.account_id and (file_original.type = 'transfer') = (row.type = 'transfer')
       and (file_original.id = row.id or not ${isImported('row')}))`
}

/**
 * `absorbing_original` has the imported originals that resemble any item of `candidate`, with negative ids: deleted rows of
 * files if `deleted`, and joined or edited rows of files whose target, which now represents them, exists. A joined row that
 * was typed still absorbs what equals it, unless its target does so itself, or already represents a row of a file. Without
 * `indexed by`, SQLite would read all imported originals of the user for each lookup.
 */
function originalRows(userId: SQL, { deleted }: ComparedOriginals, isFree: SQL): SQL {
  const targetAbsorbs = sql`(${haveSameKey('transactions', 'original')} and transactions.type = original.type
    and coalesce(transactions.reference = original.reference, true))`
  const targetRepresentsFile = sql`(
    ${isImported('transactions')} and (transactions.type = 'transfer') = (original.type = 'transfer')
    or (original.merged_into_id, original.account_id, original.type) in (select merged_into_id, account_id, type from file_original))`
  return sql`
      original as materialized (
        select row.*, ${isImported('row')} as is_imported
          from item_group
         cross join imported_originals row on user_id = ${userId} and id in (
                 select id from imported_originals row indexed by imported_originals_account_date_amount
                  where user_id = ${userId} and ${haveSameKey('row', 'item_group')} order by id desc limit ${maxPerKey})
         where ${isFree}
         limit ${maxInTotal}
      ),
      file_original as materialized (
        select merged_into_id, account_id, type
          from (select distinct merged_into_id as id from original where not is_imported) typed
         cross join imported_originals indexed by imported_originals_merged_into on user_id = ${userId} and merged_into_id = typed.id
         where ${isImported('imported_originals')}
      ),
      absorbing_original as (
        select -id as id, ${fields}, is_imported from original
         where iif(merged_into_id is null, is_imported and ${deleted ? 1 : 0}, exists (
                 select 1 from transactions where transactions.id = original.merged_into_id and ${hasLiveAccounts}
                    and (is_imported or kind is not null and not (${targetAbsorbs} or ${targetRepresentsFile}))))
      )`
}

/**
 * Pairs items with equal rows, where neither has a pair yet. Equal items and equal rows are numbered separately, so that
 * at most one of each has a number (`same`). Where there are two, they are a pair, and `max(id)` is the row's id: that of
 * the item is null. Items are numbered in their order. Of the rows, those without a reference come first; then rows of
 * files before typed rows; then existing rows before originals.
 */
function pairsOf(unpaired: SQL, { items, rows, reference }: Round): SQL {
  const equals = sql`is_eligible, account_id, to_account_id, type, amount, transaction_date, reference_key`
  return sql`
        select position, id, ${fields}, is_imported,
               iif(is_eligible and count(*) over same = 2, max(id) over same, pair) as pair
          from (select *, row_number() over (
                            partition by ${equals}, id is null
                            order by reference is null desc, is_imported desc, id > 0 desc, abs(id), position) as rank
                  from (select *, pair is null and iif(id is null, ${items}, ${rows}) as is_eligible,
                               ${reference} as reference_key from ${unpaired}))
        window same as (partition by ${equals}, rank)`
}
