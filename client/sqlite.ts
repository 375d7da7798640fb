import type { LedgerStorage } from './storage.ts'

/** The database of expo-sqlite, as far as it is used here. */
export type AsyncSqlite = {
  runAsync: (sql: string, params: string[]) => Promise<unknown>
  getAllAsync: (sql: string, params: string[]) => Promise<unknown[]>
}

/** The database of node:sqlite or better-sqlite3, as far as it is used here. */
export type SyncSqlite = {
  prepare: (sql: string) => {
    run: (...params: string[]) => unknown
    all: (...params: string[]) => unknown[]
  }
}

/**
 * A storage in one table of an SQLite database, created if missing: for React Native, Expo and Node. Needs SQLite 3.38.
 * Each call throws if the device is full, or if another connection locks the database for longer than its busy timeout.
 */
export function sqliteStorage(database: AsyncSqlite | SyncSqlite, table = 'purse_values'): LedgerStorage {
  const name = `"${table.replaceAll('"', '""')}"`
  let opening: Promise<unknown> | undefined

  async function all(sql: string, ...params: string[]): Promise<unknown[]> {
    if ('getAllAsync' in database) return database.getAllAsync(sql, params)
    return database.prepare(sql).all(...params)
  }

  async function run(sql: string, ...params: string[]): Promise<void> {
    if ('runAsync' in database) await database.runAsync(sql, params)
    else database.prepare(sql).run(...params)
  }

  /** Creates the table. If that fails, the next call tries again. */
  function ready(): Promise<unknown> {
    const forget = (error: unknown) => {
      opening = undefined
      throw error
    }
    opening ??= run(`create table if not exists ${name} (key text primary key not null, value text)`)
      .then(() => run(deletingNulls(name)))
      .catch(forget)
    return opening
  }

  return {
    async write(entries) {
      await ready()
      // One statement, so that it is atomic no matter what else runs on the connection.
      const sql = `insert or replace into ${name} select key, atom from json_each(?)`
      await run(sql, JSON.stringify(Object.fromEntries(entries)))
    },

    async list(prefix, page) {
      await ready()
      const rows = await all(
        `select key, value from ${name} where key >= ? and key < ? and key > ? order by key limit ?`,
        prefix,
        `${prefix}\u{10ffff}`,
        page?.after ?? '',
        String(page?.limit ?? -1),
      )
      return (rows as { key: string; value: string }[]).map(({ key, value }) => [key, value])
    },
  }
}

/** A trigger that deletes values set to null. */
const deletingNulls = (name: string) => `
  create trigger if not exists ${name.slice(0, -1)}_emptied" after insert on ${name} when new.value is null
  begin delete from ${name} where key = new.key; end`
