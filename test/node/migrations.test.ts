import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@libsql/client/http'
import { is } from 'drizzle-orm'
import { toSnakeCase } from 'drizzle-orm/casing'
import { drizzle } from 'drizzle-orm/libsql/http'
import { migrate } from 'drizzle-orm/libsql/migrator'
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findDifferences } from '../../src/db/check.ts'
import { openDatabase } from '../../src/db/client.ts'
import * as schema from '../../src/db/schema.ts'
import { startDatabases } from '../databases/namespaces.ts'

const migrations = join(import.meta.dirname, '../../migrations')
const journal = JSON.parse(readFileSync(join(migrations, 'meta/_journal.json'), 'utf8')) as {
  entries: { tag: string }[]
}
const tables = Object.values(schema as Record<string, unknown>).filter((value) => is(value, SQLiteTable))

let directory: string
let server: Awaited<ReturnType<typeof startDatabases>>

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'purse-migrations-'))
  server = await startDatabases(join(directory, 'databases'), { migrated: false })
})

afterAll(async () => {
  await server.close()
  rmSync(directory, { recursive: true })
})

/** Applies the first `count` migrations to a database. */
async function migrateUpTo(name: string, count: number) {
  const folder = join(directory, `${name}-${count}`)
  cpSync(migrations, folder, { recursive: true })
  const prefix = { ...journal, entries: journal.entries.slice(0, count) }
  writeFileSync(join(folder, 'meta/_journal.json'), JSON.stringify(prefix))
  const client = createClient({ url: `${server.url}/${name}/` })
  await migrate(drizzle(client), { migrationsFolder: folder })
  return client
}

async function schemaOf(client: ReturnType<typeof createClient>) {
  const { rows } = await client.execute(
    "select type, name, sql from sqlite_master where name not like 'sqlite_%' and name not like '%drizzle%' order by type, name",
  )
  return rows.map(({ type, name, sql }) => ({ type, name, sql }))
}

test('from zero, every trigger is there', async () => {
  const client = await migrateUpTo('zero', journal.entries.length)
  const triggers = (await schemaOf(client)).filter(({ type }) => type === 'trigger')
  expect(triggers.map(({ name }) => name)).toEqual([
    'account_created',
    'account_deleted',
    'account_starting_balance_changed',
    'category_deleted',
    'transaction_changed',
    'transaction_client_id_spent',
    'transaction_created',
    'transaction_deleted',
  ])
})

test('the triggers are those of triggers.sql, word for word', async () => {
  const client = await migrateUpTo('snapshot', journal.entries.length)
  const triggers = (await schemaOf(client)).filter(({ type }) => type === 'trigger')
  const text = triggers.map(({ sql }) => `${sql};\n`).join('\n')
  await expect(text).toMatchFileSnapshot('./triggers.sql')
})

test('from zero, every table has the columns, indexes and foreign keys of the schema', async () => {
  const client = await migrateUpTo('columns', journal.entries.length)
  expect(tables.length).toBeGreaterThan(5)
  for (const table of tables) {
    const { name, columns, indexes, uniqueConstraints, foreignKeys } = getTableConfig(table)
    const { rows } = await client.execute(`select name from pragma_table_xinfo('${name}')`)
    expect(rows.map((row) => row.name).sort()).toEqual(
      columns.map((column) => toSnakeCase(column.name)).sort(),
    )
    const references = foreignKeys.map((key) => {
      const { columns, foreignTable } = key.reference()
      return `${toSnakeCase(columns[0]?.name ?? '')} ${getTableConfig(foreignTable).name} ${key.onDelete}`
    })
    const keys = await client.execute(`select * from pragma_foreign_key_list('${name}')`)
    const foundKeys = keys.rows.map(
      (row) => `${row.from} ${row.table} ${String(row.on_delete).toLowerCase()}`,
    )
    expect(foundKeys.sort()).toEqual(references.sort())
    const expected = [
      ...indexes.map((index) => index.config.name),
      ...uniqueConstraints.map((constraint) => constraint.name),
      ...columns.filter((column) => column.isUnique).map((column) => column.uniqueName),
    ]
    const found = await client.execute(
      `select name from pragma_index_list('${name}') where name not like 'sqlite_autoindex%'`,
    )
    expect(found.rows.map((row) => row.name).sort()).toEqual(expected.sort())
  }
})

test('the schema has no change that no migration makes', async () => {
  // drizzle-kit's own comparison; its ES module build cannot be loaded.
  const kit = createRequire(import.meta.url)('drizzle-kit/api') as typeof import('drizzle-kit/api')
  const last = journal.entries.length - 1
  const snapshot = JSON.parse(
    readFileSync(join(migrations, `meta/${String(last).padStart(4, '0')}_snapshot.json`), 'utf8'),
  )
  const now = await kit.generateSQLiteDrizzleJson(
    schema as Record<string, unknown>,
    snapshot.id,
    'snake_case',
  )
  expect(await kit.generateSQLiteMigration(snapshot, now)).toEqual([])
})

