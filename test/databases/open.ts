import type { LibSQLDatabase } from 'drizzle-orm/libsql'
import { openDatabase as openAsTheService } from '../../src/db/client.ts'
import { bind, type Statement } from '../../src/db/prepared.ts'

export type Database = ReturnType<typeof openDatabase>

/** Opens a database as the service does; `batch` also runs statements that have no names, in one transaction. */
export function openDatabase(...where: Parameters<typeof openAsTheService>) {
  const db = openAsTheService(...where)
  const batch = (statements: Statement[]) => db.send(statements.map(bind))
  return Object.assign(db, { batch: batch as LibSQLDatabase['batch'] })
}
