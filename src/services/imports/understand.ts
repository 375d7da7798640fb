import type { ImportOptions } from '../../contract/imports.ts'
import { Invalid } from '../../domain/failures.ts'
import type { Minor } from '../../domain/money.ts'
import { readGenericCsv } from '../../statements/csv/generic.ts'
import { readStatement } from '../../statements/read.ts'
import type { StatementAccount } from '../../statements/statement.ts'
import type { ImportFile, ImportRow } from './import-file.ts'

/** Reads a generic CSV file. Rows without an account of their own go to `account_id`. Throws Invalid. */
export function understandCsv(bytes: Uint8Array, fields: ImportOptions): ImportFile {
  const rows = readGenericCsv(bytes, fields).map((row): ImportRow => {
    const { date, ...rest } = row
    return { ...rest, account: row.account ?? fields.account_id ?? null, transaction_date: date, ...unmarked }
  })
  if (rows.some((row) => row.account === null)) {
    throw new Invalid({
      account_id: ['The account id field is required when the file has no account column.'],
    })
  }
  const accountId = fields.account_id ?? null
  return {
    kind: 'generic',
    format: 'csv',
    rows,
    accountId,
    skipped: 0,
    closing: null,
    isDryRun: fields.dry_run ?? false,
  }
}

/** Reads a bank statement, whose entries go to `account_id`. Throws Invalid. */
export function understandStatement(bytes: Uint8Array, fields: ImportOptions): ImportFile {
  const statement = readStatement(bytes, fields)
  const accountId = fields.account_id
  if (accountId === undefined) throw new Invalid({ account_id: ['The account id field is required.'] })
  const { entries, closingBalance, skipped } = chosenAccount(statement.accounts, fields.statement_account)
  return {
    kind: 'bank',
    format: statement.format,
    rows: entries.map(({ line, date, amount, description, reference }) => ({
      line,
      account: accountId,
      to_account: null,
      category: null,
      type: amount > 0 ? 'income' : 'expense',
      amount: Math.abs(amount) as Minor,
      description,
      reference,
      transaction_date: date,
      ...unmarked,
    })),
    accountId,
    skipped,
    closing: closingBalance && { accountId, date: closingBalance.date, balance: closingBalance.amount },
    isDryRun: fields.dry_run ?? false,
  }
}

/** What only items of a phone's queue have. */
const unmarked = { client_id: null, force: false }

/** How many accounts an error lists. */
const accountsListed = 50

/** The account that goes into `account_id`; if a file holds several, the user has to choose. */
function chosenAccount(accounts: StatementAccount[], identifier: string | undefined): StatementAccount {
  const chosen =
    identifier === undefined ? accounts : accounts.filter((account) => account.identifier === identifier)
  const [only] = chosen
  if (only && chosen.length === 1) return only
  const names = accounts.slice(0, accountsListed).map((account) => account.identifier ?? 'unnamed')
  const candidates = `${names.join(', ')}${accounts.length > accountsListed ? ' …' : ''}`
  throw new Invalid({ statement_account: [`The file holds several accounts; choose one of: ${candidates}.`] })
}
