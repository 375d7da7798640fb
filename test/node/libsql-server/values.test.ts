import { describe, expect, test } from 'vitest'
import { failureOf, useServer } from './local-server.ts'

const server = useServer()

async function roundTrip(value: unknown) {
  const client = server.client(server.newName(), { intMode: 'bigint' })
  await client.execute('CREATE TABLE kept (value)')
  await client.execute({ sql: 'INSERT INTO kept VALUES (?)', args: [value as string] })
  const { rows } = await client.execute('SELECT value, typeof(value) AS type FROM kept')
  return [rows[0]?.value, rows[0]?.type]
}

describe('Values', () => {
  test.each([
    ['null', null, 'null'],
    ['an integer', 42n, 'integer'],
    ['the greatest integer', 9223372036854775807n, 'integer'],
    ['the least integer', -9223372036854775808n, 'integer'],
    ['a number', 0.1, 'real'],
    ['a number with no fraction', 5, 'real'],
    ['the greatest number', Number.MAX_VALUE, 'real'],
    ['the empty text', '', 'text'],
    ['text of other scripts and emoji', 'Zürich, 東京, 👩‍👩‍👧‍👦', 'text'],
    ['text with a byte order mark', '\ufeffa', 'text'],
    ['text with NUL in it', 'before\0after', 'text'],
    ['text with quotes, backslashes and escapes', `'"\\ \\u0000 \\ud800 \n`, 'text'],
  ])('%s comes back as it went', async (_, value, type) => {
    expect(await roundTrip(value)).toEqual([value, type])
  })

  test.each([0, 1, 2, 3, 255])('a blob of %i bytes comes back as it went', async (length) => {
    const blob = Uint8Array.from({ length }, (_, index) => index)
    const [value, type] = await roundTrip(blob)
    expect(type).toBe('blob')
    expect(new Uint8Array(value as ArrayBuffer)).toEqual(blob)
  })

  test('integers arrive as JavaScript numbers unless a client asks for more', async () => {
    const client = await server.newClient()
    expect((await client.execute('SELECT 7 AS n')).rows[0]?.n).toBe(7)
    await expect(client.execute('SELECT 9007199254740993 AS n')).rejects.toThrow(RangeError)
  })

  test('infinity has no form in JSON, so a result with it is refused by the client as one of Turso is', async () => {
    const client = await server.newClient()
    const error = await failureOf(client.execute('SELECT 9e999'))
    expect(error.code).toBe('HRANA_PROTO_ERROR')
  })

  test('columns keep their order, their names and their types, even two of the same name', async () => {
    const client = await server.newClient('CREATE TABLE t (a INTEGER, b TEXT NOT NULL, c VARCHAR(3))')
    await client.execute("INSERT INTO t VALUES (1, 'x', 'y')")
    const result = await client.execute('SELECT a, b, c, a AS b, 1 + 1 FROM t')
    expect(result.columns).toEqual(['a', 'b', 'c', 'b', '1 + 1'])
    expect(result.columnTypes).toEqual(['INTEGER', 'TEXT', 'VARCHAR(3)', 'INTEGER', ''])
    expect(Array.from(result.rows[0] ?? [])).toEqual([1, 'x', 'y', 1, 2])
  })
})

describe('Parameters', () => {
  const asked = async (sql: string, args: unknown[] | Record<string, unknown>) => {
    const client = await server.newClient()
    return Array.from((await client.execute({ sql, args: args as string[] })).rows[0] ?? [])
  }

  test('are taken by position, by number and by name', async () => {
    expect(await asked('SELECT ?, ?', ['a', 'b'])).toEqual(['a', 'b'])
    expect(await asked('SELECT ?2, ?1, ?2, ?', ['a', 'b', 'c'])).toEqual(['b', 'a', 'b', 'c'])
    expect(await asked('SELECT :x, @y, $z, :x', { x: 'a', y: 'b', z: 'c' })).toEqual(['a', 'b', 'c', 'a'])
    expect(await asked('SELECT :x', { x: null })).toEqual([null])
  })

  test('are not looked for in strings, names and comments', async () => {
    const sql = `SELECT '?', 'it''s :x', ? AS "?2" /* ? */ -- :x`
    expect(await asked(sql, ['a'])).toEqual(['?', "it's :x", 'a'])
  })

  test.each([
    ['SELECT ?, ?', ['a'], 'value for parameter 2 not found'],
    ['SELECT ?', ['a', 'b'], 'too many parameters, expected 1 found 2'],
    ['SELECT ?3', ['a', 'b'], 'value for parameter ?3 not found'],
    ['SELECT :x', ['a'], 'value for parameter :x not found'],
    ['SELECT :x, :y', { x: 'a' }, 'value for parameter :y not found'],
  ])('%s refuses %j', async (sql, args, reason) => {
    const error = await failureOf(asked(sql, args))
    expect([error.code, error.message]).toEqual([
      'ARGS_INVALID',
      `ARGS_INVALID: Arguments do not match SQL parameters: ${reason}`,
    ])
  })
})

