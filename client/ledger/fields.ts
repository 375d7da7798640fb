import { fieldsOfNoun } from '../../src/upload/fields-contract.ts'
import { isExceptionField } from './exceptions.ts'
import { type Fields, pick } from './pending.ts'
import type { Noun } from './rows.ts'

const rejected = ['email', 'password', 'from', 'exceptions', 'successor_client_id']

/** The fields that a user can enter of a row, with the exceptions of a rule. */
export const enteredFields = (noun: Noun, row: Fields): Fields =>
  pick(row, [...fieldsOf(noun), ...Object.keys(row).filter(isExceptionField)])

/** The fields that a user can enter. */
export function fieldsOf(noun: Noun): string[] {
  // A check stays on its account, which only its creation names.
  const { shape } = noun === 'balance_check' ? fieldsOfNoun[noun].create : fieldsOfNoun[noun].update
  return Object.keys(shape).filter((field) => !rejected.includes(field))
}
