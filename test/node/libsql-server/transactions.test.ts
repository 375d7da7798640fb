import type { Client } from '@libsql/client/http'
import { describe, expect, test } from 'vitest'
import { failureOf, useServer } from './local-server.ts'

// Nobody is hurried here, so that a lock that is not given back is noticed.
const server = useServer({ transactionMs: 3_600_000, streamIdleMs: 3_600_000 })
const hurried = useServer({ transactionMs: 50 })
const forgetful = useServer({ streamIdleMs: 50 })

const TABLE = 'CREATE TABLE t (id INTEGER PRIMARY KEY, word TEXT UNIQUE NOT NULL)'
const insert = (word: string) => ({ sql: 'INSERT INTO t (word) VALUES (?)', args: [word] })

async function wordsOf(client: Client): Promise<unknown[]> {
  return (await client.execute('SELECT word FROM t ORDER BY id')).rows.map((row) => row.word)
}

/** A client of a database with the table, whose name is given too, for its statistics. */
async function clientOf(of: typeof server) {
  const name = of.newName()
  const client = of.client(name)
  await client.execute(TABLE)
  await of.resetStats(name)
  return { name, client }
}

describe('A batch', () => {
  test('is done as a whole, and each statement sees the ones before it', async () => {
    const { client } = await clientOf(server)
    const results = await client.batch([insert('a'), insert('b'), 'SELECT count(*) AS n FROM t'], 'write')
    expect(results.map((result) => [result.rowsAffected, result.lastInsertRowid])).toEqual([
      [1, 1n],
      [1, 2n],
      [0, undefined],
    ])
    expect(results[2]?.rows[0]?.n).toBe(2)
  })

  test('that fails leaves nothing behind and tells which statement it was', async () => {
    const { client } = await clientOf(server)
    const error = await failureOf(client.batch([insert('a'), insert('a'), insert('b')], 'write'))
    expect(error).toMatchObject({ name: 'LibsqlBatchError', code: 'SQLITE_CONSTRAINT', statementIndex: 1 })
    expect(error.message).toContain('SQLite error: UNIQUE constraint failed: t.word')
    expect(await wordsOf(client)).toEqual([])
  })

  test.each(['read', 'deferred', 'write'] as const)('of mode %s reads', async (mode) => {
    const { client } = await clientOf(server)
    await client.execute(insert('a'))
    const [words, ids] = await client.batch(['SELECT word FROM t', 'SELECT id FROM t'], mode)
    expect([words?.rows[0]?.word, ids?.rows[0]?.id]).toEqual(['a', 1])
  })

  test('that begins by reading cannot write over what others wrote meanwhile', async () => {
    const { client } = await clientOf(server)
    const slow = await client.transaction('deferred')
    await slow.execute('SELECT * FROM t')
    await client.execute(insert('meanwhile'))
    expect(await failureOf(slow.execute(insert('late')))).toMatchObject({ code: 'SQLITE_BUSY' })
    expect((await slow.execute('SELECT count(*) AS n FROM t')).rows[0]?.n).toBe(0)
    await slow.commit()
    expect(await wordsOf(client)).toEqual(['meanwhile'])
  })

  test('of more statements than a stream can store texts is no trouble to the client', async () => {
    const { client } = await clientOf(server)
    const words = Array.from({ length: 200 }, (_, index) => `w${index}`)
    await client.batch(
      words.map((word) => `INSERT INTO t (word) VALUES ('${word}')`),
      'write',
    )
    expect(await wordsOf(client)).toEqual(words)
  })
})

describe('A transaction', () => {
  test('spans requests, and nobody else sees it before the commit', async () => {
    const { client } = await clientOf(server)
    const transaction = await client.transaction('write')
    await transaction.execute(insert('a'))
    await transaction.batch([insert('b'), insert('c')])
    expect((await transaction.execute('SELECT count(*) AS n FROM t')).rows[0]?.n).toBe(3)
    expect(await wordsOf(client)).toEqual([])
    await transaction.commit()
    expect(await wordsOf(client)).toEqual(['a', 'b', 'c'])
  })

  test('goes on after a statement that failed', async () => {
    const { client } = await clientOf(server)
    const transaction = await client.transaction('write')
    await transaction.execute(insert('a'))
    expect((await failureOf(transaction.execute(insert('a')))).code).toBe('SQLITE_CONSTRAINT')
    await transaction.execute(insert('b'))
    await transaction.commit()
    expect(await wordsOf(client)).toEqual(['a', 'b'])
  })

  test('is undone by a rollback, and by a close', async () => {
    const { client } = await clientOf(server)
    const rolledBack = await client.transaction('write')
    await rolledBack.execute(insert('a'))
    await rolledBack.rollback()
    const closed = await client.transaction('write')
    await closed.execute(insert('b'))
    closed.close()
    await client.execute(insert('c'))
    expect(await wordsOf(client)).toEqual(['c'])
  })

  test('has savepoints', async () => {
    const { client } = await clientOf(server)
    const transaction = await client.transaction('write')
    await transaction.executeMultiple(
      "SAVEPOINT s; INSERT INTO t (word) VALUES ('a'); ROLLBACK TO s; RELEASE s; INSERT INTO t (word) VALUES ('b')",
    )
    await transaction.commit()
    expect(await wordsOf(client)).toEqual(['b'])
  })

  test('may switch foreign keys off without the next one noticing', async () => {
    const client = await server.newClient(
      'CREATE TABLE a (id INTEGER PRIMARY KEY)',
      'CREATE TABLE b (a REFERENCES a)',
    )
    await client.executeMultiple('PRAGMA foreign_keys = OFF; INSERT INTO b VALUES (1)')
    expect((await failureOf(client.execute('INSERT INTO b VALUES (2)'))).message).toContain('FOREIGN KEY')
    expect((await client.execute('PRAGMA foreign_keys')).rows[0]?.foreign_keys).toBe(1)
  })
})

