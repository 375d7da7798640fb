import { and, between, eq, isNull, ne } from 'drizzle-orm'
import {
  allRows,
  type Known,
  type Reading,
  type Remembered,
  readStatement,
  recognise,
} from '../../statements/index.ts'
import type { Owner } from '../database/owner.ts'
import { accounts, type KeptLayout, transactions } from '../database/schema.ts'
import { dateIn, fallbackTimezone, type Span } from '../shared/dates.ts'
import { Invalid, Questions } from '../shared/failures.ts'
import { negated } from '../shared/money.ts'
import { answersOf } from './answers.ts'
import type { ImportOptions } from './contract.ts'
import { fileErrors } from './errors.ts'
import type { ImportFile } from './import-file.ts'
import { missingAccount, toImportFile } from './read-file.ts'
import { keptOf, type LayoutOfFile } from './remembered-layouts.ts'

const maxCompared = 2_000

type FileInput = { kind: ImportFile['kind']; bytes: Uint8Array; options: ImportOptions }

/**
 * Reads a file. Rows that the user has typed into the account may settle a question, which takes a round trip. Throws
 * Invalid, or Questions.
 */
export async function readImportFile(
  owner: Owner,
  input: FileInput,
  layouts: KeptLayout[],
): Promise<ImportFile> {
  const { kind, bytes, options } = input
  const existing = options.create_accounts ? await accountNames(owner) : null
  const remembered = rememberedFor(input, layouts)
  const read = (known?: Known) =>
    readStatement(bytes, {
      kind: kind === 'bank' ? 'bank' : 'own',
      today: dateIn(fallbackTimezone, owner.now),
      answers: answersOf(options),
      remembered,
      known,
    })
  const first = read()
  const accountId = options.account_id
  const reading =
    first.needs && accountId !== undefined
      ? read({ rows: await typedRows(owner, accountId, first.needs) })
      : first
  requireReadable(reading, input)
  return toImportFile(kind, reading, options, { remembered, accounts: existing })
}

function requireReadable({ problems, questions }: Reading, { kind, options }: FileInput): void {
  if (problems.length === 0 && questions.length === 0) return
  // Which account of the file is meant matters once it is known for which account.
  const isChoice =
    problems.every(({ field }) => field === 'statement_account') &&
    questions.every(({ field, options }) => field === 'statement_account' && options[0]?.value !== allRows)
  if (kind === 'bank' && options.account_id === undefined && isChoice)
    throw new Invalid({ account_id: [missingAccount.bank] })
  const errors = fileErrors({ problems, questions })
  throw questions.length > 0 ? new Questions(errors, questions) : new Invalid(errors)
}

/** The stored values of the file's layout, for its account or, if the file names its accounts, for all of them. */
function rememberedFor({ kind, bytes, options }: FileInput, layouts: KeptLayout[]): Remembered | null {
  if (layouts.length === 0) return null
  const isOwn = kind === 'generic'
  const { format, headers } = recognise(bytes, { kind: isOwn ? 'own' : 'bank', answers: answersOf(options) })
  if (!format) return null
  const of = (accountId: LayoutOfFile['accountId']) => keptOf(layouts, { format, headers, accountId })
  return of(options.account_id ?? null) ?? (isOwn ? of(null) : null)
}

async function accountNames(owner: Owner): Promise<string[]> {
  const own = eq(accounts.userId, owner.id)
  const found = await owner.runOne(owner.db.select({ name: accounts.name }).from(accounts).where(own))
  return found.map(({ name }) => name)
}

/** The rows of some days that the user has typed into an account, but for transfers. */
async function typedRows(owner: Owner, accountId: number, { from, to }: Span): Promise<Known['rows']> {
  const { type, amount, transactionDate } = transactions
  const typed = await owner.runOne(
    owner.db
      .select({ type, amount, date: transactionDate })
      .from(transactions)
      .where(
        and(
          eq(transactions.userId, owner.id),
          eq(transactions.accountId, accountId),
          isNull(transactions.importId),
          ne(type, 'transfer'),
          between(transactionDate, from, to),
        ),
      )
      .limit(maxCompared),
  )
  return typed.map(({ type, amount, date }) => ({
    date,
    amount: type === 'income' ? amount : negated(amount),
  }))
}
