import { type SQL, sql } from 'drizzle-orm'
import type { CalendarDate } from '../domain/dates.ts'
import { noMatchingCheckText } from '../domain/field-errors.ts'
import { type Invalid, Reconciled } from '../failures/failures.ts'
import { sumOf } from './kept-totals.ts'
import type { Owner } from './owner.ts'
import { isRolledBack, rollBackIf } from './rollback.ts'
import { type Rule, rule } from './rules.ts'
import { type Statement, toStatements } from './run.ts'

/*
 * Within the reconciled period of an account, its balances at the ends of days stay. Writes of a person are guarded by
 * `lockedThrough`, or by the entries that they add to the log: triggers log every change of a single row in such a period,
 * by the bank's days.
 */

/** A transaction as it moves balances: the columns of one, or SQL expressions for them. */
export type Movement = { type: SQL; amount: SQL; account_id: SQL; to_account_id: SQL; day: SQL; to_day: SQL }

/** The movement of a row of `transactions`. */
export const movementOfRow: Movement = {
  type: sql`transactions.type`,
  amount: sql`transactions.amount`,
  account_id: sql`transactions.account_id`,
  to_account_id: sql`transactions.to_account_id`,
  day: sql`coalesce(transactions.booked_on, transactions.transaction_date)`,
  to_day: sql`coalesce(transactions.to_booked_on, transactions.transaction_date)`,
}

/**
 * The last day of the reconciled period in which a write would change a balance, in SQL; NULL if there is none. The write
 * puts the movement `after` in place of `before`, or only adds or removes one.
 */
export function lockedThrough({
  before,
  after,
}: {
  before?: Movement
  after?: Movement
}): SQL<CalendarDate | null> {
  const only = before && after ? undefined : (before ?? after)
  if (only)
    return sql<CalendarDate | null>`(
      select max(reconciled_through) from accounts
       where accounts.id in (${only.account_id}, ${only.to_account_id})
         and reconciled_through >= iif(accounts.id = ${only.account_id}, ${only.day}, ${only.to_day}))`
  const sides = [...(before ? sidesOf(before, sql`-1`) : []), ...(after ? sidesOf(after, sql`1`) : [])]
  return sql<CalendarDate | null>`(
    select max(reconciled_through)
      from (select account_id, day from (${sql.join(sides, sql` union all `)})
             group by account_id, day having sum(effect) <> 0) moved
      cross join accounts on accounts.id = moved.account_id and reconciled_through >= day)`
}

function sidesOf({ type, amount, account_id, to_account_id, day, to_day }: Movement, sign: SQL): SQL[] {
  return [
    sql`select ${account_id} as account_id, ${day} as day, ${sign} * iif(${type} = 'income', ${amount}, -${amount}) as effect`,
    sql`select ${to_account_id}, ${to_day}, ${sign} * ${amount} where ${to_account_id} is not null`,
  ]
}

/** The last day of the reconciled period in which a row of `balance_checks` lies, in SQL; NULL if it lies in none. */
export const lockOfCheck = sql<CalendarDate | null>`(
  select reconciled_through from accounts
   where accounts.id = balance_checks.account_id and reconciled_through >= balance_checks.date)`

/** By how much the balance of an account differs from that of a row of `balance_checks`, in SQL. */
export const differenceOfCheck = sql`(
  (select starting_balance from accounts where accounts.id = balance_checks.account_id) - balance_checks.balance + (
    select ${sumOf(sql`up_to.moved`)} from balance_checks up_to
     where up_to.account_id = balance_checks.account_id and up_to.date <= balance_checks.date))`

/** The rule that a reconciled period ends with a check that is ok, `moved` being added to the starting balance. */
export function matchingCheckRule({
  accountId,
  through,
  now,
  moved,
}: Record<'accountId' | 'through' | 'now' | 'moved', SQL>): Rule {
  const holds = sql`(${through} is null or ${through} is ${now} or exists (
    select 1 from balance_checks
     where account_id = ${accountId} and date = ${through} and ${differenceOfCheck} + ${moved} = 0))`
  return rule('reconciled_through', noMatchingCheckText, holds)
}

/** Selects the last day of the reconciled periods that the transaction has changed so far, as the log says; NULL if none. */
const lastDayChanged = sql<CalendarDate | null>`(
  select max(account.reconciled_through)
    from (select account_id, date from reconciliation_log where by_kind is null
           group by account_id, date having sum(effect) <> 0) moved
   cross join accounts account on account.id = moved.account_id and account.reconciled_through >= moved.date)`

/**
 * Does a write of which only the log can say what it moves. `write` runs its changes, and with them a statement that rolls
 * all back if a reconciled period would change. Throws Reconciled: another round trip makes the changes once more, and takes
 * them back, to learn which period that is.
 */
export async function withinPeriods<T>(
  owner: Owner,
  changes: SQL[],
  write: (guarded: Statement[]) => Promise<T>,
): Promise<T> {
  try {
    return await write(toStatements([...changes, rollBackIf(sql`${lastDayChanged} is not null`)]))
  } catch (error) {
    if (!isRolledBack(error)) throw error
    const { found } = await owner.run({
      begin: owner.db.run(sql`savepoint attempt`),
      changes: toStatements(changes),
      found: owner.db.all<{ through: CalendarDate | null }>(sql`select ${lastDayChanged} as through`),
      undone: toStatements([sql`rollback to attempt`, sql`release attempt`]),
    })
    if (found[0]?.through) throw new Reconciled('transaction_date', found[0].through)
    // The period has been opened in between.
    return withinPeriods(owner, changes, write)
  }
}

/** The failure of a write: the errors of its input and of its rules or, without any, that it is in a reconciled period. */
export function withLock(
  invalid: Invalid,
  through: CalendarDate | null | undefined,
  field = 'transaction_date',
) {
  return through && Object.keys(invalid.errors).length === 0 ? new Reconciled(field, through) : invalid
}
