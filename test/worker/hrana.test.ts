import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { runOne } from '../../src/db/batch.ts'
import { isTaken, translateDatabaseErrors } from '../../src/db/errors.ts'
import { pipelineOf, readBatch } from '../../src/db/hrana.ts'
import { DatabaseUnavailable } from '../../src/domain/failures.ts'
import { openWorldDatabase } from './laws/every-route.ts'
import { createWorld } from './world.ts'

const step = { cols: [], rows: [], affected_row_count: 0 }
const ofBatch = (step_results: unknown[], step_errors: unknown[] = step_results.map(() => null)) => ({
  results: [{ type: 'ok', response: { type: 'batch', result: { step_results, step_errors } } }],
})

/** What reading an answer to one statement throws. */
const thrownBy = (body: unknown, count: (read: number, written: number) => void = () => {}) =>
  translateDatabaseErrors((async () => readBatch(body, 1, count))()).catch((thrown: unknown) => thrown)

test('requests go below the path of the address, and libsql means https', () => {
  expect(pipelineOf('libsql://purse.turso.io').href).toBe('https://purse.turso.io/v2/pipeline')
  expect(pipelineOf('http://127.0.0.1:8080/one/').href).toBe('http://127.0.0.1:8080/one/v2/pipeline')
})

test('values reach the database as what they are, and come back', async () => {
  const db = openWorldDatabase(createWorld())
  const values = ['it’s "?1"\n', 2 ** 53 - 1, -0.5, null, true, false]
  const columns = values.map((value, at) => {
    const names = { value: sql.identifier(`value${at}`), type: sql.identifier(`type${at}`) }
    return sql`${value} as ${names.value}, typeof(${value}) as ${names.type}`
  })
  const [row = {}] = await runOne(db, db.all<object>(sql`select ${sql.join(columns, sql`, `)}`))
  expect(Object.values(row)).toEqual([
    values[0],
    'text',
    values[1],
    'real',
    -0.5,
    'real',
    null,
    'null',
    1,
    'integer',
    0,
    'integer',
  ])
})

test('an integer that a number cannot hold is an error', async () => {
  const db = openWorldDatabase(createWorld())
  const asked = runOne(db, db.all(sql`select 9007199254740993 as large`))
  await expect(asked).rejects.toThrow('beyond the safe range')
})

test.each([
  ['nothing', null],
  ['a text', 'Welcome to the hotel'],
  ['an object', {}],
  ['no results', { results: [] }],
  ['results that are none', { results: 'sold out' }],
  ['fewer steps than statements', ofBatch([step])],
])('an answer with %s is not that of a database', async (_, body) => {
  expect(await thrownBy(body)).toBeInstanceOf(DatabaseUnavailable)
})

test('of several errors the first is the reason, and the rows of all steps are counted nevertheless', async () => {
  const counted: number[][] = []
  const taken = { message: 'UNIQUE constraint failed: users.email', code: 'SQLITE_CONSTRAINT' }
  const steps = [{ ...step, rows_read: 1, rows_written: 2 }, null, step]
  const error = await thrownBy(ofBatch(steps, [null, taken, { message: 'cannot rollback' }]), (...rows) =>
    counted.push(rows),
  )
  expect(isTaken(error, 'users.email')).toBe(true)
  expect(counted).toEqual([
    [1, 2],
    [0, 0],
    [0, 0],
  ])
})

test('an error of the whole request is the reason too', async () => {
  const refused = { type: 'error', error: { message: 'busy', code: 'SQLITE_BUSY' } }
  const error = await thrownBy({ results: [refused] })
  expect(error).toMatchObject({ cause: { name: 'BatchFailed', code: 'SQLITE_BUSY' } })
})
