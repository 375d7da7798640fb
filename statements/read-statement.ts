import type { CalendarDate, Span } from '../src/domain/dates.ts'
import type { FileQuestion } from '../src/domain/file-questions.ts'
import { type Minor, negated } from '../src/domain/money.ts'
import type { TransactionText } from '../src/domain/transaction-fields.ts'
import { decimalSeparators, feeConventions, signAnswers } from '../src/domain/types.ts'
import { readBankFile, readOwnFile } from './formats.ts'
import type { Kind } from './recognise.ts'
import { chooseAccount, leftOut } from './shared/accounts.ts'
import { asTold, type Settled } from './shared/aspect.ts'
import type { Answers, Known, ReadOptions, Remembered } from './shared/options.ts'
import { firstAnswers } from './shared/questions.ts'
import type { Balance, BankStatement, LeftOut, OwnRow } from './shared/statement.ts'
import { type Problem, refuseFile, Unreadable } from './shared/unreadable.ts'
import type { OwnFile } from './tables/reading/own.ts'

export type StatementOptions = {
  kind: Kind
  /** The day on which the file is read. */
  today: CalendarDate
  answers?: Answers
  remembered?: Remembered | null
  /** What the caller has found for the `needs` of an earlier reading. */
  known?: Known | null
}

/** A movement of money. In a statement of a bank, names of accounts and categories are null. */
export type Row = {
  /** The records of the file of which the row was made: lines, rows of a sheet, or numbers of entries. */
  lines: number[]
  date: CalendarDate
  /** Negative for what was spent, and for transfers, which leave `account`. */
  amount: Minor
  type: 'income' | 'expense' | 'transfer'
  description: string | null
  reference: string | null
  currency: string | null
  account: string | null
  toAccount: string | null
  /** The day of a transfer's inflow, if it is another than that of its outflow. */
  toDate?: CalendarDate
  category: string | null
} & { [text in TransactionText]?: string | null }

/** What identifies files of the same layout, and the values to remember for the next of them. */
export type Layout = { format: BankStatement['format']; headers: string[]; values: Answers }

/** What a file contains. There are no rows while there are problems or questions. */
export type Reading = {
  rows: Row[]
  leftOut: LeftOut[]
  problems: Problem[]
  /** What the account held before the first row and after the last, according to the file; null where it does not say. */
  balances: { opening: Balance | null; closing: Balance | null }
  /** The day on which the file was made, if it says so: on that day, more may have been booked later. */
  createdOn: CalendarDate | null
  /** Starting balances of accounts, which are left out of the rows. */
  startingBalances: Row[]
  /** The app that has written a table of rows with accounts, such as `YNAB`; null if it is unknown. */
  product: string | null
  /** How many rows are halves of transfers whose other half the file does not have. */
  halves: number
  /** How each aspect of the file was settled, by the field of its question. */
  settled: Settled
  questions: FileQuestion[]
  /** The days whose rows, passed as `known`, might settle a question, or contradict the kind of the account. */
  needs: Span | null
  /** The fields of answers for which the file has no use. */
  unused: string[]
  layout: Layout | null
}

const nothing: Reading = {
  rows: [],
  leftOut: [],
  problems: [],
  balances: { opening: null, closing: null },
  createdOn: null,
  startingBalances: [],
  product: null,
  halves: 0,
  settled: {},
  questions: [],
  needs: null,
  unused: [],
  layout: null,
}

/** Reads a statement of a bank, or a table of one's own. Nothing is to be stored while there are problems or questions. */
export function readStatement(bytes: Uint8Array, given: StatementOptions): Reading {
  const { kind, ...options } = given
  try {
    refuseOtherAnswers(options.answers ?? {})
    const reading = kind === 'bank' ? readBank(bytes, options) : readOwn(bytes, options)
    return {
      ...nothing,
      ...reading,
      settled: withoutMarkers(reading.settled),
      unused: unusedAnswers(options.answers ?? {}, reading.settled),
    }
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    const { problems, questions, needs } = error
    const isOnlySigns = problems.length === 0 && questions.every(({ field }) => field === 'signs')
    const unused = unusedBeside(questions, bytes, given)
    return { ...nothing, problems, questions, needs: isOnlySigns ? needs : null, unused }
  }
}

/** The answers that are one of a few words. */
const words = { signs: signAnswers, decimal_separator: decimalSeparators, fees: feeConventions }

function refuseOtherAnswers(answers: Answers): void {
  for (const [field, allowed] of Object.entries(words)) {
    const told = answers[field]
    if (told !== undefined && !allowed.some((one) => one === told))
      refuseFile(`The answer to ${field} must be one of ${allowed.join(' ')}.`, field)
  }
}

