import { type SQL, sql } from 'drizzle-orm'
import { isImported } from './bulk-duplicates.ts'

/**
 * The statements that store the originals of legs before they become transfers. `legs` is a subquery: `joined_id` is the
 * leg, `kind` is `transfer` (rows of other kinds are ignored), `seq` is no lower than that of the leg.
 */
export function storeLegOriginals(userId: SQL, legs: SQL): SQL[] {
  return [deleteStaleOriginals(userId, legs), storeOriginals(userId, legs), clearBookedBy(legs)]
}

/** Deletes the original of an edited leg if the import that it came from has been undone. */
function deleteStaleOriginals(userId: SQL, legs: SQL): SQL {
  return sql`
    delete from imported_originals
     where user_id = ${userId} and id in (select joined_id from ${legs} where kind = 'transfer')
       and kind is null and not ${isImported('imported_originals')}`
}

/**
 * A leg that becomes a transfer is stored as it was, or a file that has it would import it again. If an original exists
 * (the leg was edited), adds `booked_by`, the import of a file that also contains the row. A repeat finds no `booked_by` to
 * add, since `clearBookedBy` has taken it from the leg.
 */
function storeOriginals(userId: SQL, legs: SQL): SQL {
  return sql`
    insert into imported_originals (user_id, id, account_id, type, amount, reference, transaction_date, kind, import_id,
                            booked_by, joined_id, merged_into_id, seq)
    select ${userId}, leg.id, leg.account_id, leg.type, leg.amount, leg.reference, leg.transaction_date, 'transfer',
           leg.import_id, leg.booked_by, leg.id, leg.id, gone.seq
      from ${legs} gone cross join transactions leg on leg.id = gone.joined_id
     where gone.kind = 'transfer'
        on conflict do update set booked_by = coalesce(booked_by, excluded.booked_by)`
}

/**
 * From now on, the imported original of a leg represents its row of a file, and the leg itself does not. If it kept its
 * `booked_by`, and that import has been undone, a change of the leg would set off the trigger `transaction_unlike_file`,
 * which would replace the imported original.
 */
function clearBookedBy(legs: SQL): SQL {
  return sql`
    update transactions set booked_by = null
      from ${legs} gone
     where transactions.id = gone.joined_id and gone.kind = 'transfer' and transactions.booked_by is not null
       and transactions.seq <= gone.seq`
}
