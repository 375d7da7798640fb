import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient } from '@libsql/client/http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { DirectoryInUse, startLibsqlServer } from '../../../dev/libsql/server.ts'
import { failureOf, useDirectory, useServer } from './local-server.ts'

const server = useServer()
const copier = useServer({ template: 'template' })
const scratch = useDirectory()

const newDirectory = () => mkdtemp(join(scratch.path, 'd'))
const clientAt = (url: string, name = 'purse') => createClient({ url: `${url}/${name}/` })

describe('A database', () => {
  test('is made when it is first used, and kept apart from the others', async () => {
    const [one, other] = [server.newName(), server.newName()]
    await server.client(one).execute('CREATE TABLE t (a)')
    await failureOf(server.client(other).execute('SELECT * FROM t'))
    expect(existsSync(join(server.directory.path, `${one}.db`))).toBe(true)
  })

  test.each(['a', 'Z-9_', 'x'.repeat(64), '-'])('may be named %s', async (name) => {
    await server.client(name).execute('SELECT 1')
  })

  test.each([
    '',
    '.',
    '..',
    '%2e%2e',
    '..%2f..%2fetc',
    'a.db',
    'a b',
    'a%00',
    'ä',
    'x'.repeat(65),
    '.server-lock',
    'a:b',
    '~',
  ])('cannot be named %j', async (name) => {
    const before = await readdir(server.directory.path)
    // Not by fetch, which would tidy the path up before sending it.
    const path = `/${name}/v2`
    const [response] = await once(get(`${server.url}`, { path: encodeURI(decodeURI(path)) }), 'response')
    expect(response.statusCode).toBe(404)
    response.destroy()
    expect(await readdir(server.directory.path)).toEqual(before)
  })

  test('enforces foreign keys, writes ahead and does not let triggers recurse', async () => {
    const client = await server.newClient()
    const pragma = async (name: string) => (await client.execute(`PRAGMA ${name}`)).rows[0]?.[0]
    expect(await pragma('foreign_keys')).toBe(1)
    expect(await pragma('journal_mode')).toBe('wal')
    expect(await pragma('recursive_triggers')).toBe(0)
  })

  test('may be deleted under the server, and starts anew', async () => {
    const name = server.newName()
    await server.client(name).execute('CREATE TABLE t (a)')
    await rm(join(server.directory.path, `${name}.db`))
    await server.client(name).execute('CREATE TABLE t (a)')
  })

  test('that was deleted does not come back with the connection of a transaction that still had it open', async () => {
    const name = server.newName()
    const client = server.client(name)
    await client.execute('CREATE TABLE old (a)')
    const open = await client.transaction('read')
    await open.execute('SELECT * FROM old')
    await rm(join(server.directory.path, `${name}.db`))
    await client.execute('CREATE TABLE new (a)')
    await open.commit()
    await client.execute('SELECT * FROM new')
  })

  test('that is no database is an error of its own', async () => {
    const name = server.newName()
    await writeFile(join(server.directory.path, `${name}.db`), 'this is not a database '.repeat(100))
    expect((await failureOf(server.client(name).execute('SELECT 1'))).code).toBe('SQLITE_NOTADB')
    expect((await failureOf(server.client(name).batch(['SELECT 1'], 'write'))).code).toBe('SQLITE_NOTADB')
  })
})

describe('A connection', () => {
  test('tells a stream nothing of what others did on it', async () => {
    const client = await server.newClient('CREATE TABLE t (id INTEGER PRIMARY KEY)')
    await client.execute('INSERT INTO t VALUES (7)')
    const asked = await client.execute('SELECT last_insert_rowid(), changes(), total_changes()')
    expect(Array.from(asked.rows[0] ?? [])).toEqual([0, 0, 0])
    const [, own] = await client.batch(
      ['INSERT INTO t VALUES (8)', 'SELECT last_insert_rowid() AS id'],
      'write',
    )
    expect(own?.rows[0]?.id).toBe(8)
  })
})

describe('A template', () => {
  const wordsIn = async (name: string) =>
    (await copier.client(name).execute('SELECT word FROM t ORDER BY word')).rows.map((row) => row.word)

  test('is what a missing database starts as a copy of', async () => {
    expect((await failureOf(copier.client('early').execute('SELECT 1'))).message).toContain('404')
    const template = copier.client('template')
    await template.batch(['CREATE TABLE t (word)', "INSERT INTO t VALUES ('a')"], 'write')
    await copier.client('one').execute("INSERT INTO t VALUES ('one')")
    expect(await wordsIn('two')).toEqual(['a'])
    await template.execute("INSERT INTO t VALUES ('b')")
    expect(await wordsIn('three')).toEqual(['a', 'b'])
    expect(await wordsIn('one')).toEqual(['a', 'one'])
    expect(await wordsIn('template')).toEqual(['a', 'b'])
  })

  test('is copied as committed, even while it is read and written', async () => {
    const template = copier.client('template')
    const before = await wordsIn('template')
    const reading = await template.transaction('deferred')
    await reading.execute('SELECT * FROM t')
    await template.execute("INSERT INTO t VALUES ('committed')")
    const writing = await template.transaction('write')
    await writing.execute("INSERT INTO t VALUES ('not committed')")
    expect(await wordsIn('meanwhile')).toEqual([...before, 'committed'])
    await reading.rollback()
    await writing.rollback()
    expect((await copier.client('meanwhile').execute('PRAGMA integrity_check')).rows[0]?.[0]).toBe('ok')
  })

  test('hands on that its texts may be any bytes', async () => {
    await copier.client('template').execute("INSERT INTO t VALUES ('z' || char(0) || 'z')")
    expect(await wordsIn('copied')).toContain('z\0z')
  })

  test('serves a hundred databases at once', async () => {
    const names = Array.from({ length: 100 }, (_, index) => `many${index}`)
    const added = await Promise.all(
      names.map(async (name) => {
        await copier.client(name).execute({ sql: 'INSERT INTO t VALUES (?)', args: [name] })
        return wordsIn(name)
      }),
    )
    for (const [index, words] of added.entries()) expect(words).toContain(`many${index}`)
  })
})

