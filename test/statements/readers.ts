import { type AnsweringOptions, answersOf } from '../../src/imports/answers.ts'
import { fileErrors } from '../../src/imports/errors.ts'
import { movedNothing } from '../../src/imports/read-file.ts'
import { readBankFile, readOwnFile } from '../../statements/formats.ts'
import type { Remembered } from '../../statements/index.ts'
import { chooseAccount } from '../../statements/shared/accounts.ts'
import type { Settled } from '../../statements/shared/aspect.ts'
import type { OwnRow, StatementAccount, StatementEntry } from '../../statements/shared/statement.ts'
import { Unreadable } from '../../statements/shared/unreadable.ts'

export type FileOptions = AnsweringOptions & { kept?: Remembered | null; today?: string }

type Numbered<Row extends { lines: number[] }> = Omit<Row, 'lines' | 'currency'> & { line: number }
export type GenericRow = Numbered<OwnRow>
export type ReadAccount = Omit<StatementAccount, 'entries' | 'leftOut'> & {
  entries: Numbered<StatementEntry>[]
  skipped: number
}

const readOptions = ({ kept, today, ...options }: FileOptions) => ({
  ...(today && { today }),
  answers: answersOf(options),
  remembered: kept ?? null,
})

/** Reads a bank statement; rows have the first of their lines, and accounts the number of records left out. */
export function readStatement(bytes: Uint8Array, options: FileOptions) {
  const { accounts, ...statement } = readBankFile(bytes, readOptions(options))
  const numbered = accounts.map(({ entries, leftOut, ...account }) => ({
    ...account,
    entries: entries.map(({ lines, ...entry }) => ({ line: lines[0] ?? 0, ...entry })),
    skipped: leftOut.filter(movedNothing).length,
  }))
  return { ...statement, accounts: numbered as ReadAccount[] }
}

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

/** The errors of a file that cannot be read, as a response has them; null if it can be read. */
export function errorsOf(run: () => unknown): Record<string, string[]> | null {
  const error = unreadableOf(run)
  return error && fileErrors(error)
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