const withoutMarkers = (settled: Settled): Settled =>
  Object.fromEntries(Object.entries(settled).map(([field, { value, proof }]) => [field, { value, proof }]))

type Found = Pick<Reading, 'rows' | 'leftOut' | 'settled' | 'layout'> & Partial<Reading>

function readBank(bytes: Uint8Array, options: ReadOptions): Found {
  const { format, accounts, settled: aspects, headers, needs = null } = readBankFile(bytes, options)
  const { account, settled: choice } = chooseAccount(accounts, options)
  const settled = { ...choice, ...aspects }
  const others = accounts.filter((one) => one !== account)
  return {
    rows: account.entries.map((entry) => ({
      ...entry,
      type: entry.amount > 0 ? 'income' : 'expense',
      currency: account.currency,
      account: null,
      toAccount: null,
      category: null,
    })),
    leftOut: [...account.leftOut, ...others.flatMap(ofOtherAccount)],
    balances: { opening: account.openingBalance, closing: account.closingBalance },
    createdOn: account.createdOn,
    needs,
    settled,
    layout: {
      format,
      headers,
      values: { ...toRemember(settled), ...(account.currency && { currency: account.currency }) },
    },
  }
}

/** Records that are rows of no account keep their reason. */
function ofOtherAccount({ entries, leftOut: others }: BankStatement['accounts'][number]): LeftOut[] {
  const rows = entries.map(({ lines, description }) => leftOut(lines[0] ?? 0, description, 'other_account'))
  return [...rows, ...others]
}

/** Remembered signs are used only if earlier files proved or told them for all accounts of the file. */
function readOwn(bytes: Uint8Array, options: ReadOptions): Found {
  const { remembered } = options
  const file = readOwnFile(bytes, options)
  const isFromBefore = remembered && file.settled.signs?.proof === remembered.source
  const earlier = remembered?.values.accounts?.split('\n')
  if (!isFromBefore || file.rows.every(({ account }) => account === null || earlier?.includes(account)))
    return foundIn(file, remembered)
  const { signs: _, ...values } = remembered.values
  return foundIn(readOwnFile(bytes, { ...options, remembered: { ...remembered, values } }), remembered)
}

function foundIn(
  { rows, startingBalances, product, halves, leftOut, settled, headers }: OwnFile,
  remembered: Remembered | null | undefined,
): Found {
  const accounts = accountsOf(rows, settled, remembered?.values ?? {})
  const values = { ...toRemember(settled), ...(accounts && { accounts }) }
  return {
    rows: rows.map(signed),
    startingBalances: startingBalances.map(signed),
    product,
    halves,
    leftOut,
    settled,
    layout: { format: 'csv', headers, values },
  }
}

function signed({ to_account, to_date, ...row }: OwnRow): Row {
  return {
    ...row,
    toAccount: to_account,
    ...(to_date && { toDate: to_date }),
    amount: row.type === 'income' ? row.amount : negated(row.amount),
  }
}

/** The accounts whose signs are remembered, one per line: those of the file and those of earlier ones. */
function accountsOf(rows: OwnRow[], { signs }: Settled, earlier: Answers): string {
  const before = earlier.signs === signs?.value ? (earlier.accounts?.split('\n') ?? []) : []
  return [...new Set([...before, ...rows.flatMap(({ account }) => account ?? [])])].sort().join('\n')
}

/** What the next file may need; the delimiter, and signs that no convention gives, show in each file anew. */
function toRemember(settled: Settled): Answers {
  const isRemembered = (field: string, { value, once }: Settled[string]) =>
    field === 'signs'
      ? !once && signAnswers.some((one) => one === value)
      : /^(?:date_format|decimal_separator|fees|balance|encoding|statement_account|(?:mapping|states|marks)\..*)$/.test(
          field,
        )
  return Object.fromEntries(
    Object.entries(settled).flatMap(([field, one]) => [
      ...(isRemembered(field, one) ? [[field, one.value]] : []),
      ...(one.seen ? [[`${field}s`, one.seen.join('\n')]] : []),
    ]),
  )
}

/** The answers without a use, as far as that shows if the open questions are answered with their first options. */
function unusedBeside(questions: FileQuestion[], bytes: Uint8Array, given: StatementOptions): string[] {
  const { answers = {} } = given
  const isNew = questions.some(({ field }) => !(field in answers))
  if (Object.keys(answers).length === 0 || !isNew) return []
  const { unused } = readStatement(bytes, {
    ...given,
    answers: { ...firstAnswers({ questions }), ...answers },
  })
  return unused.filter((field) => field in answers)
}

/** The answers about what the file does not have. */
function unusedAnswers(answers: Answers, settled: Settled): string[] {
  return Object.keys(answers).filter((field) => settled[field]?.proof !== asTold)
}