test('each prefix of the migrations, carried on to the end, gives the same database', async () => {
  const whole = await schemaOf(await migrateUpTo('whole', journal.entries.length))
  expect(whole.length).toBeGreaterThan(tables.length)
  for (let count = 1; count < journal.entries.length; count++) {
    const name = `prefix${count}`
    const before = await schemaOf(await migrateUpTo(name, count))
    expect(before).not.toEqual(whole)
    expect(await schemaOf(await migrateUpTo(name, journal.entries.length))).toEqual(whole)
  }
})

/** The migrations that make the tables and the triggers: rows can be there from then on. */
const migrationsBeforeRows = 2

test.each(
  journal.entries
    .slice(migrationsBeforeRows - 1, -1)
    .map(({ tag }, index) => ({ tag, count: index + migrationsBeforeRows })),
)(
  'rows that were there at $tag are all there at the end, and every kept figure agrees',
  async ({ count }) => {
    const name = `rows${count}`
    const early = await migrateUpTo(name, migrationsBeforeRows)
    await early.batch(someRows, 'write')
    const client = await migrateUpTo(name, count)
    const before = await rowsOf(client)
    expect(Object.fromEntries(Object.entries(before).map(([table, rows]) => [table, rows.length]))).toEqual({
      users: 2,
      tokens: 1,
      accounts: 3,
      categories: 3,
      transactions: 5,
      month_totals: 3,
      // Since 0010_list_counts transfers are counted there as well.
      category_totals: count > 10 ? 5 : 4,
    })

    const after = await rowsOf(await migrateUpTo(name, journal.entries.length))
    for (const [table, rows] of Object.entries(before)) {
      expect(after[table]).toEqual(expect.arrayContaining(rows.map((row) => expect.objectContaining(row))))
    }
    const db = openDatabase({ url: `${server.url}/${name}/`, timeoutMs: 30_000 })
    expect(await findDifferences(db)).toEqual([])
    const balances = await client.execute('select balance from accounts order by id')
    expect(balances.rows.map(({ balance }) => balance)).toEqual([10_750, 2_500, -500])
  },
)

test('migrating again changes nothing', async () => {
  const before = await schemaOf(await migrateUpTo('twice', journal.entries.length))
  expect(await schemaOf(await migrateUpTo('twice', journal.entries.length))).toEqual(before)
})

/** Rows as the first two migrations take them: two users, and a transaction of each kind. */
const someRows = [
  `insert into users (id, name, email, created_at, updated_at)
   values (1, 'Ann', 'ann@example.com', 1, 1), (2, 'Bob', 'bob@example.com', 1, 1)`,
  `insert into tokens (id, user_id, secret_hash, created_at, last_used_at) values (1, 1, 'hash', 1, 1)`,
  `insert into accounts (id, user_id, name, type, starting_balance, created_at, updated_at)
   values (1, 1, 'Checking', 'bank', 10000, 1, 1), (2, 1, 'Cash', 'cash', 2000, 1, 1), (3, 2, 'Phone', 'mobile', 0, 1, 1)`,
  `insert into categories (id, user_id, name, name_key, type, created_at, updated_at)
   values (1, 1, 'Food', 'food', 'expense', 1, 1), (2, 1, 'Salary', 'salary', 'income', 1, 1),
          (3, 2, 'Food', 'food', 'expense', 1, 1)`,
  `insert into transactions (id, user_id, account_id, to_account_id, category_id, type, amount, transaction_date, client_id,
                             created_at, updated_at)
   values (1, 1, 1, null, 1, 'expense', 1250, '2026-01-31', 'phone-1', 1, 1),
          (2, 1, 1, null, 2, 'income', 3000, '2026-02-01', null, 1, 1),
          (3, 1, 1, 2, null, 'transfer', 500, '2026-02-01', null, 1, 1),
          (4, 1, 1, null, null, 'expense', 500, '2026-01-01', null, 1, 1),
          (5, 2, 3, null, 3, 'expense', 500, '2026-02-28', null, 1, 1)`,
]

/** All rows of the tables that people's money is in. */
async function rowsOf(client: ReturnType<typeof createClient>): Promise<Record<string, object[]>> {
  const tables: Record<string, object[]> = {}
  for (const table of [
    'users',
    'tokens',
    'accounts',
    'categories',
    'transactions',
    'month_totals',
    'category_totals',
  ]) {
    const { rows, columns } = await client.execute(`select * from ${table} order by 1, 2, 3, 4`)
    tables[table] = rows.map((row) => Object.fromEntries(columns.map((column) => [column, row[column]])))
  }
  return tables
}
