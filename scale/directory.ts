import { sql } from 'drizzle-orm'
import type { Database } from '../src/db/client.ts'
import { sign } from '../src/domain/secrets.ts'

/** The number of the database that somebody's data is in; `moving` while it is in none, undefined where nobody knows. */
export type Home = number | 'moving' | undefined

/** What somebody is known by. Of addresses and identities the directory holds keyed hashes alone. */
export const keyOf = {
  token: (id: number) => `token:${id}`,
  user: (id: number) => `user:${id}`,
  address: async (secret: string, email: string) => `address:${await sign(secret, `address ${email}`)}`,
  identity: async (secret: string, subject: string) =>
    `identity:${await sign(secret, `identity ${subject}`)}`,
}

type Row = { home: number | null }

/**
 * Who lives where. Every address has an entry, and every identity of the provider; users and tokens have one only
 * where they have moved, since their ids say where they were made. An entry without a number is of a user who is moving.
 */
export class Directory {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Makes the table, where there is none. */
  async create(): Promise<void> {
    await this.#db.batch([
      this.#db.run(sql`create table if not exists homes (key text primary key, home integer) without rowid`),
    ])
  }

  async find(key: string): Promise<Home> {
    const [[row]] = await this.#db.batch([this.#db.all<Row>(sql`select home from homes where key = ${key}`)])
    return row && homeOf(row)
  }

  /** Settles a key at a home unless it has one, and answers where it is: of two at once, the first decides. */
  async claim(key: string, home: number): Promise<Exclude<Home, undefined>> {
    const [, [row]] = await this.#db.batch([
      this.#db.run(sql`insert into homes (key, home) values (${key}, ${home}) on conflict do nothing`),
      this.#db.all<Row>(sql`select home from homes where key = ${key}`),
    ])
    if (!row) throw new Error('A claim left no entry')
    return homeOf(row)
  }

  /** Settles keys at a home, wherever they were. */
  async put(keys: string[], home: number | 'moving'): Promise<void> {
    const value = home === 'moving' ? null : home
    await this.#db.batch([
      this.#db.run(sql`
        insert into homes (key, home) select value, ${value} from json_each(${JSON.stringify(keys)}) where true
        on conflict do update set home = excluded.home`),
    ])
  }
}

function homeOf({ home }: Row): number | 'moving' {
  return home ?? 'moving'
}
