import { addEntry, balanceOn, emptyAccount } from '../accounts.ts'
import { Aspects } from '../aspects/aspect.ts'
import { type Balances, evidenceOfBalances, statementOf } from '../aspects/statement-signs.ts'
import { Problems, refuseFile } from '../problems.ts'
import type {
  BankStatement,
  ClosingBalance,
  FileOptions,
  StatementAccount,
  StatementEntry,
} from '../statement.ts'
import { joinDescription } from '../text.ts'
import { ungroupedAmount } from '../written/amount.ts'
import { describeDetails } from './details.ts'
import { type Mt940Field, splitFields } from './fields.ts'
import { readStatementLine, swiftDate } from './statement-line.ts'

class State {
  parts: Balances[] = []
  current: StatementAccount | null = null
  /** The line on which a statement begins whose closing balance is still to come. */
  openSince: number | null = null
  /** The last entry, as long as `:86:` fields that describe it may follow. */
  open: { entry: StatementEntry; details: string[]; supplementary: string } | null = null
  problems = new Problems()
}

/** Reads a file of MT940 statements (SWIFT MT940 "Customer Statement Message"), perhaps of several accounts and pages. */
export function readMt940(text: string, options: FileOptions): BankStatement {
  const tags = new Set<string>()
  const state = new State()
  for (const field of splitFields(text)) {
    tags.add(field.tag)
    readField(state, field)
  }
  endEntry(state)
  refuseInterim(tags)
  if (state.openSince !== null)
    refuseFile(
      `The file ends before the closing balance (:62F:) of the statement that begins on line ${state.openSince}; it seems to be cut off.`,
    )
  if (state.parts.length === 0) refuseFile('The file contains no statement.')
  const accounts = state.parts.map(({ account }) => account)
  return statementOf('mt940', accounts, evidenceOfBalances(state.parts), new Aspects(options), state.problems)
}

function readField(state: State, field: Mt940Field): void {
  if (field.tag === '86' || field.tag === 'NS') {
    const { open } = state
    if (open) open.details = open.details.concat(withoutNsNumbers(field)).slice(0, 100)
    return
  }
  endEntry(state)
  const value = field.lines.join('\n')
  const isAccount = field.tag === '25' || field.tag === '25P'
  const isOpening = field.tag === '60F' || field.tag === '60M'
  const { current } = state
  if (field.tag === '20') beginStatement(state, field.line)
  // Some files have several statements under one :20:. An opening balance alone is that of the same account.
  else if (current && (isAccount || isOpening) && isUnderWay(state, current, field))
    beginStatement(state, field.line, isOpening ? current.identifier : null)
  const account = state.current ?? beginStatement(state, field.line)
  if (isAccount) account.identifier = identifierOf(field, account.currency)
  else if (isOpening) readOpening(state, account, value)
  else if (field.tag === '61') readEntry(state, field, value)
  else if (field.tag === '62F' || field.tag === '62M') readClosing(state, account, field)
  // Forward balances come last, so the statement is complete, though some banks leave out its closing balance.
  else if (field.tag === '65' || field.tag === '65F') state.openSince = null
}

/**
 * True if a statement has its closing balance, or entries, so that an opening balance or another account is not its own. Its
 * account may be repeated among the entries.
 */
function isUnderWay({ openSince }: State, account: StatementAccount, field: Mt940Field): boolean {
  if (openSince === null) return true
  const isRepeated =
    field.tag.startsWith('25') && identifierOf(field, account.currency) === account.identifier
  return account.entries.length + account.skipped > 0 && !isRepeated
}

function beginStatement(state: State, line: number, identifier: string | null = null): StatementAccount {
  if (state.openSince !== null)
    state.problems.add(
      'file',
      `The statement that begins on line ${state.openSince} has no closing balance (:62F:) before line ${line}.`,
    )
  state.problems.countStatement()
  const account = emptyAccount(identifier, null)
  state.parts.push({ account, opening: null, closing: null, reversals: [] })
  state.current = account
  state.openSince = line
  return account
}

function readOpening({ parts }: State, account: StatementAccount, value: string): void {
  const balance = balanceParts(value)
  account.currency = balance?.currency ?? null
  const part = parts.at(-1)
  if (part) part.opening = balance?.balance?.amount ?? null
  if (account.identifier && account.currency)
    account.identifier = withoutCurrency(account.identifier, account.currency)
}

function readEntry(state: State, field: Mt940Field, value: string): void {
  state.problems.countRow()
  const account = state.current
  const line = readStatementLine(value, field.line, state.problems)
  if (!account || !line) return
  const { entry, supplementary, isExpected, isReversal } = line
  if (isReversal) state.parts.at(-1)?.reversals.push(entry)
  addEntry(account, isExpected ? null : entry)
  state.open = { entry, details: [], supplementary }
}

function endEntry(state: State): void {
  const { open } = state
  state.open = null
  if (open) open.entry.description = describeDetails(open.details) ?? joinDescription(open.supplementary)
}

/** `:62F:` is the closing balance of a statement, `:62M:` only that of a page. */
function readClosing(state: State, account: StatementAccount, field: Mt940Field): void {
  state.openSince = null
  const balance = balanceParts(field.lines[0] ?? '')
  account.currency ??= balance?.currency ?? null
  const part = state.parts.at(-1)
  if (part) part.closing = balance?.balance?.amount ?? null
  if (field.tag === '62F') account.closingBalance = balance?.balance ?? null
}

/** The parts of `C260131EUR1234,56`: debit/credit mark, date, currency, amount. */
function balanceParts(value: string): { currency: string | null; balance: ClosingBalance | null } | null {
  const shape = /^\s*(?<mark>[CD])\s*(?<day>\d{6})\s*(?:(?<currency>[A-Z]{3})\s*)?(?<digits>[\d.,]+)/
  const groups = shape.exec(value)?.groups
  if (!groups) return null
  const { mark, day = '', currency = null, digits = '' } = groups
  const amount = ungroupedAmount(`${mark === 'D' ? '-' : ''}${digits}`)
  return { currency, balance: balanceOn(swiftDate(day), amount) }
}

/**
 * An IBAN, or a bank code and account number, without spaces, without the leading slash of Polish banks, and without the
 * currency if that is known.
 */
function identifierOf({ lines }: Mt940Field, currency: string | null): string | null {
  const identifier = (lines[0] ?? '').replace(/\s+/g, '').replace(/^\/+/, '').slice(0, 64)
  return (currency ? withoutCurrency(identifier, currency) : identifier) || null
}

/** Some banks write the currency after the account number. */
function withoutCurrency(identifier: string, currency: string): string {
  return /\d/.test(identifier.slice(0, -3)) && identifier.endsWith(currency)
    ? identifier.slice(0, -3)
    : identifier
}

/** In the German field `:NS:` each line begins with two digits, and only lines 01 to 16 hold the purpose. */
function withoutNsNumbers(field: Mt940Field): string[] {
  if (field.tag !== 'NS') return field.lines
  return field.lines.filter((line) => /^(?:0[1-9]|1[0-6])/.test(line)).map((line) => `${line.slice(2)} `)
}

/** MT942 reports a day that is not over yet; its entries may still change. */
function refuseInterim(tags: Set<string>): void {
  if (tags.has('34F') && !tags.has('60F') && !tags.has('60M'))
    refuseFile(
      'The file is an interim report (MT942), whose entries are not final; export a statement (MT940) instead.',
    )
}
