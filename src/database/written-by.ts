import { type SQL, sql } from 'drizzle-orm'
import type { changeCauses } from '../domain/types.ts'

/*
 * Who made the changes in the log (`reconciliation_log`). Triggers and kept-totals.ts write its entries without a name. The
 * last statement of every transaction that writes (client.ts) names the writer of those it finds, which are all its own.
 */

/** Who writes in a run: the bearer of a token, whose secret need not have been checked yet, or the service itself. */
export type Writer = { tokenId: number } | 'service'

const log = 'reconciliation_log'
const isUnnamed = `${log}.by_kind is null`
/** All entries of a transaction get the same id, that of the last one. */
const setWriteId = `write_id = (select max(id) from ${log})`
/** Selects the accounts whose balances on days of checks the transaction has changed so far. */
export const accountsChanged = sql.raw(`select account_id from ${log} where ${isUnnamed}`)
/** A session is known by the User-Agent of its client, and copied, since signing out deletes it. */
const kindOfToken = `iif(tokens.scope = 'session', 'session', 'token')`
const nameOfToken = 'coalesce(tokens.name, tokens.user_agent)'

/** The statement that names the writer of a transaction's entries. */
export function nameWriter(writer: Writer): { sql: string; args: number[] } {
  const set = `update ${log} set ${setWriteId}, by_kind =`
  if (writer === 'service') return { sql: `${set} 'service' where ${isUnnamed}`, args: [] }
  const of = (value: string) => `(select ${value} from tokens where tokens.id = ?1)`
  const columns = `coalesce(${of(kindOfToken)}, 'service'), by_name = ${of(nameOfToken)}, token_id = ${of('tokens.id')}`
  return { sql: `${set} ${columns} where ${isUnnamed}`, args: [writer.tokenId] }
}

/** The columns of a batch that name the bearer of the token that sent it. */
export function senderColumns(tokenId: number) {
  const ofToken = (value: string) => sql`(select ${sql.raw(value)} from tokens where tokens.id = ${tokenId})`
  return { byKind: ofToken(kindOfToken), byName: ofToken(nameOfToken), tokenId }
}

/** The statement that names the sender of a batch, for a transaction in which the service processes it. */
export function nameSender(batchId: string | SQL): SQL {
  return sql`
    update ${sql.raw(`${log} set ${setWriteId},`)} by_kind = sent.by_kind, by_name = sent.by_name, token_id = sent.token_id
      from sync_batches sent where sent.id = ${batchId} and sent.by_kind is not null and ${sql.raw(isUnnamed)}`
}

/** The statement that says why the transaction has changed rows so far. */
export function setCause(cause: (typeof changeCauses)[number], importId: SQL = sql`null`): SQL {
  return sql`update ${sql.raw(log)} set cause = ${cause}, import_id = ${importId} where ${sql.raw(isUnnamed)}`
}
