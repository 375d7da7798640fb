import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { projectDirectory } from '../dev/project.ts'
import { categoryNameKey } from '../src/domain/categories.ts'
import { defaultCategories } from '../src/domain/default-categories.ts'
import { hashPassword, parseScryptCost } from '../src/domain/passwords.ts'
import { newSecret, sha256Hex } from '../src/domain/tokens.ts'

/** How much a database holds: user 1 is measured, all others have `othersTransactions` each. */
export type History = {
  name: string
  users: number
  ownTransactions: number
  othersTransactions: number
  /** The cost of hashing passwords, as the Worker's SCRYPT_COST. */
  scryptCost: string
}

/** A user. Ids and tokens follow from the user's number, so nobody has to look them up. */
export type Person = {
  id: number
  email: string
  token: string
  accounts: number[]
  /** Ids of the default categories, in their order: fourteen for expenses, then those for income. */
  categories: number[]
}

export const password = 'a password of the benchmark'

const accountsEach = 3
// One for all, told apart by the token's id.
const secret = newSecret((bytes) => bytes.fill(7))
const migrations = path.join(projectDirectory, 'migrations')
const expenses = defaultCategories.filter(({ type }) => type === 'expense').length
const incomes = defaultCategories.length - expenses

/** The user with a number, from 1. */
export function person(id: number): Person {
  const ids = (each: number) => Array.from({ length: each }, (_, index) => (id - 1) * each + index + 1)
  return {
    id,
    email: `person${id}@example.com`,
    token: `${id}|${secret}`,
    accounts: ids(accountsEach),
    categories: ids(defaultCategories.length),
  }
}

/**
 * The file of a database with that history, made by the real migrations and triggers, or found from an earlier run.
 * `seconds` is how long making it took, null if it was found.
 */
export async function historyFile(
  directory: string,
  history: History,
): Promise<{ file: string; seconds: number | null }> {
  const file = path.join(directory, `${history.name}-${fingerprint(history)}.db`)
  if (existsSync(file)) return { file, seconds: null }
  mkdirSync(directory, { recursive: true })
  for (const old of globSync(path.join(directory, `${history.name}-*.db*`))) rmSync(old)
  const unfinished = `${file}.new`
  const start = performance.now()
  await writeHistory(unfinished, history)
  renameSync(unfinished, file)
  return { file, seconds: (performance.now() - start) / 1_000 }
}

/** Depends on everything that the file is made from, and on the month in which histories end. */
function fingerprint(history: History): string {
  const sources = [...globSync(path.join(migrations, '*.sql')).sort(), import.meta.filename]
  const hash = createHash('sha256').update(JSON.stringify([history, endOfMonth()]))
  for (const source of sources) hash.update(readFileSync(source))
  return hash.digest('hex').slice(0, 12)
}

/** The last day of this month, so that the month's summary is always a full one. */
function endOfMonth(): string {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 0)).toISOString().slice(0, 10)
}

async function writeHistory(file: string, history: History): Promise<void> {
  rmSync(file, { force: true })
  const db = new DatabaseSync(file)
  try {
    db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -200000; BEGIN')
    migrate(db)
    await writePeople(db, history)
    writeTransactions(db, [1, 1], history.ownTransactions)
    writeTransactions(db, [2, history.users], history.othersTransactions)
    db.exec('COMMIT')
  } finally {
    db.close()
  }
}

function migrate(db: DatabaseSync): void {
  for (const file of globSync(path.join(migrations, '*.sql')).sort()) db.exec(readFileSync(file, 'utf8'))
}

async function writePeople(db: DatabaseSync, { users, scryptCost }: History): Promise<void> {
  const now = Date.now()
  const cost = parseScryptCost(scryptCost)
  if (!cost) throw new Error(`${scryptCost} is no cost of scrypt`)
  const numbers = 'with recursive n(u) as (select 1 union all select u + 1 from n where u < @users)'
  const insert = (sql: string, values: Record<string, string> = {}) =>
    db.prepare(sql).run({ users, now, ...values })
  // The others are verified during the benchmark.
  insert(
    `insert into users (id, name, email, password_hash, email_verified_at, created_at, updated_at)
     ${numbers} select u, 'Person ' || u, 'person' || u || '@example.com', @hash, iif(u = 1, @now, null), @now, @now from n`,
    { hash: hashPassword(password, cost) },
  )
  insert(
    `insert into tokens (id, user_id, secret_hash, created_at, last_used_at)
     ${numbers} select u, u, @hash, @now, @now from n`,
    { hash: sha256Hex(secret) },
  )
  insert(
    `insert into accounts (id, user_id, name, type, starting_balance, created_at, updated_at)
     ${numbers} select (u - 1) * ${accountsEach} + value + 1, u, 'Account ' || value, 'bank', 100000, @now, @now
       from n, json_each('[0,1,2]') order by 1`,
  )
  const categories = defaultCategories.map(({ name, type }) => [name, categoryNameKey(name), type])
  insert(
    `insert into categories (id, user_id, name, name_key, type, created_at, updated_at)
     ${numbers} select (u - 1) * ${categories.length} + key + 1, u, value ->> 0, value ->> 1, value ->> 2, @now, @now
       from n, json_each(@categories) order by 1`,
    { categories: JSON.stringify(categories) },
  )
}

/**
 * Gives each of these users so many transactions, in the order of their dates: up to 1,000 over a year, more over ten.
 * Of ten, one is a transfer, one income and eight are expenses. As with real people, most of them share a place: eight
 * of ten the first account, six of ten the first category; the rest take turns.
 */
function writeTransactions(db: DatabaseSync, [first, last]: [number, number], count: number): void {
  const days = count > 1_000 ? 3_650 : 365
  db.prepare(
    `insert into transactions (user_id, account_id, to_account_id, category_id, type, amount, description, reference,
                               transaction_date, created_at, updated_at)
     with recursive n(i) as (select 0 where @count > 0 union all select i + 1 from n where i + 1 < @count),
                    person(u) as (select @first where @first <= @last union all select u + 1 from person where u < @last),
                    row as (select i, u, (u - 1) * ${accountsEach} as accounts, (u - 1) * ${defaultCategories.length} as categories
                              from n cross join person)
     select u, accounts + 1 + iif(i % 5 < 4, 0, 1 + i / 5 % ${accountsEach - 1}),
            iif(i % 10 = 0, accounts + 2 + i / 10 % ${accountsEach - 1}, null),
            case when i % 10 = 0 then null
                 when i % 10 = 5 then categories + ${expenses} + 1 + i / 10 % ${incomes}
                 when i % 10 < 8 then categories + 1
                 else categories + 2 + (i / 10 * 2 + i % 10) % ${expenses - 1} end,
            case i % 10 when 0 then 'transfer' when 5 then 'income' else 'expense' end, 100 + i * 7919 % 20000,
            'Payment ' || i, iif(i % 4 = 0, 'R' || i, null), date(@end, '-' || ((@count - 1 - i) * @days / @count) || ' days'),
            @now, @now
       from row`,
  ).run({ count, days, first, last, end: endOfMonth(), now: Date.now() })
}
