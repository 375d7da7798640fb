import { type SQL, sql } from 'drizzle-orm'

/*
 * A transaction has a day of its own, and may have another one at the bank for each of its accounts: when it was joined with
 * a row of a file, or when its date was edited. Balances of a day (balance-checks/) count it on the bank's day; lists and
 * reports use its own. `booked_on` and `to_booked_on` are null unless the bank's day is known and differs.
 */

/**
 * The day on which a file has the transaction on this account, by the rows that it was made of: that of the last one joined
 * before its own. `rows` restricts them, as `original`. NULL if no file is known to have it.
 */
export function dayInFile(accountId: SQL, rows: SQL = sql`true`): SQL {
  return sql`(
    select original.transaction_date from imported_originals original indexed by imported_originals_merged_into
     where original.user_id = transactions.user_id and original.merged_into_id = transactions.id
       and coalesce(original.import_id, original.booked_by) is not null
       and ${accountId} in (original.account_id, original.to_account_id) and ${rows}
     order by original.joined_id = original.id, original.seq desc, original.id desc limit 1)`
}

/** A row of a file that has not been edited or joined is not among the originals: its own day is that of the file. */
const ownDayInFile = sql`iif(coalesce(transactions.import_id, transactions.booked_by) is not null and not exists (
  select 1 from imported_originals own where own.user_id = transactions.user_id and own.id = transactions.id),
  transactions.transaction_date, null)`

/** The fields on which booked days depend, as a change sets them: SQL expressions for values. */
type Next = { account_id: SQL; to_account_id: SQL; transaction_date: SQL }

const bankDay = (accountId: SQL, bookedOn: SQL) =>
  sql<string | null>`coalesce(${bookedOn}, ${dayInFile(accountId)}, ${ownDayInFile})`

/** The days on which the bank has a transaction; null unless one is known. */
export const bankDays = {
  bankDay: bankDay(sql`transactions.account_id`, sql`transactions.booked_on`),
  toBankDay: bankDay(sql`transactions.to_account_id`, sql`transactions.to_booked_on`),
}

/** The booked days after a change: those at the bank stay, except on an account that the transaction leaves. */
export function bookedDays({ account_id, to_account_id, transaction_date }: Next) {
  const dayOn = (next: SQL, now: SQL, day: SQL) =>
    sql<string | null>`iif(${next} is ${now}, nullif(${day}, ${transaction_date}), null)`
  return {
    bookedOn: dayOn(account_id, sql`transactions.account_id`, bankDays.bankDay),
    toBookedOn: sql<string | null>`iif(${to_account_id} is null, null,
      ${dayOn(to_account_id, sql`transactions.to_account_id`, bankDays.toBankDay)})`,
  }
}

/** True if a change of these fields may change booked days. */
export const movesBookedDays = (fields: object): boolean =>
  ['account_id', 'to_account_id', 'transaction_date'].some((field) => field in fields)
