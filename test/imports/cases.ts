import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { chooseAccount } from '../../src/imports/formats/accounts.ts'
import { allRows, type Settled } from '../../src/imports/formats/aspects/aspect.ts'
import { readGeneric, readStatement } from '../../src/imports/formats/read.ts'
import type { FileOptions } from '../../src/imports/formats/statement.ts'
import { type ExampleRow, Invalid, Questions } from '../../src/shared/failures.ts'

/** A row that a file should come to: its day, its signed amount, and words that its description contains. */
type ExpectedRow = { date: string; amount: string; words: string | null }

/** A file with what is right beside it. `told` is sent from the beginning, `answers` are those of a person. */
export type Case = {
  name: string
  bytes: Uint8Array
  isGeneric: boolean
  told: FileOptions
  answers: FileOptions
  accounts: { select?: string; rows: ExpectedRow[] }[]
}

/**
 * What a file comes to, and the fields that were asked for it. `doubts` are those without the choice of one of several
 * accounts, which a file that names them cannot settle.
 */
export type Outcome = {
  result: 'exact' | 'asked' | 'wrong' | 'refused'
  asked: string[]
  doubts: string[]
  text: string
  settled: Settled
}

/** Files by what shows which way their amounts go; `made` are those that were made to be asked about. */
export type Kind = 'statement' | 'proved CSV' | 'unproved CSV' | 'own CSV' | 'made'

const corpus = path.join(import.meta.dirname, '../corpus')

/** The files of other apps and banks, and those of the formats. */
export function allCases(): { cases: Case[]; older: Case[] } {
  const files = (pattern: string) => globSync(pattern, { cwd: corpus }).sort()
  return { cases: files('cases/*.json').map(newCase), older: files('*/*.expected.json').map(olderCase) }
}

/** Reads a file, answers what it asks as its case says, and compares the rows with what is right. */
export function outcomeOf(one: Case): Outcome {
  const outcomes = one.accounts.map((account) => {
    const told = account.select ? { ...one.told, statement_account: account.select } : one.told
    return readCase(one, told, account.rows)
  })
  const order = ['wrong', 'refused', 'asked', 'exact']
  return outcomes.sort((a, b) => order.indexOf(a.result) - order.indexOf(b.result))[0] as Outcome
}

