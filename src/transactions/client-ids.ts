import { type SQL, sql } from 'drizzle-orm'
import { hasLiveAccounts } from '../database/live-accounts.ts'
import { type Rule, rule } from '../database/rules.ts'
import { longestClientId } from '../domain/fields.ts'
import { sha256Hex } from '../identity/tokens.ts'

/*
 * A client id that has been used before leads to the transaction that was created with it or, after a join, to the one
 * that now represents it; the rest of the second request does not count. Once that is deleted, the client id is refused.
 */

/** The client id of a transaction that is created with an Idempotency-Key: a longer key is stored as its hash. */
export function clientIdOfKey(key: string | undefined): string | undefined {
  return key && key.length > longestClientId ? sha256Hex(key) : key
}

/**
 * The id of the transaction that a client id leads to; NULL if there is none. If it was joined with another, `orJoined`
 * replaces the id: it may refer to the transaction that now represents it, and to `gone`, the imported original of the
 * joined one.
 */
export function idByClientId(userId: SQL, client_id: string | SQL, orJoined?: SQL): SQL {
  return sql`coalesce(
    (select id from transactions where user_id = ${userId} and client_id = ${client_id} and ${hasLiveAccounts}),
    (${joinedWith(userId, client_id, orJoined)}))`
}

/** Selects from the transaction that now represents the one created with this client id, if that one was joined. */
function joinedWith(userId: SQL, client_id: string | SQL, what: SQL = sql`transactions.id`): SQL {
  return sql`
    select ${what} from spent_client_ids spent
     cross join imported_originals gone on gone.user_id = spent.user_id and gone.id = spent.row_id
     cross join transactions on transactions.id = gone.merged_into_id
     where spent.user_id = ${userId} and spent.noun = 'transaction' and spent.client_id = ${client_id}
       and ${hasLiveAccounts}`
}

/** True for a client id that the user has never used for a transaction. */
export function isNewClientId(userId: SQL, client_id: string): SQL {
  const isOfUser = sql`user_id = ${userId} and client_id = ${client_id}`
  return sql`(not exists (select 1 from transactions where ${isOfUser})
    and not exists (select 1 from spent_client_ids where ${isOfUser} and noun = 'transaction'))`
}

export const clientIdOfDeletedText = 'The :field belongs to a transaction that was deleted.'

/** A late retry of the request that created a transaction must not bring it back once it has been deleted. */
export function clientIdRule(userId: SQL, client_id: string | SQL): Rule {
  const isOfUser = sql`user_id = ${userId} and client_id = ${client_id}`
  return rule(
    'client_id',
    clientIdOfDeletedText,
    sql`not (exists (
        select 1 from spent_client_ids
         where ${isOfUser} and noun = 'transaction' and not exists (${joinedWith(userId, client_id)}))
      or exists (select 1 from transactions where ${isOfUser} and not ${hasLiveAccounts}))`,
  )
}
