import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Known } from '../../../statements/index.ts'
import { type Answers, flat, type GroupedAnswers } from './reader.ts'

/** A row that a file should come to. What is undefined is not compared; `words` are part of the description. */
export type ExpectedRow = {
  date: string
  /** Minor units, negative for what was spent. */
  amount: number
  words?: string | null
  account?: string | null
  toAccount?: string | null
  category?: string
}

/** The rows of a file or, with `select`, those of one of its accounts. */
export type ExpectedAccount = { select?: string; rows: ExpectedRow[] }

/** A file with what is right beside it. `told` is sent from the beginning, `answers` are those of a person. */
export type Case = {
  name: string
  bytes: Uint8Array
  kind: 'bank' | 'own'
  told: Answers
  answers: Answers
  /** What an earlier import of the same layout settled. */
  remembered?: Answers
  /** What is known of the account. */
  known?: Known
  /** The file of the same layout that was imported before. */
  after?: Case
  accounts: ExpectedAccount[]
  /** Whether the file should be refused. */
  isRefused: boolean
  /** The fields that a person has to be asked about, several for one doubt with a | between them; null if any may be. */
  asks: string[] | null
  /** The fields that may be asked about besides; `states.*` stands for all that begin so. */
  mayAsk: string[]
  /** The lines that are not rows, each with the reason; null if the case does not say. */
  leftOut: [line: number, reason: string][] | null
  /** Texts of questions, by their fields, and of problems, those of rows under `rows.3.date`. */
  says: Record<string, string>
}

const corpus = path.join(import.meta.dirname, '../../corpus')

/** The files of other apps and banks, those that show one oddity each, and those of the formats. */
export function allCases(): { cases: Case[]; oddities: Case[]; older: Case[] } {
  const older = globSync('*/*.expected.json', { cwd: corpus }).sort().map(olderCase)
  const [cases = [], oddities = []] = ['cases', 'oddities'].map((folder) =>
    casesIn(path.join(corpus, folder)),
  )
  return { cases, oddities, older }
}

/** The cases of a folder: each a `.json` that says what is right of the file that it names. */
export function casesIn(folder: string): Case[] {
  const files = globSync('*.json', { cwd: folder }).sort()
  return files.map((file) => caseOf(folder, file))
}

type CaseFile = {
  file: string
  kind: 'bank' | 'generic'
  accounts: { select?: string; rows: (string | null)[][] }[]
  expect?: 'exact' | 'ask' | 'refuse'
  answers?: GroupedAnswers
  told?: GroupedAnswers
  /** The earlier form of `told`. */
  opts?: { params?: GroupedAnswers }
  asks?: string[]
  mayAsk?: string[]
  leftOut?: [number, string][]
  says?: Record<string, string>
  /** The name of the case that was imported before. */
  after?: string
}

function caseOf(folder: string, name: string): Case {
  const one = readJson<CaseFile>(path.join(folder, name))
  const kind = one.kind === 'bank' ? 'bank' : 'own'
  const bankRow = ([date, amount, words]: (string | null)[]): ExpectedRow => ({
    date: date ?? '',
    amount: cents(amount),
    words: words ?? null,
  })
  const ownRow = ([date, type, amount, account, toAccount, category]: (string | null)[]): ExpectedRow => ({
    date: date ?? '',
    amount: type === 'income' ? cents(amount) : -cents(amount),
    ...(account !== undefined && { account }),
    ...(toAccount !== undefined && { toAccount }),
    ...(category && { category }),
  })
  return {
    name: `${path.basename(folder)}/${name}`,
    bytes: new Uint8Array(readFileSync(path.join(folder, one.file))),
    kind,
    told: flat(one.told ?? one.opts?.params ?? {}),
    answers: flat(one.answers ?? {}),
    accounts: one.accounts.map(({ select, rows }) => ({
      ...(select && { select }),
      rows: rows.map(kind === 'bank' ? bankRow : ownRow),
    })),
    isRefused: one.expect === 'refuse',
    asks: one.asks ?? null,
    mayAsk: one.mayAsk ?? [],
    leftOut: one.leftOut ?? null,
    says: one.says ?? {},
    ...(one.after && { after: caseOf(folder, one.after) }),
  }
}

/** A case as the file beside its own, for what was made at random. */
export function toCaseFile(file: string, { accounts, asks, mayAsk, leftOut }: Case): object {
  const amount = (minor: number) => (minor / 100).toFixed(2)
  const rows = accounts.map(({ rows }) => ({
    rows: rows.map((row) => [row.date, amount(row.amount), row.words]),
  }))
  const open = { ...(asks && { asks }), mayAsk, leftOut }
  return { file, kind: 'bank', accounts: rows, answers: {}, ...open, opts: {} }
}

type OlderRow = { date: string; amount: number; type?: string; account?: string; to_account?: string }
type OlderFile = {
  options?: GroupedAnswers
  accounts?: { entries: OlderRow[] }[]
  rows?: OlderRow[]
}

function olderCase(name: string): Case {
  const { options = {}, accounts = [], rows } = readJson<OlderFile>(path.join(corpus, name))
  const tables = rows ? [rows] : accounts.map(({ entries }) => entries)
  const expected = tables.map((entries) => ({
    rows: entries.map(({ date, amount, type = 'income', account, to_account: toAccount }) => ({
      date,
      amount: type === 'income' ? amount : -amount,
      ...(rows && { account, toAccount }),
    })),
  }))
  const files = globSync(name.replace('.expected.json', '.!(expected.json)'), { cwd: corpus })
  const [file = ''] = files.filter((one) => !one.endsWith('.json'))
  return {
    name,
    bytes: new Uint8Array(readFileSync(path.join(corpus, file))),
    kind: rows ? 'own' : 'bank',
    told: {},
    answers: flat(options),
    // Of several accounts, the first is compared: how the others are named is up to the reader.
    accounts: expected.slice(0, 1),
    ...{ isRefused: false, asks: null, mayAsk: [], leftOut: null, says: {} },
  }
}

function readJson<T>(name: string): T {
  return JSON.parse(readFileSync(name, 'utf8'))
}

const cents = (amount: string | null | undefined) => Math.round(Number(amount ?? '') * 100)
