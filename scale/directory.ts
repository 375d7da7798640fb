import { sql } from 'drizzle-orm'
import type { Database } from '../src/db/client.ts'
import { runAll, runOne } from '../src/db/run.ts'
import { sign } from '../src/domain/secrets.ts'

/** The number of the database that holds a user's data; `moving` while none does, undefined if it is unknown. */
export type Home = number | 'moving' | undefined

/** The keys that a user is found by. Addresses and identities are stored as keyed hashes only. */
export const keyOf = {
  token: (id: number) => `token:${id}`,
  user: (id: number) => `user:${id}`,
  address: async (secret: string, email: string) => `address:${await sign(secret, `address ${email}`)}`,
  identity: async (secret: string, subject: string) =>
    `identity:${await sign(secret, `identity ${subject}`)}`,
}

type Row = { home: number | null }

/**
 * Who lives where. Every address and every provider identity has an entry; users and tokens have one only once they have
 * moved, since their ids tell where they were created. An entry without a number belongs to a user who is moving.
 */
export class Directory {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Creates the table if there is none. */
  async create(): Promise<void> {
    const table = sql`create table if not exists homes (key text primary key, home integer) without rowid`
    await runOne(this.#db, this.#db.run(table))
  }

  async find(key: string): Promise<Home> {
    const [found] = await runOne(this.#db, this.#select(key))
    return found && homeOf(found)
  }

  /** Gives a key a home unless it has one, and returns the one it has: of two calls at once, the first decides. */
  async settle(key: string, home: number): Promise<Exclude<Home, undefined>> {
    const { found } = await runAll(this.#db, {
      settled: this.#db.run(
        sql`insert into homes (key, home) values (${key}, ${home}) on conflict do nothing`,
      ),
      found: this.#select(key),
    })
    return homeOf(found[0] as Row)
  }

  /** Gives keys a home, whatever they had before. */
  async put(keys: string[], home: number | 'moving'): Promise<void> {
    const value = home === 'moving' ? null : home
    const put = sql`
      insert into homes (key, home) select value, ${value} from json_each(${JSON.stringify(keys)}) where true
      on conflict do update set home = excluded.home`
    await runOne(this.#db, this.#db.run(put))
  }

  #select(key: string) {
    return this.#db.all<Row>(sql`select home from homes where key = ${key}`)
  }
}

function homeOf({ home }: Row): number | 'moving' {
  return home ?? 'moving'
}
