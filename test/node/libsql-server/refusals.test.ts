import { describe, expect, test } from 'vitest'
import { failureOf, useServer } from './local-server.ts'

const server = useServer()

describe('As a Turso server, it refuses', () => {
  test.each([
    'CREATE TEMP TABLE x (a)',
    'CREATE TEMPORARY TABLE x AS SELECT 1',
    'CREATE TABLE temp.x (a)',
    'CREATE TABLE IF NOT EXISTS "TEMP".x (a)',
    'CREATE TEMP VIEW x AS SELECT 1',
    'create temp trigger x after insert on t begin select 1; end',
    "ATTACH ':memory:' AS other",
    'DETACH main',
    'ANALYZE',
    'VACUUM',
    "VACUUM INTO 'elsewhere.db'",
    '/* hidden */ VACUUM',
    'PRAGMA recursive_triggers = ON',
    'PRAGMA journal_mode = DELETE',
    'PRAGMA main.journal_mode = DELETE',
    'PRAGMA busy_timeout(1000)',
    'PRAGMA synchronous = OFF',
    'PRAGMA writable_schema = ON',
    'PRAGMA wal_checkpoint',
    'PRAGMA optimize',
    'PRAGMA query_only = ON',
    'PRAGMA nonsense',
    'EXPLAIN PRAGMA recursive_triggers = ON',
    'INSERT INTO libsql_wasm_func_table VALUES (1)',
    'DROP TABLE IF EXISTS _litestream_lock',
  ])('%s', async (sql) => {
    const client = await server.newClient('CREATE TABLE t (a)')
    const error = await failureOf(client.execute(sql))
    expect(error.code).toBe('SQL_PARSE_ERROR')
    expect(error.message).toContain('SQL string could not be parsed: unsupported statement: ')
  })

  test('a batch or a script as a whole, for one statement in it', async () => {
    const client = await server.newClient('CREATE TABLE t (a)')
    await failureOf(client.batch(['INSERT INTO t VALUES (1)', 'VACUUM'], 'write'))
    await failureOf(client.executeMultiple('INSERT INTO t VALUES (1); ANALYZE; INSERT INTO t VALUES (2)'))
    await failureOf(client.executeMultiple('INSERT INTO t VALUES (1); INSERT INTO t VALUES (2'))
    expect((await client.execute('SELECT count(*) AS n FROM t')).rows[0]?.n).toBe(0)
  })
})

describe('It lets through', () => {
  test.each([
    'PRAGMA table_info(t)',
    "PRAGMA table_xinfo('t')",
    'PRAGMA main.index_list("t")',
    'PRAGMA foreign_keys',
    'PRAGMA foreign_keys = OFF',
    'PRAGMA defer_foreign_keys = ON',
    'PRAGMA foreign_key_check',
    'PRAGMA integrity_check',
    'PRAGMA user_version = 7',
    'PRAGMA journal_mode',
    'PRAGMA busy_timeout',
    'PRAGMA recursive_triggers',
    'EXPLAIN SELECT * FROM t WHERE a = ?',
    'EXPLAIN QUERY PLAN SELECT * FROM t WHERE a = ?',
    'CREATE VIEW v AS SELECT a FROM t',
    'CREATE TRIGGER x AFTER INSERT ON t BEGIN DELETE FROM t WHERE a = 1; UPDATE t SET a = 2; END',
    'CREATE VIRTUAL TABLE words USING fts5(word)',
    'ALTER TABLE t ALTER COLUMN a TO a INTEGER NOT NULL DEFAULT 0',
    'ALTER TABLE t RENAME TO u',
    'REINDEX',
    'REPLACE INTO t VALUES (1)',
    'UPDATE OR IGNORE t SET a = 1',
    'WITH x AS (SELECT 1) DELETE FROM t',
    'VALUES (1), (2)',
    'SELECT replace(a, 1, 2) FROM t;',
    "SELECT ';' -- ; SELECT 2",
  ])('%s', async (sql) => {
    const client = await server.newClient('CREATE TABLE t (a)')
    await client.execute(sql)
  })

  test('scripts whose triggers have statements of their own', async () => {
    const client = await server.newClient()
    await client.executeMultiple(`
      CREATE TABLE t (a INTEGER PRIMARY KEY, n INTEGER DEFAULT 0);
      CREATE TABLE log (a); -- what happened; in order
      CREATE TRIGGER logged AFTER INSERT ON t WHEN new.a > 0 BEGIN
        INSERT INTO log VALUES (CASE WHEN new.a > 1 THEN 'many;' ELSE 'one' END);
        UPDATE t SET n = n + 1 WHERE a = new.a;
      END;
      INSERT INTO t (a) VALUES (1), (2);
    `)
    const log = await client.execute('SELECT log.a, t.n FROM log, t WHERE t.a = log.rowid')
    expect(log.rows.map((row) => Array.from(row))).toEqual([
      ['one', 1],
      ['many;', 1],
    ])
  })
})

describe('Stored SQL', () => {
  const store = (sql_id: number, sql: string) => ({ type: 'store_sql', sql_id, sql })

  test('is run by its number until it is closed', async () => {
    const { results } = await server.pipeline(
      server.newName(),
      store(1, 'SELECT 1 + ?'),
      { type: 'execute', stmt: { sql_id: 1, args: [{ type: 'integer', value: '1' }] } },
      { type: 'batch', batch: { steps: [{ stmt: { sql_id: 1, args: [{ type: 'integer', value: '2' }] } }] } },
      { type: 'close_sql', sql_id: 1 },
      store(1, 'CREATE TABLE t (a); INSERT INTO t VALUES (1)'),
      { type: 'sequence', sql_id: 1 },
    )
    expect(results[1].response.result.rows).toEqual([[{ type: 'integer', value: '2' }]])
    expect(results[2].response.result.step_results[0].rows).toEqual([[{ type: 'integer', value: '3' }]])
    expect(results[5]).toEqual({ type: 'ok', response: { type: 'sequence' } })
  })

  test('is limited to 5 kB a text and to 50 texts', async () => {
    const texts = Array.from({ length: 51 }, (_, index) => store(index, 'SELECT 1'))
    const { results } = await server.pipeline(
      server.newName(),
      store(-1, `SELECT '${'x'.repeat(5_000)}'`),
      ...texts,
    )
    expect(results[0]).toMatchObject({ type: 'error', error: { code: 'SQL_STORE_TOO_LARGE' } })
    expect(results[50]).toEqual({ type: 'ok', response: { type: 'store_sql' } })
    expect(results[51]).toMatchObject({ type: 'error', error: { code: 'SQL_STORE_TOO_MANY' } })
  })

  test.each([
    [[store(1, 'SELECT 1'), store(1, 'SELECT 2')], 'SQL text 1 already exists'],
    [[{ type: 'execute', stmt: { sql_id: 9 } }], 'SQL text 9 not found'],
    [[{ type: 'execute', stmt: {} }], 'Either `sql` or `sql_id` are required'],
    [
      [{ type: 'sequence', sql: 'SELECT 1', sql_id: 1 }],
      'Either `sql` or `sql_id` are required, but not both',
    ],
  ])('of %j breaks the protocol', async (requests, message) => {
    const response = await server.post(server.newName(), { requests })
    expect([response.status, await response.text()]).toEqual([400, message])
  })
})