describe('A directory', () => {
  test('belongs to one server at a time', async () => {
    const directory = await newDirectory()
    const first = await startLibsqlServer({ directory })
    const refused = await failureOf(startLibsqlServer({ directory }))
    expect(refused).toBeInstanceOf(DirectoryInUse)
    expect(refused.message).toContain(directory)
    await first.close()
    await (await startLibsqlServer({ directory })).close()
  })

  test('is made if it is missing, and free again if the port is taken', async () => {
    const directory = join(await newDirectory(), 'deep', 'down')
    const port = Number(new URL(server.url).port)
    expect(await failureOf(startLibsqlServer({ directory, port }))).toMatchObject({ code: 'EADDRINUSE' })
    await (await startLibsqlServer({ directory })).close()
  })

  test('keeps what was written when the server is closed, and nothing that was not committed', async () => {
    const directory = await newDirectory()
    const first = await startLibsqlServer({ directory })
    await clientAt(first.url).batch(['CREATE TABLE t (a)', 'INSERT INTO t VALUES (1)'], 'write')
    const unfinished = await clientAt(first.url).transaction('write')
    await unfinished.execute('INSERT INTO t VALUES (2)')
    await first.close()
    const second = await startLibsqlServer({ directory })
    onTestFinished(() => second.close())
    await clientAt(second.url).execute('INSERT INTO t VALUES (3)')
    const kept = await clientAt(second.url).execute('SELECT a FROM t')
    expect(kept.rows.map((row) => row.a)).toEqual([1, 3])
  })
})

describe('Closing', () => {
  test('does not wait for idle connections or for writers in the line, and may be asked for twice', async () => {
    const local = await startLibsqlServer({
      directory: await newDirectory(),
      transactionMs: 3_600_000,
      streamIdleMs: 3_600_000,
    })
    const agent = new Agent({ keepAlive: true })
    const [idle] = await once(get(`${local.url}/health`, { agent }), 'response')
    idle.resume()
    const holder = await clientAt(local.url).transaction('write')
    await holder.execute('CREATE TABLE t (a)')
    const waiting = failureOf(clientAt(local.url).execute('CREATE TABLE u (a)'))
    const requests = async () => (await (await fetch(`${local.url}/purse/stats`)).json()).requests
    while ((await requests()) < 2) await new Promise((wake) => setTimeout(wake, 5))
    await Promise.all([local.close(), local.close()])
    await waiting
    await failureOf(fetch(`${local.url}/health`))
    agent.destroy()
  })
})

describe('A server that is killed', () => {
  const NODE = fileURLToPath(new URL('../../../node_modules/.bin/node', import.meta.url))
  const SERVE = fileURLToPath(new URL('./serve.ts', import.meta.url))

  async function startProcess(directory: string): Promise<[ChildProcess, string]> {
    const child = spawn(NODE, [SERVE, directory], { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    const [line] = await once(child.stdout, 'data')
    return [child, String(line).trim()]
  }

  test('in mid-write has lost nothing it acknowledged, and left nothing half done', async () => {
    const directory = await newDirectory()
    const [child, url] = await startProcess(directory)
    expect(await failureOf(startLibsqlServer({ directory }))).toBeInstanceOf(DirectoryInUse)
    await clientAt(url).execute('CREATE TABLE t (id INTEGER PRIMARY KEY, half INTEGER, filler TEXT)')
    const acknowledged: number[] = []
    const write = async (first: number) => {
      for (let id = first; ; id += 4) {
        const halves = [0, 1].map((half) => ({
          sql: 'INSERT INTO t VALUES (?, ?, ?)',
          args: [2 * id + half, half, 'x'.repeat(3_000)],
        }))
        await clientAt(url).batch(halves, 'write')
        acknowledged.push(2 * id, 2 * id + 1)
        if (acknowledged.length === 600) child.kill('SIGKILL')
      }
    }
    await Promise.all([0, 1, 2, 3].map((first) => failureOf(write(first))))

    const revived = await startLibsqlServer({ directory })
    onTestFinished(() => revived.close())
    const client = clientAt(revived.url)
    const ids = new Set((await client.execute('SELECT id FROM t')).rows.map((row) => row.id))
    expect(acknowledged.filter((id) => !ids.has(id))).toEqual([])
    const halves = await client.execute('SELECT sum(half = 0) AS first, sum(half = 1) AS second FROM t')
    expect(halves.rows[0]?.first).toBe(halves.rows[0]?.second)
    expect((await client.execute('PRAGMA integrity_check')).rows[0]?.[0]).toBe('ok')
  })
})
