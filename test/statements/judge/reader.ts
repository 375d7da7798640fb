import type { FileQuestion } from '../../../src/domain/file-questions.ts'
import {
  type Answers,
  type Known,
  type Reading as ReadStatement,
  type Row,
  readStatement,
  type Settled,
} from '../../../statements/index.ts'

export type { Answers, Row }

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

type Context = { kind: 'bank' | 'own'; answers?: Answers; remembered?: Answers; known?: Known }

/** The day on which the files of the corpus are read. */
const today = '2026-11-27'

/** Reads a file. The only place where the tests of the corpus call the readers. */
export function readFile(bytes: Uint8Array, { kind, answers, remembered, known }: Context): Reading {
  const reading = readStatement(bytes, {
    ...{ kind, today, answers, known },
    remembered: remembered ? { values: remembered, source: 'as in import 1' } : null,
  })
  return { ...reading, remembered: reading.layout?.values ?? {} }
}

/** Answers as a request sends them: those to `mapping.amount` and so on together. */
export type GroupedAnswers = Record<string, string | Record<string, string>>

/** Answers by the fields of their questions. */
export function flat(grouped: GroupedAnswers): Answers {
  return Object.fromEntries(
    Object.entries(grouped).flatMap(([name, value]) =>
      typeof value === 'string'
        ? [[name, value]]
        : Object.entries(value).map(([key, one]) => [`${name}.${key}`, one]),
    ),
  )
}
