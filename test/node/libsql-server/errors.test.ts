import { describe, expect, test } from 'vitest'
import { failureOf, useServer } from './local-server.ts'

const server = useServer()

describe('A failed statement', () => {
  test.each([
    [
      "INSERT INTO t (b) VALUES ('taken')",
      'SQLITE_CONSTRAINT',
      'SQLite error: UNIQUE constraint failed: t.b',
    ],
    [
      'INSERT INTO t (a, b) VALUES (1, 2)',
      'SQLITE_CONSTRAINT',
      'SQLite error: UNIQUE constraint failed: t.a',
    ],
    ['INSERT INTO t (b) VALUES (NULL)', 'SQLITE_CONSTRAINT', 'SQLite error: NOT NULL constraint failed: t.b'],
    [
      "INSERT INTO t (b, c) VALUES ('x', -1)",
      'SQLITE_CONSTRAINT',
      'SQLite error: CHECK constraint failed: c > 0',
    ],
    [
      "INSERT INTO t (b, d) VALUES ('x', 9)",
      'SQLITE_CONSTRAINT',
      'SQLite error: FOREIGN KEY constraint failed',
    ],
    ["INSERT INTO t (a, b) VALUES ('x', 'y')", 'SQLITE_MISMATCH', 'SQLite error: datatype mismatch'],
    ["INSERT INTO guarded VALUES ('x')", 'SQLITE_CONSTRAINT', 'SQLite error: not today'],
    ['SELECT * FROM nowhere', 'SQLITE_UNKNOWN', 'SQLite error: no such table: nowhere'],
    [
      'SELECT a, unknown FROM t',
      'SQL_INPUT_ERROR',
      'SQL input error: no such column: unknown (at offset 10)',
    ],
    [
      'SELECT unknown(a) FROM t',
      'SQL_INPUT_ERROR',
      'SQL input error: no such function: unknown (at offset 7)',
    ],
    ['SELEKT 1', 'SQL_PARSE_ERROR', 'SQL string could not be parsed: near "SELEKT": syntax error'],
    ['SELECT (1', 'SQL_PARSE_ERROR', 'SQL string could not be parsed: incomplete input'],
    ["SELECT 'a", 'SQL_PARSE_ERROR', `SQL string could not be parsed: unrecognized token: "'a"`],
    ['SELECT 1; SELECT 2', 'SQL_MANY_STATEMENTS', 'SQL string contains more than one statement'],
    [' -- nothing', 'SQL_NO_STATEMENT', 'SQL string does not contain any statement'],
    ['COMMIT', 'SQLITE_UNKNOWN', 'SQLite error: cannot commit - no transaction is active'],
    ['SELECT abs(-9223372036854775808)', 'SQLITE_UNKNOWN', 'SQLite error: integer overflow'],
    ["SELECT json('{')", 'SQLITE_UNKNOWN', 'SQLite error: malformed JSON'],
  ])('%s says what a Turso server says', async (sql, code, message) => {
    const client = await server.newClient(
      'CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT NOT NULL UNIQUE, c INTEGER CHECK (c > 0), d REFERENCES t)',
      "INSERT INTO t (a, b) VALUES (1, 'taken')",
      'CREATE TABLE guarded (a)',
      "CREATE TRIGGER guard BEFORE INSERT ON guarded BEGIN SELECT RAISE(ABORT, 'not today'); END",
    )
    const error = await failureOf(client.execute(sql))
    expect([error.name, error.code, error.message]).toEqual(['LibsqlError', code, `${code}: ${message}`])
    expect([error.extendedCode, error.rawCode]).toEqual([undefined, undefined])
  })

  test('of a foreign key that is checked at the end fails the commit', async () => {
    const client = await server.newClient(
      'CREATE TABLE t (a INTEGER PRIMARY KEY, b REFERENCES t DEFERRABLE INITIALLY DEFERRED)',
    )
    const error = await failureOf(client.batch(['INSERT INTO t VALUES (1, 2)'], 'write'))
    expect(error.code).toBe('SQLITE_CONSTRAINT')
    expect((await client.execute('SELECT count(*) AS n FROM t')).rows[0]?.n).toBe(0)
    await client.batch(['INSERT INTO t VALUES (1, 2)', 'INSERT INTO t VALUES (2, 1)'], 'write')
    expect((await client.execute('SELECT count(*) AS n FROM t')).rows[0]?.n).toBe(2)
  })

  test('has room for any number of steps before it in the batch', async () => {
    const client = await server.newClient('CREATE TABLE t (a INTEGER PRIMARY KEY)')
    const inserts = [1, 2, 3, 4, 3].map((a) => `INSERT INTO t VALUES (${a})`)
    expect(await failureOf(client.batch(inserts, 'write'))).toMatchObject({ statementIndex: 4 })
  })

  test('whose result would be too large is refused, and its connection is as good as before', async () => {
    const client = await server.newClient('CREATE TABLE t (a)')
    const count = 'WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT i FROM c'
    expect((await failureOf(client.execute(count))).code).toBe('RESPONSE_TOO_LARGE')
    const returned =
      "INSERT INTO t SELECT hex(randomblob(50)) FROM json_each('[' || substr(replace(hex(zeroblob(50000)), '0', ',1'), 2) || ']') RETURNING a"
    expect((await failureOf(client.execute(returned))).code).toBe('RESPONSE_TOO_LARGE')
    await client.batch(['INSERT INTO t VALUES (1)', 'DROP TABLE t'], 'write')
  })

  test('of a script may not return without end, either', async () => {
    const client = await server.newClient()
    const count = 'WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT i FROM c'
    expect((await failureOf(client.executeMultiple(count))).code).toBe('RESPONSE_TOO_LARGE')
  })

  test('that is too long to be taken apart is refused, however much white space surrounds a shorter one', async () => {
    const client = await server.newClient()
    const long = `SELECT '${'x'.repeat(4_000_000)}'`
    expect((await failureOf(client.execute(long))).code).toBe('SQLITE_TOOBIG')
    await client.execute(`${' '.repeat(4_000_000)}SELECT 1${' '.repeat(4_000_000)}`)
  })

  test('that needs more memory than there should be is refused', async () => {
    const client = await server.newClient()
    const error = await failureOf(client.execute('SELECT hex(zeroblob(600000000))'))
    expect(error.code).toBe('SQLITE_NOMEM')
  })
})

