import { and, between, eq, isNull, ne } from 'drizzle-orm'
import type { FileOptions } from '../../statements/index.ts'
import type { Owner } from '../database/owner.ts'
import { accounts, type KeptLayout, transactions } from '../database/schema.ts'
import { dateIn, fallbackTimezone } from '../shared/dates.ts'
import { Questions } from '../shared/failures.ts'
import { pluralize } from '../shared/pluralize.ts'
import type { ImportOptions } from './contract.ts'
import type { ImportFile } from './import-file.ts'
import { daysOf } from './possible-matches.ts'
import { readGenericFile, readStatementFile } from './read-file.ts'

/** So many typed rows must be in the file, and agree, to show which way its amounts go. */
const minTyped = 3
const maxCompared = 2_000

/**
 * Reads a file. If only the signs of its amounts are open, the rows that the user has typed into the account may show
 * them, which takes a round trip. Throws Invalid, or Questions.
 */
export async function readImportFile(
  owner: Owner,
  { kind, bytes, options }: { kind: ImportFile['kind']; bytes: Uint8Array; options: ImportOptions },
  layouts: KeptLayout[],
): Promise<ImportFile> {
  const readAs = kind === 'bank' ? readStatementFile : readGenericFile
  const accounts = options.create_accounts ? await accountNames(owner) : undefined
  const context = { layouts, accounts, today: dateIn(fallbackTimezone, owner.now) }
  try {
    return readAs(bytes, options, context)
  } catch (error) {
    const isAboutSigns = error instanceof Questions && Object.keys(error.errors).join() === 'signs'
    if (!isAboutSigns || options.account_id === undefined) throw error
    const file = readAs(bytes, { ...options, signs: 'as_written' }, context)
    const typed = await signsOfTyped(owner, options.account_id, file)
    if (!typed) throw error
    return readAs(bytes, options, { ...context, typed })
  }
}

async function accountNames(owner: Owner): Promise<string[]> {
  const own = eq(accounts.userId, owner.id)
  const found = await owner.runOne(owner.db.select({ name: accounts.name }).from(accounts).where(own))
  return found.map(({ name }) => name)
}

/** Which way the amounts of a file go according to typed rows of the same day and amount; null unless all agree. */
async function signsOfTyped(
  owner: Owner,
  accountId: number,
  file: ImportFile,
): Promise<FileOptions['typed']> {
  const { from, to } = daysOf(file)
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
  const types = Map.groupBy(typed, (row) => `${row.date} ${row.amount}`)
  const agrees = file.rows.flatMap((row) => {
    const found = types.get(`${row.transaction_date} ${row.amount}`) ?? []
    return found.map((one) => one.type === row.type)
  })
  if (agrees.length < minTyped || new Set(agrees).size > 1) return null
  const proof = `${pluralize(agrees.length, 'row')} that you have typed, of the same day and amount`
  return { value: agrees[0] ? 'as_written' : 'inverted', proof }
}
