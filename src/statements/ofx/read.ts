import { type CalendarDate, earliestDate, isCalendarDate, latestDate } from '../../domain/dates.ts'
import type { Minor } from '../../domain/money.ts'
import { emptyAccount, mergeAccounts, RowLimit } from '../accounts.ts'
import { moneyText, notADate, notInDateRange, Problems, refuseFile, required } from '../problems.ts'
import type { ClosingBalance, Statement, StatementAccount, StatementRow } from '../statement.ts'
import { bankReference, cleanText, describe } from '../text.ts'
import { ungroupedAmount } from '../written/amount.ts'
import { type OfxAggregate, parseOfx } from './sgml.ts'

/** The statements of a file: of bank accounts, of cards, and the bank part of investment accounts. */
const statementNames = ['STMTRS', 'CCSTMTRS', 'INVSTMTRS']
const accountNames = ['BANKACCTFROM', 'CCACCTFROM', 'INVACCTFROM']

type Reading = { problems: Problems; limit: RowLimit; entries: number }

/** Reads an OFX or QFX file, 1.x or 2.x (OFX 1.6 and 2.3, 11.4 "Statement Download"). */
export function readOfx(text: string): Statement {
  const root = parseOfx(text)
  const statements = statementNames.flatMap((name) => descendants(root, name))
  if (statements.length === 0) refuseFile(noStatement(root))
  const reading = { problems: new Problems(), limit: new RowLimit(), entries: 0 }
  const accounts = statements.map((statement) => readAccount(statement, reading))
  reading.problems.throwIfAny()
  return { format: 'ofx', accounts: mergeAccounts(accounts) }
}

function readAccount(statement: OfxAggregate, reading: Reading): StatementAccount {
  reading.limit.countAccount()
  const from = statement.children.find((child) => accountNames.includes(child.name))
  const currency = cleanText(statement.elements.get('CURDEF') ?? '')?.toUpperCase() ?? null
  const account = emptyAccount(cleanText(from?.elements.get('ACCTID') ?? ''), currency)
  for (const entry of descendants(statement, 'STMTTRN')) {
    reading.entries += 1
    reading.limit.count()
    const row = readEntry(entry, currency, reading)
    if (row && row.amount !== 0) account.rows.push(row)
    else account.skipped += 1
  }
  account.skipped += descendants(statement, 'STMTTRNP').length
  account.closingBalance = closingBalance(statement)
  return account
}

function readEntry(entry: OfxAggregate, currency: string | null, reading: Reading): StatementRow | null {
  const { problems, entries: line } = reading
  const element = (name: string) => entry.elements.get(name) ?? ''
  const date = readDate(element('DTPOSTED') || element('DTUSER'), line, problems)
  const amount = readAmount(element('TRNAMT'), line, problems)
  const foreign = entry.children.find((child) => child.name === 'CURRENCY')?.elements.get('CURSYM')
  if (foreign && currency && foreign.toUpperCase() !== currency)
    problems.addRow(line, 'amount', `The :field field must be in ${currency}, the currency of the account.`)
  if (date === null || amount === null) return null
  const payee = entry.children.find((child) => child.name === 'PAYEE' || child.name === 'EXTDPAYEE')
  return {
    line,
    date,
    amount,
    description: describe(
      element('NAME') || payee?.elements.get('NAME'),
      element('EXTDNAME'),
      element('MEMO'),
    ),
    reference: bankReference(element('FITID')),
  }
}

/** `20261120120000.000[-5:EST]` is the 20th, whatever the zone: a statement is read as it is printed. */
function ofxDate(raw: string): CalendarDate | null {
  const match = /^(\d{4})-?(\d{2})-?(\d{2})(?!\d(?!\d))/.exec(raw.trim())
  const date = match ? `${match[1]}-${match[2]}-${match[3]}` : ''
  return isCalendarDate(date) ? date : null
}

function readDate(raw: string, line: number, problems: Problems): CalendarDate | null {
  const date = ofxDate(raw)
  if (date !== null && date >= earliestDate && date <= latestDate) return date
  problems.addRow(line, 'date', raw.trim() === '' ? required : date === null ? notADate : notInDateRange)
  return null
}

/** OFX groups no digits, and its decimals may follow a comma (OFX 1.6, 3.2.9.1 "Amount"). */
function readAmount(raw: string, line: number, problems: Problems): Minor | null {
  const amount = ungroupedAmount(raw)
  if (typeof amount === 'number') return amount
  problems.addRow(line, 'amount', raw.trim() === '' ? required : moneyText(amount))
  return null
}

/** The ledger balance; a balance that cannot be read is none, since no entry depends on it. */
function closingBalance(statement: OfxAggregate): ClosingBalance | null {
  const ledger = descendants(statement, 'LEDGERBAL')[0]
  const amount = ungroupedAmount(ledger?.elements.get('BALAMT') ?? '')
  const date = ofxDate(ledger?.elements.get('DTASOF') ?? '')
  return typeof amount === 'number' && date !== null ? { date, amount } : null
}

/** What the bank says instead of a statement. */
function noStatement(root: OfxAggregate): string {
  const failure = descendants(root, 'STATUS').find((status) => status.elements.get('SEVERITY') === 'ERROR')
  const message = cleanText(failure?.elements.get('MESSAGE') ?? '')
  return message
    ? `The file holds no statement but an error of the bank: ${message}`
    : 'The file holds no statement.'
}

/** All aggregates of a name below one, in the order of the file. The depth of the tree is bounded. */
function descendants(aggregate: OfxAggregate, name: string, found: OfxAggregate[] = []): OfxAggregate[] {
  for (const child of aggregate.children)
    if (child.name === name) found.push(child)
    else descendants(child, name, found)
  return found
}
