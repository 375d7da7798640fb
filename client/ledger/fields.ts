import { fieldsOfNoun } from '../../src/changes/operations-contract.ts'
import type { Noun } from './rows.ts'

const rejected = ['email', 'password']

/** The fields that a user can enter. */
export const fieldsOf = (noun: Noun): string[] =>
  Object.keys(fieldsOfNoun[noun].update.shape).filter((field) => !rejected.includes(field))
