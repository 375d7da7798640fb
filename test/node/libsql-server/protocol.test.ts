import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { useServer } from './local-server.ts'

// Nobody is hurried here, so that a lock that is not given back is noticed.
const server = useServer({ transactionMs: 3_600_000, streamIdleMs: 3_600_000 })
const execute = (sql: string, more: object = {}) => ({ type: 'execute', stmt: { sql, ...more } })
const integer = (value: number) => ({ type: 'integer', value: String(value) })

afterEach(async () => {
  const { results } = await server.pipeline('still-there', execute('SELECT 1'))
  expect(results[0].type).toBe('ok')
})

describe('The protocol', () => {
  test('announces itself', async () => {
    const answers = await Promise.all(['health', 'any/v2'].map((path) => fetch(`${server.url}/${path}`)))
    expect(answers.map((answer) => answer.status)).toEqual([200, 200])
  })

  test('answers each request of a pipeline, the failed ones too', async () => {
    const answer = await server.pipeline(
      server.newName(),
      execute('SELECT 1 AS one'),
      execute('SELECT * FROM nowhere'),
      { type: 'get_autocommit' },
      execute('BEGIN'),
      { type: 'get_autocommit' },
      { type: 'close' },
    )
    const result = {
      cols: [{ name: 'one', decltype: null }],
      rows: [[integer(1)]],
      affected_row_count: 0,
      last_insert_rowid: null,
    }
    expect(answer).toMatchObject({ baton: null, base_url: null })
    expect(answer.results).toMatchObject([
      { type: 'ok', response: { type: 'execute', result } },
      { type: 'error', error: { message: 'SQLite error: no such table: nowhere', code: 'SQLITE_UNKNOWN' } },
      { type: 'ok', response: { type: 'get_autocommit', is_autocommit: true } },
      { type: 'ok', response: { type: 'execute' } },
      { type: 'ok', response: { type: 'get_autocommit', is_autocommit: false } },
      { type: 'ok', response: { type: 'close' } },
    ])
  })

  test('leaves out rows that are not wanted', async () => {
    const { results } = await server.pipeline(server.newName(), execute('SELECT 1', { want_rows: false }))
    expect(results[0].response.result).toMatchObject({ cols: [{ name: '1' }], rows: [] })
  })

  test('runs the steps of a batch whose conditions hold', async () => {
    const step = (sql: string, condition?: object) => ({ stmt: { sql }, ...(condition && { condition }) })
    const ok = (index: number) => ({ type: 'ok', step: index })
    const { results } = await server.pipeline(server.newName(), {
      type: 'batch',
      batch: {
        steps: [
          step('SELECT 0'),
          step('SELECT * FROM nowhere', ok(0)),
          step('SELECT 2', { type: 'error', step: 1 }),
          step('SELECT 3', ok(1)),
          step('SELECT 4', { type: 'and', conds: [ok(0), { type: 'not', cond: ok(1) }] }),
          step('SELECT 5', { type: 'or', conds: [ok(3), { type: 'not', cond: { type: 'is_autocommit' } }] }),
          step('SELECT 6', { type: 'is_autocommit' }),
        ],
      },
    })
    const { step_results, step_errors } = results[0].response.result
    const values = step_results.map(
      (result: { rows: { value: string }[][] } | null) => result?.rows[0]?.[0]?.value,
    )
    expect(values).toEqual(['0', undefined, '2', undefined, '4', undefined, '6'])
    expect(step_errors.map((error: { code: string } | null) => error?.code)).toEqual([
      undefined,
      'SQLITE_UNKNOWN',
      ...Array(5).fill(undefined),
    ])
  })

  test('describes a statement without running it', async () => {
    const name = server.newName()
    await server.client(name).execute('CREATE TABLE t (a INTEGER, b TEXT)')
    const described = async (sql: string) =>
      (await server.pipeline(name, { type: 'describe', sql })).results[0].response.result
    expect(await described('SELECT a, b AS c, 1 FROM t WHERE a = ? AND b = :b AND a = ?5')).toEqual({
      params: [{ name: null }, { name: ':b' }, { name: null }, { name: null }, { name: '?5' }],
      cols: [
        { name: 'a', decltype: 'INTEGER' },
        { name: 'c', decltype: 'TEXT' },
        { name: '1', decltype: null },
      ],
      is_explain: false,
      is_readonly: true,
    })
    expect(await described('INSERT INTO t VALUES (1, 2)')).toMatchObject({ cols: [], is_readonly: false })
    expect(await described('EXPLAIN SELECT 1')).toMatchObject({ is_explain: true, is_readonly: true })
    expect((await server.client(name).execute('SELECT count(*) AS n FROM t')).rows[0]?.n).toBe(0)
    const { results } = await server.pipeline(name, { type: 'describe', sql: 'SELECT * FROM nowhere' })
    expect(results[0]).toMatchObject({ type: 'error', error: { code: 'SQLITE_UNKNOWN' } })
  })

  test.each([
    ['described', { type: 'describe', sql: 'PRAGMA foreign_keys = OFF' }],
    ['explained', execute('EXPLAIN PRAGMA foreign_keys = OFF')],
  ])('keeps a pragma that is only %s from changing the connection', async (_, request) => {
    const name = server.newName()
    await server.pipeline(name, request, { type: 'close' })
    const { rows } = await server.client(name).execute('PRAGMA foreign_keys')
    expect(rows[0]?.foreign_keys).toBe(1)
  })

  test('writes values as Turso does: integers as text, blobs without padding', async () => {
    const { results } = await server.pipeline(
      server.newName(),
      execute("SELECT 9007199254740993, 1.5, 'a', NULL, x'ff00'"),
    )
    expect(results[0].response.result.rows).toEqual([
      [
        { type: 'integer', value: '9007199254740993' },
        { type: 'float', value: 1.5 },
        { type: 'text', value: 'a' },
        { type: 'null' },
        { type: 'blob', base64: '/wA' },
      ],
    ])
  })
})

