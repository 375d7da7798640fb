import { addEntry, emptyAccount, leftOut, toBalance } from '../shared/accounts.ts'
import { ungroupedAmount } from '../shared/amount.ts'
import { Aspects } from '../shared/aspect.ts'
import { type Balances, evidenceOfBalances } from '../shared/balances.ts'
import type { ReadOptions } from '../shared/options.ts'
import { Problems } from '../shared/problems.ts'
import { statementOf } from '../shared/signs.ts'
import type { Balance, BankStatement, StatementAccount, StatementEntry } from '../shared/statement.ts'
import { joinDescription } from '../shared/text.ts'
import { refuseFile } from '../shared/unreadable.ts'
import { describeDetails } from './details.ts'
import { type Mt940Field, splitFields } from './fields.ts'
import { readStatementLine, swiftDate } from './statement-line.ts'

class State {
  parts: Balances[] = []
  /** The line on which a statement begins whose closing balance is still to come. */
  openSince: number | null = null
  /** The last entry, as long as `:86:` fields that describe it may follow. */
  open: { entry: StatementEntry; details: string[]; supplementary: string } | null = null
  problems = new Problems()
}

/** Reads a file of MT940 statements (SWIFT MT940 "Customer Statement Message"), perhaps of several accounts and pages. */
export function readMt940(text: string, options: ReadOptions): BankStatement {
  const tags = new Set<string>()
  const state = new State()
  for (const field of splitFields(text)) {
    tags.add(field.tag)
    readField(state, field)
  }
  endEntry(state)
  // MT942 reports a day that is not over yet; its entries may still change.
  if (tags.has('34F') && !tags.has('60F') && !tags.has('60M'))
    refuseFile(
      'The file is an interim report (MT942), whose entries are not final; export a statement (MT940) instead.',
    )
  if (state.openSince !== null)
    refuseFile(
      `The file ends before the closing balance (:62F:) of the statement that begins on line ${state.openSince}; it seems to be cut off.`,
    )
  if (state.parts.length === 0) refuseFile('The file contains no statement.')
  const accounts = state.parts.map(({ account }) => withoutCurrency(account))
  return statementOf('mt940', accounts, evidenceOfBalances(state.parts), new Aspects(options), state.problems)
}

function readField(state: State, field: Mt940Field): void {
  const { tag, line } = field
  if (tag === '86' || tag === 'NS') {
    const { open } = state
    if (open) open.details = open.details.concat(withoutNsNumbers(field)).slice(0, 100)
    return
  }
  endEntry(state)
  const value = field.lines.join('\n')
  const [isAccount, isOpening] = [/^25P?$/.test(tag), /^60[FM]$/.test(tag)]
  const last = state.parts.at(-1)
  // Some files have several statements under one :20:. An opening balance alone is that of the same account.
  const isNext = tag === '20' || ((isAccount || isOpening) && last && isUnderWay(state, last.account, field))
  const identifier = isOpening && last ? last.account.identifier : null
  const part = last && !isNext ? last : beginStatement(state, line, identifier)
  if (isAccount) part.account.identifier = identifierOf(field)
  else if (isOpening) {
    const { currency = null, balance = null } = balanceParts(value)
    part.account.currency = currency
    part.opening = balance?.amount ?? null
    if (tag === '60F') part.account.openingBalance = balance
  } else if (tag === '61') readEntry(state, part, line, value)
  else if (tag === '62F' || tag === '62M') readClosing(state, part, field)
  // Forward balances come last, so the statement is complete, though some banks leave out its closing balance.
  else if (tag === '65' || tag === '65F') state.openSince = null
}

/**
 * True if a statement has its closing balance, or entries, so that an opening balance or another account is not its own. Its
 * account may be repeated among the entries.
 */
function isUnderWay({ openSince }: State, account: StatementAccount, field: Mt940Field): boolean {
  if (openSince === null) return true
  const isRepeated = field.tag.startsWith('25') && identifierOf(field) === account.identifier
  return account.entries.length + account.leftOut.length > 0 && !isRepeated
}

function beginStatement(state: State, line: number, identifier: string | null): Balances {
  if (state.openSince !== null)
    state.problems.add(
      'file',
      `The statement that begins on line ${state.openSince} has no closing balance (:62F:) before line ${line}.`,
    )
  state.problems.countStatement()
  const part = { account: emptyAccount(identifier, null), opening: null, closing: null, reversals: [] }
  state.parts.push(part)
  state.openSince = line
  return part
}

function readEntry(state: State, { account, reversals }: Balances, line: number, value: string): void {
  state.problems.countRow()
  const read = readStatementLine(value, line, state.problems)
  if (!read) return
  const { entry, supplementary, isExpected, isReversal } = read
  if (isReversal) reversals.push(entry)
  if (isExpected) account.leftOut.push(leftOut(line, value, 'not_booked'))
  else addEntry(account, entry)
  state.open = { entry, details: [], supplementary }
}

function endEntry(state: State): void {
  const { open } = state
  state.open = null
  if (open) open.entry.description = describeDetails(open.details) ?? joinDescription(open.supplementary)
}

/** `:62F:` is the closing balance of a statement, `:62M:` only that of a page. */
function readClosing(state: State, part: Balances, { tag, lines }: Mt940Field): void {
  const { currency = null, balance = null } = balanceParts(lines[0] ?? '')
  state.openSince = null
  part.account.currency ??= currency
  part.closing = balance?.amount ?? null
  if (tag === '62F') part.account.closingBalance = balance
}

/** The currency and the balance in `C260131EUR1234,56`, behind a debit/credit mark and the date. */
function balanceParts(value: string): { currency?: string; balance?: Balance | null } {
  const shape = /^\s*(?<mark>[CD])\s*(?<day>\d{6})\s*(?:(?<currency>[A-Z]{3})\s*)?(?<digits>[\d.,]+)/
  const { mark, day = '', currency, digits = '' } = shape.exec(value)?.groups ?? {}
  if (mark === undefined) return {}
  const amount = ungroupedAmount(`${mark === 'D' ? '-' : ''}${digits}`)
  return { ...(currency && { currency }), balance: toBalance(swiftDate(day), amount) }
}

/** An IBAN, or a bank code and account number, without spaces and without the leading slash of Polish banks. */
function identifierOf({ lines }: Mt940Field): string | null {
  return (lines[0] ?? '').replace(/\s+/g, '').replace(/^\/+/, '').slice(0, 64) || null
}

/** Some banks write the currency after the account number. */
function withoutCurrency(account: StatementAccount): StatementAccount {
  const { identifier, currency } = account
  const bare = identifier?.slice(0, -3) ?? ''
  return currency !== null && identifier?.endsWith(currency) && /\d/.test(bare)
    ? { ...account, identifier: bare }
    : account
}

/** In the German field `:NS:` each line begins with two digits, and only lines 01 to 16 hold the purpose. */
function withoutNsNumbers(field: Mt940Field): string[] {
  if (field.tag !== 'NS') return field.lines
  return field.lines.filter((line) => /^(?:0[1-9]|1[0-6])/.test(line)).map((line) => `${line.slice(2)} `)
}
