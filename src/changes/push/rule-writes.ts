import type * as z from 'zod/mini'
import type { Exceptions } from '../../domain/recurrence/occurrences.ts'
import type { FoundRule } from '../../recurring/chain.ts'
import type { Division } from '../../recurring/divide.ts'
import type { fieldsOfNoun } from '../fields-contract.ts'

/** What an update of a rule sets. */
export type SetFields = z.output<typeof fieldsOfNoun.recurring.update>

/** A write that has been decided. If it `refers` to other rows, SQL has to check these first. */
export type RuleWrite = { index: number; rule: FoundRule; set: SetFields } & (
  | { kind: 'update'; exceptions: Exceptions; refers: boolean }
  | { kind: 'divide'; division: Division }
  | { kind: 'delete' }
)