/** The kind of a file, by how it was read in the end: one with a proof was not told its signs. */
export function kindOf({ name, isGeneric }: Case, { settled }: Outcome): Kind {
  if (name.includes('/class-')) return 'made'
  if (/^(?:ofx|camt|mt940|qif)\//.test(name)) return 'statement'
  if (isGeneric) return 'own CSV'
  return settled.signs?.proof === 'as the request says' ? 'unproved CSV' : 'proved CSV'
}

function readCase(one: Case, told: FileOptions, expected: ExpectedRow[]): Outcome {
  const found: Pick<Outcome, 'asked' | 'doubts'> = { asked: [], doubts: [] }
  let options = told
  for (let round = 0; round < 6; round += 1) {
    try {
      const { rows, settled } = readRows(one, options)
      const text = differenceOf(rows, expected)
      const result = text !== '' ? 'wrong' : found.asked.length > 0 ? 'asked' : 'exact'
      return { result, ...found, text, settled }
    } catch (error) {
      if (!(error instanceof Questions)) {
        const text = error instanceof Invalid ? JSON.stringify(error.errors) : String(error)
        return { result: 'refused', ...found, text, settled: {} }
      }
      for (const { field, options: choices } of error.questions) {
        found.asked.push(field)
        const isChoice = field === 'statement_account' && choices[0]?.value !== allRows
        if (!isChoice) found.doubts.push(field)
      }
      options = answered(one, options, error, expected)
    }
  }
  return { result: 'refused', ...found, text: 'asked again and again', settled: {} }
}

/** The options with an answer to each question: that of the case, or the one whose example is right. */
function answered(
  one: Case,
  options: FileOptions,
  { questions }: Questions,
  expected: ExpectedRow[],
): FileOptions {
  let result = options
  for (const { field, options: choices } of questions) {
    const [name = '', key] = field.split(/\.(.*)/s)
    const known = (one.answers as Record<string, string | Record<string, string>>)[name]
    const told = typeof known === 'object' ? known[key ?? ''] : known
    const isRight = ({ date, type, amount }: ExampleRow) =>
      expected.some(
        (row) => row.date === date && cents(row.amount) === (type === 'income' ? amount : -amount),
      )
    const right =
      choices.find(({ example }) => example.length > 0 && example.every(isRight)) ??
      choices.find(({ example }) => example.some(isRight))
    // A person who maps one column maps the others that go with it.
    if (name === 'mapping') result = { ...result, mapping: { ...result.mapping, ...one.answers.mapping } }
    if (name === 'mapping' && told === undefined && one.answers.mapping) continue
    const value = told ?? right?.value ?? choices[0]?.value ?? ''
    const before = (result as Record<string, Record<string, string>>)[name]
    result = { ...result, [name]: key === undefined ? value : { ...before, [key]: value } }
  }
  return result
}

type ReadRow = { date: string; amount: number; description: string | null }

/** The rows of a file, and how its aspects were settled. Throws Questions. */
function readRows(
  { bytes, isGeneric }: Pick<Case, 'bytes' | 'isGeneric'>,
  options: FileOptions,
): { rows: ReadRow[]; settled: Settled } {
  if (!isGeneric) {
    const { accounts, settled } = readStatement(bytes, options)
    const chosen = chooseAccount(accounts, options)
    return { rows: chosen.account.entries, settled: { ...settled, ...chosen.settled } }
  }
  const { rows, settled } = readGeneric(bytes, options)
  const signed = rows.map((row) => ({ ...row, amount: row.type === 'income' ? row.amount : -row.amount }))
  return { rows: signed, settled }
}

const cents = (amount: string) => Math.round(Number(amount) * 100)

/** The first row that is not as expected; empty if all are. */
function differenceOf(rows: ReadRow[], expected: ExpectedRow[]): string {
  const left = [...rows]
  for (const { date, amount, words } of expected) {
    const at = left.findIndex(
      (row) =>
        row.date === date &&
        row.amount === cents(amount) &&
        (words === null || (row.description ?? '').toLowerCase().includes(words.toLowerCase())),
    )
    if (at < 0) return `lacks ${date} ${amount} ${words ?? ''}, has ${JSON.stringify(left.slice(0, 3))}`
    left.splice(at, 1)
  }
  return left[0] ? `has ${JSON.stringify(left[0])} besides` : ''
}

type NewFile = {
  file: string
  kind: 'bank' | 'generic'
  accounts: { select?: string; rows: (string | null)[][] }[]
  answers: FileOptions
  opts: { params?: FileOptions }
}

function newCase(name: string): Case {
  const file = readJson<NewFile>(name)
  const isGeneric = file.kind === 'generic'
  const accounts = file.accounts.map(({ select, rows }) => ({
    ...(select && { select }),
    rows: rows.map(([date, second, third]) => {
      const [amount = '', words = null] = isGeneric ? [signed(second, third)] : [second ?? '', third ?? null]
      return { date: date ?? '', amount, words }
    }),
  }))
  const { answers, opts } = file
  return {
    name,
    bytes: readBytes(`cases/${file.file}`),
    isGeneric,
    told: opts.params ?? {},
    answers,
    accounts,
  }
}

const signed = (type: string | null | undefined, amount: string | null | undefined) =>
  type === 'income' ? (amount ?? '') : `-${amount}`

type OlderRow = { date: string; amount: number; type?: string }
type OlderFile = { options?: FileOptions; accounts?: { entries: OlderRow[] }[]; rows?: OlderRow[] }

function olderCase(name: string): Case {
  const { options = {}, accounts = [], rows } = readJson<OlderFile>(name)
  const tables = rows ? [rows] : accounts.map(({ entries }) => entries)
  const expected = tables.map((entries) => ({
    rows: entries.map(({ date, amount, type = 'income' }) => ({
      date,
      amount: String((type === 'income' ? amount : -amount) / 100),
      words: null,
    })),
  }))
  const path = globSync(name.replace('.expected.json', '.!(expected.json)'), { cwd: corpus })
  const [file = ''] = path.filter((one) => !one.endsWith('.json'))
  // Of several accounts, the first is compared: how the others are named is up to the reader.
  return {
    name,
    bytes: readBytes(file),
    isGeneric: rows !== undefined,
    told: {},
    answers: options,
    accounts: expected.slice(0, 1),
  }
}

function readJson<T>(name: string): T {
  return JSON.parse(readFileSync(path.join(corpus, name), 'utf8'))
}

function readBytes(name: string): Uint8Array {
  return new Uint8Array(readFileSync(path.join(corpus, name)))
}
