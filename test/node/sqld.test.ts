import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sql } from 'drizzle-orm'
import { expect, onTestFinished, test } from 'vitest'
import { localDatabase, startLocalDatabase } from '../../dev/local-database.ts'
import { migrateDatabase } from '../../dev/migrate.ts'
import { freePort } from '../../dev/ports.ts'
import { findSqld } from '../../dev/sqld/binary.ts'
import { isSqld, startSqld } from '../../dev/sqld/server.ts'
import { findDifferences } from '../../src/database/check.ts'
import { openDatabase } from '../databases/open.ts'
import { runCommand } from './fixtures/run-command.ts'
import { newPlace, projectDirectory, until } from './fixtures/stack.ts'

function newDirectory(): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'purse-sqld-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
  return directory
}

test.each([
  [
    { os: 'win32', cpu: 'x64' },
    'there is no libSQL server for win32-x64: work in WSL, or set TURSO_DATABASE_URL to a database elsewhere.',
  ],
  [
    { os: 'darwin', cpu: 'arm64' },
    'the libSQL server is not installed: run `npm ci` without omitting optional dependencies.',
  ],
] as const)('where there is no server for %o, one line says what to do', (platform, line) => {
  const nowhere = () => {
    throw new Error('Cannot find module')
  }
  expect(() => findSqld(platform, nowhere)).toThrow(line)
})

test('a server ends with the process that started it, even if that is killed', async () => {
  const script = `import { startSqld } from './dev/sqld/server.ts'
    console.log((await startSqld({ directory: process.argv[1], checkpointInterval: 60 })).url)`
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', script, newDirectory()], {
    cwd: projectDirectory,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(parent.stdout, 'data')
  const url = String(line).trim()
  expect(await isSqld(url)).toBe(true)
  parent.kill('SIGKILL')
  expect(await until(async () => !(await isSqld(url)))).toBe(true)
})

test('the db: commands say in one line that their port is busy', async () => {
  const place = await newPlace()
  const check = () => runCommand('db-check', place)
  const stranger = createServer().listen(Number(place.LIBSQL_PORT), '127.0.0.1')
  await once(stranger, 'listening')
  expect(await check()).toMatchObject({
    code: 1,
    stderr: `error: port ${place.LIBSQL_PORT} for libSQL is busy: stop what uses it or set LIBSQL_PORT to another port.\n`,
  })
  await once(stranger.close(), 'close')
  expect(await check()).toMatchObject({ stderr: expect.stringContaining('Run `npm run db:migrate` first') })
})

test('commands say why a database turns them away, migrate it once, and retry what has failed in it', async () => {
  const [directory, port] = [newDirectory(), await freePort()]
  const server = await startLocalDatabase(directory, port)
  onTestFinished(() => server.close())
  const { url, authToken } = await localDatabase(directory, port)
  const run = (command: string, token: string, ...words: string[]) =>
    runCommand(command, { TURSO_DATABASE_URL: url, TURSO_AUTH_TOKEN: token }, ...words)
  for (const [command = '', ...words] of [['db-migrate'], ['db-check'], ['batches-retry', '--all-failed']])
    expect(await run(command, 'wrong', ...words)).toMatchObject({ stderr: expect.stringContaining('401') })
  expect(await run('db-migrate', authToken)).toMatchObject({
    stdout: expect.stringMatching(/^Migrations applied: [1-9]/),
  })
  expect(await run('db-migrate', authToken)).toMatchObject({ stdout: 'All migrations had been applied.\n' })
  const db = openDatabase({ url, authToken, timeoutMs: 30_000 })
  await db.batch([
    db.run(sql`
      insert into sync_batches (id, user_id, status, body_hash, created_at, completed_at)
      values ('done', 1, 'completed', '', 1, 1), ('lost', 1, 'failed', '', 1, 1)`),
  ])
  const retryAll = () => run('batches-retry', authToken, '--all-failed')
  expect(await retryAll()).toMatchObject({
    stdout: 'lost: 0 items are waiting again; queued within a minute.\n',
  })
  expect(await retryAll()).toMatchObject({ stdout: 'No batch has failed.\n' })
  const later = sql`insert into __drizzle_migrations (hash, created_at) values ('a later one', 9e15)`
  await db.batch([db.run(later)])
  expect(await run('db-migrate', authToken)).toMatchObject({
    stdout: 'All migrations had been applied, and later ones too.\n',
  })
  await db.batch([db.run(sql`delete from __drizzle_migrations where hash <> 'a later one'`)])
  expect(await run('db-migrate', authToken)).toMatchObject({
    code: 1,
    stderr: 'error: the database could not be migrated: it was made by other migrations\n',
  })
})

test('the database of `npm run dev` serves only requests with its token, which stays the same', async () => {
  const [directory, port] = [newDirectory(), await freePort()]
  const server = await startLocalDatabase(directory, port)
  onTestFinished(() => server.close())
  const one = await localDatabase(directory, port)
  const query = (authToken: string) => {
    const db = openDatabase({ url: one.url, authToken, timeoutMs: 30_000 })
    return db.batch([db.all(sql`select 1 as one`)])
  }
  expect(await query(one.authToken)).toEqual([[{ one: 1 }]])
  expect(await localDatabase(directory, port)).toEqual(one)
  const { authToken: ofAnother } = await localDatabase(newDirectory(), port)
  for (const token of ['', ofAnother])
    await expect(query(token)).rejects.toMatchObject({ cause: { status: 401 } })
})

test('a backup, put where docs/deploy.md puts it, is the database', async () => {
  const directory = newDirectory()
  const first = await startSqld({ directory, checkpointInterval: 60 })
  await migrateDatabase(first.url)
  const names = async (url: string) => {
    const db = openDatabase({ url, timeoutMs: 30_000 })
    const [rows] = await db.batch([db.all<{ name: string }>(sql`select name from users`)])
    return rows.map(({ name }) => name)
  }
  const db = openDatabase({ url: first.url, timeoutMs: 30_000 })
  await db.batch([
    db.run(
      sql`insert into users (name, email, created_at, updated_at) values ('Ada', 'ada@example.com', 1, 1)`,
    ),
  ])
  await first.close()

  const restored = newDirectory()
  const file = 'dbs/default/data'
  for (const suffix of ['', '-wal'])
    cpSync(path.join(directory, file + suffix), path.join(restored, file + suffix), { recursive: true })
  const second = await startSqld({ directory: restored, checkpointInterval: 60 })
  onTestFinished(() => second.close())
  expect(await names(second.url)).toEqual(['Ada'])
  expect(await findDifferences(openDatabase({ url: second.url, timeoutMs: 30_000 }))).toEqual([])
})