describe('Text that is not UTF-8', () => {
  test('is an error of the request that reads it, and of no other', async () => {
    const client = await server.newClient('CREATE TABLE kept (value)')
    const payees = JSON.stringify(['\ud800', 'a\0b', 'fine'])
    await client.execute({ sql: 'INSERT INTO kept SELECT value FROM json_each(?)', args: [payees] })
    const error = await failureOf(client.execute('SELECT value FROM kept'))
    expect([error.code, error.message]).toEqual([
      'SERVER_ERROR',
      'SERVER_ERROR: Server returned HTTP status 500: A text in the result is not valid UTF-8',
    ])
    const others = await client.execute('SELECT value FROM kept WHERE rowid > 1 ORDER BY rowid DESC')
    expect(others.rows.map((row) => row.value)).toEqual(['fine', 'a\0b'])
  })

  test.each(['SELECT char(55296)', "SELECT CAST(x'ff' AS TEXT)", "SELECT json_extract('\"\\ud800\"', '$')"])(
    '%s does not take the server down',
    async (sql) => {
      const client = await server.newClient()
      await failureOf(client.execute(sql))
      expect((await client.execute('SELECT 1 AS one')).rows[0]?.one).toBe(1)
    },
  )

  test('is found in what RETURNING gives as well, with every other value as it is', async () => {
    const client = await server.newClient('CREATE TABLE kept (id INTEGER PRIMARY KEY, a, "b ""c""")')
    const insert =
      'INSERT INTO kept (a, "b ""c""") VALUES (?, ?) RETURNING *, a AS again, ? || \'!\', length(a), id'
    const result = await client.execute({ sql: insert, args: ['x\0y', new Uint8Array([1, 2]), 'z'] })
    expect(result.columns).toEqual(['id', 'a', 'b "c"', 'again', "? || '!'", 'length(a)', 'id'])
    const [id, a, b, again, joined, length, idAgain] = Array.from(result.rows[0] ?? [])
    expect([id, a, again, joined, length, idAgain]).toEqual([1, 'x\0y', 'x\0y', 'z!', 1, 1])
    expect(new Uint8Array(b as ArrayBuffer)).toEqual(new Uint8Array([1, 2]))
    expect([result.rowsAffected, result.lastInsertRowid]).toEqual([1, 1n])
  })

  test('is looked for in databases that hold blobs, whose other results stay what they were', async () => {
    const client = await server.newClient('CREATE TABLE kept (id INTEGER PRIMARY KEY, value, n REAL)')
    await client.execute({
      sql: 'INSERT INTO kept VALUES (1, ?, 1.5), (2, NULL, 2)',
      args: [new Uint8Array([255])],
    })
    const result = await client.execute(
      'SELECT id, value, n, typeof(value) AS type FROM kept ORDER BY id DESC LIMIT 2',
    )
    expect(result.columnTypes).toEqual(['INTEGER', '', 'REAL', ''])
    expect(Array.from(result.rows[0] ?? [])).toEqual([2, null, 2, 'null'])
    expect(new Uint8Array(result.rows[1]?.value as ArrayBuffer)).toEqual(new Uint8Array([255]))
    expect((await failureOf(client.execute("SELECT value || '' FROM kept"))).code).toBe('SERVER_ERROR')
    expect((await client.execute('PRAGMA table_info(kept)')).rows.map((row) => row.name)).toEqual([
      'id',
      'value',
      'n',
    ])
  })

  test('is looked for without working out any value twice', async () => {
    const client = await server.newClient('CREATE TABLE kept (value)', "INSERT INTO kept VALUES (x'00')")
    const numbers = JSON.stringify(Array(200).fill(0))
    const random = { sql: "SELECT iif(random() < 0, 'text', 1) AS v FROM json_each(?)", args: [numbers] }
    const values = (await client.execute(random)).rows.map((row) => row.v)
    expect(values.filter((value) => value !== 'text' && value !== 1)).toEqual([])
  })
})
