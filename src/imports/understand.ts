import { Invalid } from '../shared/failures.ts'
import type { Minor } from '../shared/money.ts'
import type { ImportOptions } from './contract.ts'
import { chooseAccount } from './formats/accounts.ts'
import { readGeneric, readStatement } from './formats/read.ts'
import type { ImportFile, ImportRow } from './import-file.ts'

/** Reads a generic CSV file, or a workbook with one table. Rows that name no account get `account_id`. Throws Invalid. */
export function understandCsv(bytes: Uint8Array, fields: ImportOptions): ImportFile {
  const accountId = fields.account_id ?? null
  const { skipped, ...read } = readGeneric(bytes, fields)
  const rows = read.rows.map(({ date, ...row }) => ({
    ...row,
    account: row.account ?? accountId,
    transaction_date: date,
    ...notSentByPhone,
  }))
  if (rows.some(({ account }) => account === null))
    throw new Invalid({
      account_id: ['The account id field is required when the file has no account column.'],
    })
  return { kind: 'generic', format: 'csv', rows, accountId, skipped, closing: null, ...askedOf(fields) }
}

/** Reads a bank statement, whose entries all get `account_id`. Throws Invalid. */
export function understandStatement(bytes: Uint8Array, fields: ImportOptions): ImportFile {
  const { format, accounts } = readStatement(bytes, fields)
  const accountId = fields.account_id
  if (accountId === undefined) throw new Invalid({ account_id: ['The account id field is required.'] })
  const { account } = chooseAccount(accounts, fields)
  const { entries, closingBalance, skipped } = account
  const rows = entries.map(
    ({ line, date, amount, description, reference }): ImportRow => ({
      line,
      account: accountId,
      to_account: null,
      category: null,
      type: amount > 0 ? 'income' : 'expense',
      amount: Math.abs(amount) as Minor,
      description,
      reference,
      transaction_date: date,
      ...notSentByPhone,
    }),
  )
  const closing = closingBalance && { accountId, date: closingBalance.date, balance: closingBalance.amount }
  return { kind: 'bank', format, rows, accountId, skipped, closing, ...askedOf(fields) }
}

/** How the caller wants the file to be imported. */
export function askedOf({ dry_run, reimport_deleted, match = 'suggest' }: ImportOptions) {
  return { isDryRun: dry_run ?? false, takesDeleted: reimport_deleted ?? false, match }
}

const notSentByPhone = { client_id: null, force: false }
