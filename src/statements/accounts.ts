import { refuseFile, tooManyRows } from './problems.ts'
import { type ClosingBalance, maxRows, type StatementAccount } from './statement.ts'

/** An account to fill. */
export function emptyAccount(identifier: string | null, currency: string | null): StatementAccount {
  return { identifier, currency, rows: [], closingBalance: null, skipped: 0 }
}

/**
 * One account for all statements of it: files hold one per day or per page. The closing balance is the latest one;
 * of two on a day it is that which comes later in the file.
 */
export function mergeAccounts(parts: StatementAccount[]): StatementAccount[] {
  const merged = new Map<string, StatementAccount>()
  for (const part of parts) {
    const key = JSON.stringify([part.identifier, part.currency])
    const account = merged.get(key)
    if (account) {
      for (const row of part.rows) account.rows.push(row)
      account.closingBalance = later(account.closingBalance, part.closingBalance)
      account.skipped += part.skipped
    } else merged.set(key, part)
  }
  return [...merged.values()]
}

/** More statements than this, of one account or of many, no file has. */
const maxAccounts = 20_000

/** Counts entries and statements while a file is read, and refuses it at the first one too many. */
export class RowLimit {
  private rows = 0
  private accounts = 0
  count(): void {
    this.rows += 1
    if (this.rows > maxRows) refuseFile(tooManyRows)
  }
  countAccount(): void {
    this.accounts += 1
    if (this.accounts > maxAccounts) refuseFile(`The file must not have more than ${maxAccounts} statements.`)
  }
}

function later(a: ClosingBalance | null, b: ClosingBalance | null): ClosingBalance | null {
  if (!a || !b) return a ?? b
  return b.date >= a.date ? b : a
}