describe('A baton', () => {
  const resume = (name: string, baton: string, ...requests: object[]) =>
    server.post(name, { baton, requests })

  test('continues a stream once, and is then replaced', async () => {
    const name = server.newName()
    const first = await server.pipeline(name, execute('CREATE TABLE t (a)'), execute('BEGIN'))
    const second = await (await resume(name, first.baton, execute('INSERT INTO t VALUES (1)'))).json()
    expect(second.baton).not.toBe(first.baton)
    const reused = await resume(name, first.baton, execute('SELECT 1'))
    expect([reused.status, await reused.text()]).toEqual([400, 'Received a baton that has already been used'])
    const last = await resume(name, second.baton, execute('COMMIT'), { type: 'close' })
    expect(await last.json()).toMatchObject({ baton: null, results: [{ type: 'ok' }, { type: 'ok' }] })
    const closed = await resume(name, second.baton, execute('SELECT 1'))
    expect([closed.status, await closed.text()]).toEqual([400, 'Received an invalid baton'])
  })

  test('cannot be used while a request of its stream is under way', async () => {
    const name = server.newName()
    const holder = await server.pipeline(name, execute('BEGIN IMMEDIATE'))
    const { baton } = await server.pipeline(name, execute('SELECT 1'))
    await server.resetStats(name)
    const waiting = resume(name, baton, execute('BEGIN IMMEDIATE'), { type: 'close' })
    await server.received(name, 1)
    expect((await resume(name, baton, execute('SELECT 1'))).status).toBe(400)
    await resume(name, holder.baton, { type: 'close' })
    expect((await waiting).status).toBe(200)
  })

  test.each(['', 'nonsense', '.', 'AAAAAAAAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA'])(
    'of %j is invalid',
    async (baton) => {
      const response = await resume(server.newName(), baton, execute('SELECT 1'))
      expect([response.status, await response.text()]).toEqual([400, 'Received an invalid baton'])
    },
  )

  test('is worth nothing at another database', async () => {
    const { baton } = await server.pipeline(server.newName(), execute('SELECT 1'))
    expect((await resume(server.newName(), baton, execute('SELECT 1'))).status).toBe(400)
  })

  test.each([
    [[{ type: 'close' }, execute('SELECT 1')]],
    [[{ type: 'execute', stmt: { sql_id: 1 } }]],
    [[{ type: 'sequence' }]],
  ])('is not given back for %j, and its transaction is rolled back', async (requests) => {
    const name = server.newName()
    const { baton } = await server.pipeline(
      name,
      execute('CREATE TABLE t (a)'),
      execute('BEGIN IMMEDIATE'),
      execute('INSERT INTO t VALUES (1)'),
    )
    expect((await resume(name, baton, ...requests)).status).toBe(400)
    await server.client(name).execute('INSERT INTO t VALUES (2)')
    expect((await server.client(name).execute('SELECT a FROM t')).rows.map((row) => row.a)).toEqual([2])
    expect((await resume(name, baton, execute('SELECT 1'))).status).toBe(400)
  })
})

