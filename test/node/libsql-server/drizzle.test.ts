import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { count, DrizzleQueryError, eq, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/libsql/http'
import { migrate } from 'drizzle-orm/libsql/migrator'
import { blob, integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import { failureOf, useDirectory, useServer } from './local-server.ts'

const server = useServer()
const scratch = useDirectory()

const things = sqliteTable('things', {
  id: integer().primaryKey({ autoIncrement: true }),
  name: text().notNull().unique(),
  weight: real(),
  madeAt: integer({ mode: 'timestamp' }),
  picture: blob({ mode: 'buffer' }),
  tags: text({ mode: 'json' }).$type<string[]>(),
})

const MIGRATION = `CREATE TABLE things (
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, weight REAL, madeAt INTEGER, picture BLOB, tags TEXT
);
--> statement-breakpoint
CREATE TRIGGER things_named BEFORE INSERT ON things WHEN new.name = '' BEGIN
  SELECT RAISE(ABORT, 'no name');
END;`

async function migrated() {
  const folder = await mkdtemp(join(scratch.path, 'migrations'))
  await mkdir(join(folder, 'meta'))
  const entries = [{ idx: 0, version: '6', when: 1, tag: '0000_things', breakpoints: true }]
  await writeFile(
    join(folder, 'meta/_journal.json'),
    JSON.stringify({ version: '7', dialect: 'sqlite', entries }),
  )
  await writeFile(join(folder, '0000_things.sql'), MIGRATION)
  const db = drizzle(server.client(server.newName()))
  await migrate(db, { migrationsFolder: folder })
  return { db, folder }
}

describe('Drizzle', () => {
  test('migrates, and finds nothing to do the second time', async () => {
    const { db, folder } = await migrated()
    await migrate(db, { migrationsFolder: folder })
    expect(await db.get(sql`SELECT count(*) AS n FROM __drizzle_migrations`)).toEqual({ n: 1 })
    expect(await db.select().from(things)).toEqual([])
  })

  test('gets back what it put in', async () => {
    const { db } = await migrated()
    const thing = {
      name: 'a thing',
      weight: 1.25,
      madeAt: new Date('2026-01-02T03:04:05Z'),
      picture: Buffer.from([0, 255, 128]),
      tags: ['x', 'y'],
    }
    const [made] = await db.insert(things).values(thing).returning()
    expect(made).toEqual({ id: 1, ...thing })
    expect(await db.select().from(things).where(eq(things.id, 1))).toEqual([made])
  })

  test('runs a batch as one request, all or nothing', async () => {
    const { db } = await migrated()
    const [inserted, counted] = await db.batch([
      db
        .insert(things)
        .values([{ name: 'a' }, { name: 'b' }])
        .returning({ id: things.id }),
      db.select({ n: count() }).from(things),
    ])
    expect([inserted, counted]).toEqual([[{ id: 1 }, { id: 2 }], [{ n: 2 }]])
    const failed = db.batch([db.delete(things), db.insert(things).values({ name: '' })])
    expect(await failureOf(failed)).toMatchObject({
      statementIndex: 1,
      message: expect.stringContaining('no name'),
    })
    expect(await db.$count(things)).toBe(2)
  })

  test('runs transactions, and rolls them back', async () => {
    const { db } = await migrated()
    await db.transaction(async (transaction) => {
      await transaction.insert(things).values({ name: 'kept' })
      await transaction.update(things).set({ weight: 2 }).where(eq(things.name, 'kept'))
    })
    await failureOf(
      db.transaction(async (transaction) => {
        await transaction.delete(things)
        transaction.rollback()
      }),
    )
    expect(await db.select({ name: things.name, weight: things.weight }).from(things)).toEqual([
      { name: 'kept', weight: 2 },
    ])
  })

  test('wraps the errors it is used to', async () => {
    const { db } = await migrated()
    await db.insert(things).values({ name: 'a' })
    const error = await failureOf(db.insert(things).values({ name: 'a' }).returning())
    expect(error).toBeInstanceOf(DrizzleQueryError)
    expect(error.cause).toMatchObject({
      name: 'LibsqlError',
      code: 'SQLITE_CONSTRAINT',
      message: 'SQLITE_CONSTRAINT: SQLite error: UNIQUE constraint failed: things.name',
    })
  })
})