describe('Writers', () => {
  test('wait by the hundred for a transaction to end, and all get their turn', async () => {
    const { name, client } = await clientOf(server)
    const transaction = await client.transaction('write')
    await transaction.execute(insert('first'))
    let done = 0
    const writes = Array.from({ length: 100 }, async (_, index) => {
      await client.batch([insert(`a${index}`), insert(`b${index}`)], 'write')
      done += 1
    })
    await server.received(name, 101)
    expect((await client.execute('SELECT count(*) AS n FROM t')).rows[0]?.n).toBe(0)
    expect(done).toBe(0)
    await transaction.commit()
    await Promise.all(writes)
    const words = await wordsOf(client)
    expect(words).toHaveLength(201)
    expect(words[0]).toBe('first')
  })

  test('get their turn in the order of asking, batches and single statements alike', async () => {
    const { name, client } = await clientOf(server)
    const transaction = await client.transaction('write')
    await transaction.execute(insert('0'))
    const writes: Promise<unknown>[] = []
    for (const turn of [1, 2, 3, 4, 5, 6]) {
      writes.push(turn % 2 ? client.execute(insert(`${turn}`)) : client.batch([insert(`${turn}`)], 'write'))
      await server.received(name, 1 + turn)
    }
    await transaction.commit()
    await Promise.all(writes)
    expect(await wordsOf(client)).toEqual(['0', '1', '2', '3', '4', '5', '6'])
  })

  test('that hang up while waiting are passed over', async () => {
    const { name, client } = await clientOf(server)
    const transaction = await client.transaction('write')
    await transaction.execute(insert('a'))
    const hangUp = new AbortController()
    const body = JSON.stringify({
      requests: [{ type: 'execute', stmt: { sql: "INSERT INTO t (word) VALUES ('x')" } }],
    })
    const gone = fetch(`${server.url}/${name}/v2/pipeline`, { method: 'POST', body, signal: hangUp.signal })
    await server.received(name, 2)
    hangUp.abort()
    await failureOf(gone)
    const next = client.execute(insert('b'))
    await server.received(name, 3)
    await transaction.commit()
    await next
    expect(await wordsOf(client)).toEqual(['a', 'b'])
  })

  test('that hang up on the way do nothing', async () => {
    const { name, client } = await clientOf(server)
    await fetch(`${server.url}/${name}/latency`, { method: 'POST', body: '{"ms": 50}' })
    const hangUp = new AbortController()
    const gone = server.client(name, {
      fetch: (request: Request) => fetch(request, { signal: hangUp.signal }),
    })
    const failed = failureOf(gone.execute(insert('gone')))
    await server.received(name, 1)
    hangUp.abort()
    await failed
    // On the way for as long, and set out later.
    await client.execute(insert('later'))
    expect(await wordsOf(client)).toEqual(['later'])
  })

  test('that keep others waiting for too long are rolled back and told so', async () => {
    const { client } = await clientOf(hurried)
    const slow = await client.transaction('write')
    await slow.execute(insert('slow'))
    await client.execute(insert('waiting'))
    expect(await failureOf(slow.execute(insert('more')))).toMatchObject({
      code: 'TRANSACTION_TIMEOUT',
      message: expect.stringContaining('Transaction timed out'),
    })
    expect(await wordsOf(client)).toEqual(['waiting'])
  })

  test('that keep nobody waiting may take their time', async () => {
    const { client } = await clientOf(hurried)
    const slow = await client.transaction('write')
    await slow.execute(insert('slow'))
    await new Promise((wake) => setTimeout(wake, 120))
    await slow.commit()
    expect(await wordsOf(client)).toEqual(['slow'])
  })

  test('that were forgotten are rolled back, and the next in line goes on', async () => {
    const { client } = await clientOf(forgetful)
    const forgotten = await client.transaction('write')
    await forgotten.execute(insert('forgotten'))
    await client.execute(insert('next'))
    expect(await wordsOf(client)).toEqual(['next'])
    expect(await failureOf(forgotten.commit())).toMatchObject({
      code: 'STREAM_EXPIRED',
      message: 'STREAM_EXPIRED: The stream has expired due to inactivity',
    })
  })

  test('are not held up by an EXPLAIN on the connection they get', async () => {
    const { client } = await clientOf(server)
    await client.execute('EXPLAIN SELECT * FROM t')
    await client.batch([{ sql: 'EXPLAIN QUERY PLAN SELECT * FROM t', args: [] }], 'read')
    await client.execute('DROP TABLE t')
  })

  test('that fail give the lock back', async () => {
    const { client } = await clientOf(server)
    for (const sql of [
      'INSERT INTO t (word) VALUES (NULL)',
      'INSERT INTO nowhere VALUES (1)',
      'INSERT INTO t (word) VALUES (?)',
      'BEGIN IMMEDIATE; BEGIN IMMEDIATE',
    ]) {
      await failureOf(client.executeMultiple(sql))
    }
    await client.execute(insert('a'))
    expect(await wordsOf(client)).toEqual(['a'])
  })

  test('whose transaction an error has ended give the lock back', async () => {
    const { client } = await clientOf(server)
    const transaction = await client.transaction('write')
    await transaction.execute(insert('a'))
    await failureOf(transaction.execute("INSERT OR ROLLBACK INTO t (word) VALUES ('a')"))
    await client.execute(insert('b'))
    transaction.close()
    expect(await wordsOf(client)).toEqual(['b'])
  })
})