describe('A malformed request', () => {
  const value = (argument: unknown) => ({ requests: [execute('SELECT ?', { args: [argument] })] })
  const condition = (cond: unknown) => ({
    requests: [{ type: 'batch', batch: { steps: [{ stmt: { sql: 'SELECT 1' }, condition: cond }] } }],
  })

  test.each<[string, unknown]>([
    ['nothing', ''],
    ['half a JSON', '{"requests": ['],
    ['JSON of something else', '"requests"'],
    ['null', 'null'],
    ['an array', '[]'],
    ['no requests', {}],
    ['requests that are no array', { requests: { 0: execute('SELECT 1') } }],
    ['a baton that is no text', { baton: 7, requests: [] }],
    ['a request that is no object', { requests: [7] }],
    ['a request of no type', { requests: [{ stmt: { sql: 'SELECT 1' } }] }],
    ['a request of an unknown type', { requests: [{ type: '__proto__' }] }],
    ['a request without a statement', { requests: [{ type: 'execute' }] }],
    ['SQL that is no text', { requests: [execute(7 as unknown as string)] }],
    ['a text that is no Unicode', value({ type: 'text', value: '\ud800' })],
    ['bytes that are no UTF-8', new Uint8Array([0x22, 0xff, 0x22])],
    ['a value that is no object', value(1)],
    ['a value of an unknown type', value({ type: 'boolean', value: true })],
    ['an integer that is a number', value({ type: 'integer', value: 1 })],
    ['an integer that is none', value({ type: 'integer', value: '1.5' })],
    ['an integer above 64 bits', value({ type: 'integer', value: '9223372036854775808' })],
    ['a float that is none', value({ type: 'float', value: '1' })],
    [
      'a float that is too large',
      '{"requests":[{"type":"execute","stmt":{"sql":"SELECT ?","args":[{"type":"float","value":1e999}]}}]}',
    ],
    ['a blob that is no base64', value({ type: 'blob', base64: '*' })],
    ['a blob cut off', value({ type: 'blob', base64: 'AAAAA' })],
    [
      'named arguments without a name',
      { requests: [execute('SELECT :a', { named_args: [{ value: integer(1) }] })] },
    ],
    ['a batch without steps', { requests: [{ type: 'batch', batch: {} }] }],
    ['a condition on a step to come', condition({ type: 'ok', step: 0 })],
    ['a condition on no step', condition({ type: 'ok', step: -1 })],
    ['a condition of an unknown type', condition({ type: 'sometimes' })],
    [
      'conditions without end',
      `{"requests":[{"type":"batch","batch":{"steps":[{"stmt":{"sql":"SELECT 1"},"condition":${'{"type":"not","cond":'.repeat(9_999)}{"type":"is_autocommit"}${'}'.repeat(9_999)}}]}}]}`,
    ],
    ['more requests than anybody needs', { requests: Array(100_001).fill({ type: 'close' }) }],
    ['arrays without end', '['.repeat(1_000_000)],
    ['a stored text without a number', { requests: [{ type: 'store_sql', sql: 'SELECT 1' }] }],
  ])('of %s is answered by 400', async (_, body) => {
    const response = await server.post(server.newName(), body)
    expect(response.status).toBe(400)
    expect(response.headers.get('content-type')).toBe('text/plain')
    expect(await response.text()).not.toBe('')
  })

  test('larger than 64 MB is answered by 413', async () => {
    const response = await server.post(server.newName(), new Uint8Array(64 * 1024 * 1024 + 1))
    expect(response.status).toBe(413)
  })

  test('of many megabytes is welcome', async () => {
    const blob = randomBytes(6_000_000)
    const { rows } = await server
      .client(server.newName())
      .execute({ sql: 'SELECT length(?) AS n', args: [blob] })
    expect(rows[0]?.n).toBe(6_000_000)
  })

  test.each([
    ['SQL with NUL in it', 'SELECT 1 \0 FROM'],
    ['names with NUL in them', 'SELECT 1 AS "a\0b"'],
    ['brackets without end', 'SELECT '.concat('('.repeat(100_000))],
    ['a quote without end', `SELECT '${'x'.repeat(1_000_000)}`],
    ['a comment without end', '/* '.concat('*'.repeat(1_000_000))],
    ['too many parameters', `SELECT ${Array(40_000).fill('?').join()}`],
    ['a parameter numbered too high', 'SELECT ?99999999999999999999'],
    ['a parameter numbered 0', 'SELECT ?0'],
    ['too many columns', `SELECT ${Array(3_000).fill('1').join()}`],
    ['a stray surrogate half', 'SELECT "\udc00"'.toWellFormed()],
  ])('of %s fails, and only it', async (_, sql) => {
    const answer = await server.pipeline(server.newName(), execute(sql), execute('SELECT 1'))
    expect(answer.results.map((result: { type: string }) => result.type)).toEqual(['error', 'ok'])
  })

  test.each([
    ['GET', '/'],
    ['GET', '//v2'],
    ['POST', '/v2/pipeline'],
    ['POST', '/name/v3/pipeline'],
    ['GET', '/name/v2/pipeline'],
    ['PUT', '/name/stats'],
    ['GET', '/name/__proto__'],
    ['GET', '/name/stats/'],
  ])('to %s %s is answered by 404', async (method, path) => {
    expect((await fetch(server.url + path, { method })).status).toBe(404)
  })

  test('that is not even HTTP, or stops halfway, harms nobody', async () => {
    const { port, hostname } = new URL(server.url)
    for (const text of [
      'nonsense\r\n\r\n',
      'POST /a/v2/pipeline HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\n{',
    ]) {
      await new Promise<void>((done) => {
        const socket = connect(Number(port), hostname, () => socket.write(text, () => socket.destroySoon()))
        socket.resume().on('close', () => done())
        socket.on('error', () => done())
      })
    }
  })
})
