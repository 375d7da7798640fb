import { LibsqlBatchError, LibsqlError } from '@libsql/client/http'
import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { isBusy, isOutOfBounds, isTaken, translateDatabaseErrors } from '../../../src/database/errors.ts'
import { builder, type Statement } from '../../../src/database/run.ts'
import { DatabaseUnavailable } from '../../../src/failures/failures.ts'
import { createWorld } from '../fixtures/world.ts'
import { openWorldDatabase } from '../laws/every-route.ts'

const translated = (error: unknown) =>
  translateDatabaseErrors(Promise.reject(error)).catch((thrown) => thrown)

const passing = [
  ...['SQLITE_BUSY', 'SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_LOCKED', 'SQLITE_INTERRUPT', 'SQLITE_READONLY'],
  ...['SQLITE_CANTOPEN', 'TRANSACTION_TIMEOUT', 'TRANSACTION_BUSY', 'BLOCKED'],
]
const lasting = [
  ...['SQLITE_ERROR', 'SQLITE_UNKNOWN', 'SQLITE_MISUSE', 'SQLITE_TOOBIG', 'SQLITE_CONSTRAINT'],
  ...['SQL_PARSE_ERROR', 'ARGS_INVALID', 'RESPONSE_TOO_LARGE'],
]

test.each([...passing, ...lasting])('%s may pass, or is for good', async (code) => {
  const error = await translated(new LibsqlError('no matter', code))
  expect(error instanceof DatabaseUnavailable).toBe(passing.includes(code))
})

test.each([
  ['SQLITE_BUSY', true],
  ['TRANSACTION_BUSY', true],
  ['TRANSACTION_TIMEOUT', false],
  ['SQLITE_IOERR', false],
])('%s means that a batch was not begun: %s', async (code, isSo) => {
  expect(isBusy(await translated(new LibsqlError('no matter', code)))).toBe(isSo)
})

describe('a violated constraint is told by its name:', () => {
  const violated = (name: string) =>
    translated(new LibsqlBatchError(`SQLITE_CONSTRAINT: SQLite error: ${name}`, 1, 'SQLITE_CONSTRAINT'))
  const taken = 'UNIQUE constraint failed: users.email'

  test('which column is taken', async () => {
    const error = await violated(taken)
    expect(isTaken(error, 'users.email')).toBe(true)
    expect(isTaken(error, 'users.idp_id')).toBe(false)
  })

  test('which columns are, together', async () => {
    const error = await violated(
      'UNIQUE constraint failed: categories.user_id, categories.name_key, categories.type',
    )
    for (const column of ['user_id', 'name_key', 'type'])
      expect(isTaken(error, `categories.${column}`)).toBe(true)
    expect(isTaken(error, 'categories.name')).toBe(false)
  })

  test('which bound was passed', async () => {
    expect(isOutOfBounds(await violated('CHECK constraint failed: balance_in_bounds'))).toBe(true)
    expect(isOutOfBounds(await violated(taken))).toBe(false)
  })
})

/** What becomes of a statement: its rows, or the error and its code. */
const outcomes: [statement: string, outcome: unknown][] = [
  ['select -9007199254740991 as a', [{ a: -9007199254740991 }]],
  ['select 9007199254740992 as a', ['RangeError', undefined]],
  ['select hex(zeroblob(3000000)) as a', ['LibsqlError', 'SQLITE_TOOBIG']],
  [
    'select hex(zeroblob(2000000)) as a from json_each(json_array(1, 2, 3, 4, 5))',
    ['ResponseTooLarge', undefined],
  ],
  [`select json('{') as a`, ['LibsqlError', 'SQLITE_UNKNOWN']],
  ['select a from absent', ['LibsqlError', 'SQLITE_UNKNOWN']],
  ['select', ['LibsqlError', 'SQL_PARSE_ERROR']],
]

test.each(outcomes)('alone or with another, "%s" has the same outcome', async (statement, outcome) => {
  const db = openWorldDatabase(createWorld())
  const send = (...others: Statement[]) =>
    db.batch([builder.all(sql.raw(statement)), ...others]).then(
      ([rows]) => rows,
      (error) => [error.name.replace('Batch', ''), error.code],
    )
  expect(await send()).toEqual(outcome)
  expect(await send(builder.all(sql`select 1 as a`))).toEqual(outcome)
})
