import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@libsql/client/http'
import { is } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/libsql/http'
import { migrate } from 'drizzle-orm/libsql/migrator'
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrateDatabase, OtherMigrations } from '../../dev/migrate.ts'
import { declaredTriggers, withTriggers } from '../../dev/triggers.ts'
import * as schema from '../../src/database/schema.ts'
import { startDatabases } from '../databases/namespaces.ts'

const migrations = join(import.meta.dirname, '../../migrations')
const journal = JSON.parse(readFileSync(join(migrations, 'meta/_journal.json'), 'utf8')) as {
  entries: { tag: string }[]
}
const all = journal.entries.length
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

test('from zero, every table has the columns, indexes and foreign keys of the schema', async () => {
  const client = await migrateUpTo('columns', all)
  expect(tables.length).toBeGreaterThan(5)
  for (const table of tables) {
    const { name, columns, indexes, uniqueConstraints, foreignKeys } = getTableConfig(table)
    const { rows } = await client.execute(`select name from pragma_table_xinfo('${name}')`)
    expect(rows.map((row) => row.name).sort()).toEqual(columns.map((column) => column.name).sort())
    const references = foreignKeys.map((key) => {
      const { columns, foreignTable } = key.reference()
      return `${columns[0]?.name ?? ''} ${getTableConfig(foreignTable).name} ${key.onDelete ?? 'no action'}`
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
  const last = String(all - 1).padStart(4, '0')
  const snapshot = JSON.parse(readFileSync(join(migrations, `meta/${last}_snapshot.json`), 'utf8'))
  const now = await kit.generateSQLiteDrizzleJson(
    schema as Record<string, unknown>,
    snapshot.id,
    'snake_case',
  )
  expect(await kit.generateSQLiteMigration(snapshot, now)).toEqual([])
})

test('from zero, the triggers are those of src/database/triggers, and name no column that is missing', async () => {
  const client = await migrateUpTo('triggers', all)
  const { rows } = await client.execute("select name, sql from sqlite_master where type = 'trigger'")
  expect(new Map(rows.map(({ name, sql }) => [name, sql]))).toEqual(declaredTriggers())
  // SQLite looks up the columns that a trigger names when a statement that fires it is prepared.
  for (const table of tables) {
    const { name, columns } = getTableConfig(table)
    const stored = columns.filter((column) => !column.generated).map((column) => column.name)
    await client.execute(`explain insert into ${name} default values`)
    await client.execute(`explain delete from ${name}`)
    await client.execute(`explain update ${name} set ${stored.map((column) => `${column} = ${column}`)}`)
  }
})

test('a migration drops and creates the triggers that change, and all if a column goes', () => {
  const before = new Map([
    ['kept', 'CREATE TRIGGER kept'],
    ['changed', 'CREATE TRIGGER changed old'],
  ])
  const after = new Map([
    ['kept', 'CREATE TRIGGER kept'],
    ['changed', 'CREATE TRIGGER changed new'],
  ])
  const statements = (migration: string) =>
    withTriggers(migration, before, after).split('\n--> statement-breakpoint\n')
  expect(statements('')).toEqual(['DROP TRIGGER changed;', 'CREATE TRIGGER changed new;'])
  const dropColumn = 'ALTER TABLE `accounts` DROP COLUMN `notes`;'
  expect(statements(dropColumn)).toEqual([
    'DROP TRIGGER kept;',
    'DROP TRIGGER changed;',
    dropColumn,
    'CREATE TRIGGER kept;',
    'CREATE TRIGGER changed new;',
  ])
})

test('each prefix of the migrations, carried on to the end, gives the same database', async () => {
  const whole = await schemaOf(await migrateUpTo('whole', all))
  expect(whole.length).toBeGreaterThan(tables.length)
  for (let count = 1; count < all; count++) {
    const name = `prefix${count}`
    await migrateUpTo(name, count)
    expect(await schemaOf(await migrateUpTo(name, all))).toEqual(whole)
  }
})

test('the local stack migrates to what drizzle-kit would make, and drizzle-kit carries on from there', async () => {
  const kept = async (client: ReturnType<typeof createClient>) => [
    await schemaOf(client),
    (await client.execute('select * from __drizzle_migrations order by created_at')).rows,
  ]
  const expected = await kept(await migrateUpTo('by drizzle', all))
  for (const _ of ['at first', 'again']) {
    await migrateDatabase(`${server.url}/own/`)
    expect(await kept(await migrateUpTo('own', all))).toEqual(expected)
  }
  await migrateUpTo('begun', 1)
  await migrateDatabase(`${server.url}/begun/`)
  expect(await kept(await migrateUpTo('begun', all))).toEqual(expected)
})

test('a database that was made by other migrations is left alone', async () => {
  const client = await migrateUpTo('other', all)
  await client.execute("insert into __drizzle_migrations (hash, created_at) values ('another', 1)")
  await expect(migrateDatabase(`${server.url}/other/`)).rejects.toThrow(OtherMigrations)
})
