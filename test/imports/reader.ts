import { isKept } from '../../src/imports/remembered-layouts.ts'
import { type FileQuestion, Invalid, Questions } from '../../src/shared/failures.ts'
import { readGeneric, readStatement } from '../../statements/read.ts'
import { chooseAccount } from '../../statements/shared/accounts.ts'
import type { Settled } from '../../statements/shared/aspect.ts'
import { answersOf, type FileOptions } from '../../statements/shared/options.ts'

/** Answers by the fields of their questions, such as `signs` or `mapping.amount`. */
export type Answers = Record<string, string>

export type Row = {
  /** The records of which the row was made. */
  lines: number[]
  date: string
  /** Minor units, negative for what was spent; a transfer leaves its account. */
  amount: number
  description: string | null
  account: string | null
  toAccount: string | null
  category: string | null
}

export type LeftOut = { line: number; text: string; reason: string }

export type Reading = {
  rows: Row[]
  /** Null as long as the readers do not say what they left out. */
  leftOut: LeftOut[] | null
  problems: { line: number | null; field: string; text: string }[]
  settled: Settled
  questions: readonly FileQuestion[]
  /** Null as long as the readers do not say which answers they had no use for. */
  unused: string[] | null
  /** The values that the next file of the same layout is read with. */
  remembered: Answers
}

type Context = { kind: 'bank' | 'own'; answers?: Answers; remembered?: Answers }

/** The day on which the files of the corpus are read. */
const today = '2026-11-27'

/** Reads a file. The only place where the tests of the corpus call the readers. */
export function readFile(bytes: Uint8Array, { kind, answers = {}, remembered }: Context): Reading {
  const options: FileOptions = {
    ...nested(answers),
    today,
    kept: remembered ? { values: remembered, source: 'as in import 1' } : null,
  }
  const none = { leftOut: null, unused: null, problems: [], questions: [] }
  try {
    const { rows, settled } = kind === 'bank' ? readBank(bytes, options) : readOwn(bytes, options)
    return { ...none, rows, settled, remembered: rememberedOf(settled) }
  } catch (error) {
    const nothing = { ...none, rows: [], settled: {}, remembered: {} }
    if (error instanceof Questions) return { ...nothing, questions: error.questions }
    if (!(error instanceof Invalid)) throw error
    const problems = Object.entries(error.errors).map(([key, texts]) => {
      const [, line, field] = /^rows\.(\d+)\.(.*)$/.exec(key) ?? []
      return { line: line ? Number(line) : null, field: field ?? key, text: texts.join(' ') }
    })
    return { ...nothing, problems }
  }
}

function readBank(bytes: Uint8Array, options: FileOptions): Pick<Reading, 'rows' | 'settled'> {
  const { accounts, settled } = readStatement(bytes, options)
  const chosen = chooseAccount(accounts, options)
  const none = { account: null, toAccount: null, category: null }
  const rows = chosen.account.entries.map(({ line, date, amount, description }) => ({
    ...{ lines: [line], date, amount, description, ...none },
  }))
  return { rows, settled: { ...settled, ...chosen.settled } }
}

function readOwn(bytes: Uint8Array, options: FileOptions): Pick<Reading, 'rows' | 'settled'> {
  const { rows, settled } = readGeneric(bytes, options)
  const signed = rows.map(({ line, date, type, amount, description, account, to_account, category }) => ({
    ...{ lines: [line], date, description, account, toAccount: to_account, category },
    amount: type === 'income' ? amount : -amount,
  }))
  return { rows: signed, settled }
}

function rememberedOf(settled: Settled): Answers {
  const entries = Object.entries(settled).map(([field, { value }]) => [field, value] as const)
  return Object.fromEntries(entries.filter(([field, value]) => isKept(field, value)))
}

/** Answers as the options of a request. */
function nested(answers: Answers): FileOptions {
  const options: Record<string, string | Record<string, string>> = {}
  for (const [field, value] of Object.entries(answers)) {
    const [name = '', key] = field.split(/\.(.*)/s)
    const before = options[name]
    options[name] = key === undefined ? value : { ...(typeof before === 'object' && before), [key]: value }
  }
  return options
}

/** The options of a request as answers. */
export const flat = (options: FileOptions): Answers => answersOf(options)
