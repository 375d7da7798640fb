import { type AnsweringOptions, answersOf } from '../../src/imports/answers.ts'
import type { FileQuestion } from '../../src/shared/failures.ts'
import {
  type Row as ReadRow,
  type Reading as ReadStatement,
  readStatement,
  type Settled,
} from '../../statements/index.ts'

/** Answers by the fields of their questions, such as `signs` or `mapping.amount`. */
export type Answers = Record<string, string>

export type Row = ReadRow

export type LeftOut = { line: number; text: string; reason: string }

export type Reading = {
  rows: Row[]
  leftOut: LeftOut[]
  problems: { line: number | null; field: string; text: string }[]
  balances: ReadStatement['balances']
  settled: Settled
  questions: readonly FileQuestion[]
  /** The answers that the file has no use for. */
  unused: string[]
  /** The values that the next file of the same layout is read with. */
  remembered: Answers
}

type Context = { kind: 'bank' | 'own'; answers?: Answers; remembered?: Answers }

/** The day on which the files of the corpus are read. */
const today = '2026-11-27'

/** Reads a file. The only place where the tests of the corpus call the readers. */
export function readFile(bytes: Uint8Array, { kind, answers, remembered }: Context): Reading {
  const reading = readStatement(bytes, {
    ...{ kind, today, answers },
    remembered: remembered ? { values: remembered, source: 'as in import 1' } : null,
  })
  return { ...reading, remembered: reading.layout?.values ?? {} }
}

/** The options of a request as answers. */
export const flat = (options: AnsweringOptions): Answers => answersOf(options)