describe('What a statement did', () => {
  test('is told by the rows it changed and the id it made', async () => {
    const client = await server.newClient('CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER)')
    const told = async (sql: string) => {
      const { rowsAffected, lastInsertRowid, rows } = await client.execute(sql)
      return [rowsAffected, lastInsertRowid, rows.map((row) => Array.from(row))]
    }
    expect(await told('INSERT INTO t (n) VALUES (1), (2), (3)')).toEqual([3, 3n, []])
    expect(await told('INSERT INTO t (n) VALUES (4) RETURNING id, n')).toEqual([1, 4n, [[4, 4]]])
    expect(await told('UPDATE t SET n = n + 1 WHERE n > 2 RETURNING n')).toEqual([2, undefined, [[4], [5]]])
    expect(await told('UPDATE t SET n = 0 WHERE n > 100')).toEqual([0, undefined, []])
    expect(await told('INSERT INTO t VALUES (1, 1) ON CONFLICT DO NOTHING')).toEqual([0, 4n, []])
    expect(await told('DELETE FROM t WHERE id = 1')).toEqual([1, undefined, []])
    expect(await told('SELECT count(*) FROM t')).toEqual([0, undefined, [[3]]])
    expect(await told('WITH x(n) AS (VALUES (7), (8)) INSERT INTO t (n) SELECT n FROM x')).toEqual([
      2,
      6n,
      [],
    ])
    expect(await told('REPLACE INTO t VALUES (9007199254740993, 1)')).toEqual([1, 9007199254740993n, []])
    expect(await told('CREATE TABLE u (a)')).toEqual([0, undefined, []])
  })

  test('leaves out what its triggers did', async () => {
    const client = await server.newClient(
      'CREATE TABLE t (id INTEGER PRIMARY KEY)',
      'CREATE TABLE log (id INTEGER PRIMARY KEY, t)',
      'CREATE TRIGGER logged AFTER INSERT ON t BEGIN INSERT INTO log (t) VALUES (new.id), (new.id); END',
    )
    const result = await client.execute('INSERT INTO t VALUES (10)')
    expect([result.rowsAffected, result.lastInsertRowid]).toEqual([1, 10n])
  })
})
