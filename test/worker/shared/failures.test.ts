import { expect, test } from 'vitest'
import * as databaseErrors from '../../../src/database/errors.ts'
import * as failures from '../../../src/failures/failures.ts'

const classes = Object.values({ ...failures, ...databaseErrors })
  .filter((value) => typeof value === 'function')
  .filter((value) => value.prototype instanceof Error && value !== failures.Failure)

test('every error sets its own name, which the log shows even if classes have lost theirs', () => {
  expect(classes.length).toBeGreaterThan(10)
  const names = classes.map((errorClass) => Reflect.construct(errorClass, ['Account', '2026-11-20']).name)
  expect(names).toEqual(classes.map(({ name }) => name))
})
