import { type SQL, sql } from 'drizzle-orm'
import { nextChange } from '../database/change-numbers.ts'
import { storeLegOriginals } from '../transactions/leg-originals.ts'

/*
 * A bank's file has one side of a transfer, a leg. A leg that becomes the occurrence of a transfer becomes that transfer, as
 * if the job had recorded it first and the leg had been joined with it. Its original keeps the leg.
 */

/** The statements that make transfers of legs that have become occurrences of one. `ids` selects transactions. */
export function makeTransfers(userId: SQL, ids: SQL): SQL[] {
  const ofRule = sql`recurring_rules rule on rule.id = leg.recurring_id and rule.type = 'transfer'`
  const legs = sql`(
    select leg.id as joined_id, 'transfer' as kind, leg.seq from transactions leg cross join ${ofRule}
     where leg.id in (${ids}) and leg.type <> 'transfer')`
  return [
    ...storeLegOriginals(userId, legs),
    sql`update imported_originals set kind = 'transfer'
     where user_id = ${userId} and id in (select joined_id from ${legs}) and joined_id = id`,
    sql`
    update transactions
       set type = 'transfer', account_id = rule.account_id, to_account_id = rule.to_account_id,
           booked_on = iif(transactions.type = 'income', null, transactions.booked_on),
           to_booked_on = iif(transactions.type = 'income', transactions.booked_on, null)
      from (select leg.id, rule.account_id, rule.to_account_id from ${legs} found
             cross join transactions leg on leg.id = found.joined_id cross join ${ofRule}) rule
     where transactions.id = rule.id`,
  ]
}

/** The statements that make a leg again of a transfer that has been one leg, and nothing else. `ids` selects its id. */
export function makeLegs(userId: SQL, ids: SQL): SQL[] {
  const leg = sql`(
    select original.*, original.type = 'income' as is_inflow
      from imported_originals original cross join transactions now on now.id = original.id and now.type = 'transfer'
     where original.user_id = ${userId} and original.id in (${ids}) and original.kind = 'transfer' and original.joined_id = original.id
       and (original.type, original.account_id) in (('expense', now.account_id), ('income', now.to_account_id))
       and not exists (select 1 from imported_originals other indexed by imported_originals_merged_into
                        where other.user_id = original.user_id and other.merged_into_id = original.id and other.id <> original.id))`
  return [
    sql`
    update transactions
       set type = leg.type, account_id = leg.account_id, to_account_id = null,
           booked_on = iif(is_inflow, transactions.to_booked_on, transactions.booked_on), to_booked_on = null,
           booked_by = leg.booked_by, seq = ${nextChange(userId)}
      from ${leg} leg where transactions.id = leg.id`,
    // The trigger `original_separated` deletes those that are no longer needed.
    sql`
    update imported_originals set kind = null, joined_id = imported_originals.id
      from transactions now
     where imported_originals.user_id = ${userId} and imported_originals.id in (${ids}) and kind = 'transfer'
       and now.id = imported_originals.id and now.type <> 'transfer'`,
  ]
}
