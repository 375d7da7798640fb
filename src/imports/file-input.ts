import { and, between, eq } from 'drizzle-orm'
import {
  allRows,
  type Known,
  type Reading,
  type Remembered,
  readStatement,
  recognise,
} from '../../statements/index.ts'
import { checksOf, selectChecks } from '../balance-checks/read.ts'
import type { Owner } from '../database/owner.ts'
import { accounts, type KeptLayout, transactions } from '../database/schema.ts'
import { type CalendarDate, dateIn, fallbackTimezone, type Span } from '../domain/dates.ts'
import { type Minor, negated } from '../domain/money.ts'
import type { AccountKind } from '../domain/types.ts'
import { Invalid, Questions } from '../failures/failures.ts'
import { answersOf } from './answers.ts'
import { selectBalanceOn } from './closing-balance.ts'
import type { ImportOptions } from './contract.ts'
import { fileErrors } from './errors.ts'
import type { ImportFile } from './import-file.ts'
import { missingAccount, toImportFile } from './read-file.ts'
import { importedElsewhere, keptOf, type LayoutOfFile } from './remembered-layouts.ts'

const maxCompared = 2_000

/** `today` is that of the user's time zone. */
type FileInput = Pick<ImportFile, 'kind' | 'fileName'> & {
  bytes: Uint8Array
  options: ImportOptions
  today: CalendarDate
}

/**
 * Reads a file. The account's rows and balances on its days may settle a question, which takes a round trip. Throws Invalid,
 * or Questions.
 */
export async function readImportFile(
  owner: Owner,
  input: FileInput,
  { layouts, accountKinds }: { layouts: KeptLayout[]; accountKinds: Map<number, AccountKind> },
): Promise<ImportFile> {
  const { kind, bytes, options } = input
  const existing = options.create_accounts ? await accountNames(owner) : null
  const remembered = rememberedFor(input, layouts)
  const accountId = options.account_id
  // Rows of a table of one's own may be of several accounts.
  const ofAccount = kind === 'bank' ? accountKinds.get(accountId ?? 0) : undefined
  const read = (known?: Known) =>
    readStatement(bytes, {
      kind: kind === 'bank' ? 'bank' : 'own',
      today: dateIn(fallbackTimezone, owner.now),
      answers: answersOf(options),
      remembered,
      known: { kind: ofAccount, ...known },
      ...(accountId !== undefined && { elsewhere: importedElsewhere(layouts, accountId) }),
    })
  const first = read()
  const reading =
    first.needs && accountId !== undefined ? read(await knownOf(owner, accountId, first.needs)) : first
  requireReadable(reading, input)
  return toImportFile(kind, reading, options, {
    ...{ remembered, accounts: existing, fileName: input.fileName, today: input.today },
  })
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

/** The rows of an account on some days, and what it held at their ends, unless there are too many rows. */
async function knownOf(owner: Owner, accountId: number, { from, to }: Span): Promise<Known> {
  const { userId, type, amount, transactionDate: date, toAccountId } = transactions
  const moved = (ofAccount: typeof toAccountId | typeof transactions.accountId) =>
    owner.db
      .select({ type, amount, date })
      .from(transactions)
      .where(and(eq(userId, owner.id), eq(ofAccount, accountId), between(date, from, to)))
      .limit(maxCompared)
  const { paid, received, held, ...found } = await owner.run({
    paid: moved(transactions.accountId),
    received: moved(toAccountId),
    held: owner.db.all<{ balance: number | null }>(selectBalanceOn(owner, { accountId, date: to })),
    ...selectChecks(owner, eq(accounts.id, accountId)),
  })
  const rows = [
    ...paid.map((row) => ({ ...row, amount: row.type === 'income' ? row.amount : negated(row.amount) })),
    ...received,
  ].sort((a, b) => (a.date < b.date ? -1 : 1))
  const ledger = held[0]?.balance ?? null
  // The bank's balance, where a check says how much the ledger's differs from it.
  const difference = checksOf(found).findLast(({ date }) => date <= to)?.difference ?? 0n
  const balance = ledger === null ? null : ledger - Number(difference)
  const isWhole = paid.length < maxCompared && received.length < maxCompared
  return { rows, balances: balance === null || !isWhole ? [] : balancesBefore(rows, from, to, balance) }
}

/** What the account held at the end of each day on which that changed, and of the last day, before which it held `last`. */
function balancesBefore(
  rows: NonNullable<Known['rows']>,
  from: CalendarDate,
  to: CalendarDate,
  last: number,
): NonNullable<Known['balances']> {
  const moved = Map.groupBy(rows, ({ date }) => date)
  const balances: NonNullable<Known['balances']> = []
  let balance = last
  for (const date of [...new Set([from, ...moved.keys(), to])].sort().reverse()) {
    balances.unshift({ date, amount: balance as Minor })
    balance -= (moved.get(date) ?? []).reduce((sum, { amount }) => sum + amount, 0)
  }
  return balances
}
