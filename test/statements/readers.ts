import type { CalendarDate } from '../../src/domain/dates.ts'
import { readBankFile, readOwnFile } from '../../statements/formats.ts'
import type { LeftOut, Remembered } from '../../statements/index.ts'
import { chooseAccount } from '../../statements/shared/accounts.ts'
import type { Settled } from '../../statements/shared/aspect.ts'
import type { Balance, OwnRow, StatementAccount, StatementEntry } from '../../statements/shared/statement.ts'
import { Unreadable } from '../../statements/shared/unreadable.ts'
import { flat } from './judge/reader.ts'

/** Answers as a request sends them, and what else a file is read with. */
export type FileOptions = {
  [answer in 'delimiter' | 'encoding' | 'date_format' | 'decimal_separator' | 'signs']?: string
} & { [answer in 'statement_account' | 'fees']?: string } & {
  [answers in 'mapping' | 'states' | 'marks']?: Record<string, string>
} & { kept?: Remembered | null; today?: CalendarDate }

type Numbered<Row extends { lines: number[] }> = Omit<Row, 'lines' | 'currency'> & { line: number }
export type GenericRow = Numbered<OwnRow>
type ReadBalance = Omit<Balance, 'isProved'> & { isProved?: false }
/** An account without the balances, and the day of its making, that the file does not give. */
export type ReadAccount = Pick<StatementAccount, 'identifier' | 'currency'> & {
  entries: Numbered<StatementEntry>[]
  openingBalance?: ReadBalance
  closingBalance: ReadBalance | null
  createdOn?: CalendarDate
  skipped: number
}

const readOptions = ({ kept = null, today, ...answers }: FileOptions) => ({
  ...(today && { today }),
  answers: flat(answers),
  remembered: kept,
})

/** Reads a bank statement; rows have the first of their lines, and accounts the number of records left out. */
export function readStatement(bytes: Uint8Array, options: FileOptions) {
  const { accounts, ...statement } = readBankFile(bytes, readOptions(options))
  return { ...statement, accounts: accounts.map(shownAccount) }
}

function shownAccount({ identifier, currency, entries, leftOut, ...account }: StatementAccount): ReadAccount {
  const { openingBalance, closingBalance, createdOn } = account
  return {
    identifier,
    currency,
    entries: entries.map(({ lines, ...entry }) => ({ line: lines[0] ?? 0, ...entry })),
    ...(openingBalance && { openingBalance: shownBalance(openingBalance) }),
    closingBalance: closingBalance && shownBalance(closingBalance),
    ...(createdOn && { createdOn }),
    skipped: leftOut.filter(movedNothing).length,
  }
}

const shownBalance = ({ date, amount, isProved }: Balance): ReadBalance => ({
  ...{ date, amount },
  ...(!isProved && { isProved }),
})

const movedNothing = ({ reason }: LeftOut) =>
  /^(?:told|pending|not_booked|declined|zero|no_movement|split_parent|starting_balance)$/.test(reason)

/** How the choice of one of several accounts is settled. */
export function choiceOf(bytes: Uint8Array, options: FileOptions): Settled {
  const { accounts } = readBankFile(bytes, readOptions(options))
  return chooseAccount(accounts, readOptions(options)).settled
}

/** Reads a table of one's own. */
export function readGeneric(bytes: Uint8Array, options: FileOptions) {
  const file = readOwnFile(bytes, readOptions(options))
  const numbered = ({ lines, currency: _, ...row }: OwnRow): GenericRow => ({ line: lines[0] ?? 0, ...row })
  return { ...file, rows: file.rows.map(numbered), startingBalances: file.startingBalances.map(numbered) }
}

/** The errors of a file that cannot be read: those of rows under `rows.3.date`, and questions; null if it can be read. */
export function errorsOf(run: () => unknown): Record<string, string[]> | null {
  const error = unreadableOf(run)
  if (!error) return null
  const errors = [
    ...error.problems.map(({ line, field, text }) => ({
      key: line === null ? field : ['rows', line, field].filter((part) => part !== '').join('.'),
      text,
    })),
    ...error.questions.map(({ field, text }) => ({ key: field.split('.')[0] ?? field, text })),
  ]
  const grouped = Object.entries(Object.groupBy(errors, ({ key }) => key))
  return Object.fromEntries(grouped.map(([key, some = []]) => [key, some.map(({ text }) => text)]))
}

/** What reading a file throws; null if it throws nothing. */
export function unreadableOf(run: () => unknown): Unreadable | null {
  try {
    run()
    return null
  } catch (error) {
    if (error instanceof Unreadable) return error
    throw error
  }
}
