import { type CalendarDate, isCalendarDate } from '../../../shared/dates.ts'
import { addEntry, balanceOn, emptyAccount } from '../accounts.ts'
import { Aspects } from '../aspects/aspect.ts'
import { statementOf } from '../aspects/statement-signs.ts'
import { Problems, refuseFile } from '../problems.ts'
import type {
  BankStatement,
  ClosingBalance,
  FileOptions,
  StatementAccount,
  StatementEntry,
} from '../statement.ts'
import { bankReference, cleanText, joinDescription } from '../text.ts'
import { ungroupedAmount } from '../written/amount.ts'
import { type OfxAggregate, parseOfx } from './sgml.ts'

/** The statements of bank accounts, of cards, and of the cash in investment accounts. */
const statementNames = ['STMTRS', 'CCSTMTRS', 'INVSTMTRS']
const accountElements = ['BANKACCTFROM', 'CCACCTFROM', 'INVACCTFROM']

type Reading = { problems: Problems; entries: number; grouped: string | undefined }

/** Reads an OFX or QFX file, 1.x or 2.x (OFX 1.6 and 2.3, 11.4 "Statement Download"). */
export function readOfx(text: string, options: FileOptions): BankStatement {
  const root = parseOfx(text)
  const found = statementNames.flatMap((name) => descendants(root, name))
  const entries = descendants(root, 'STMTTRN')
  if (found.length === 0 && entries.length === 0) refuseFile('The file contains no statement.')
  const statements = found.length > 0 ? found : [root]
  const grouped = groupedAmount(root)
  const reading = { problems: new Problems(), entries: 0, grouped }
  const identifierOf = identifiers(statements)
  const accounts = statements.map((statement) => readAccount(statement, identifierOf(statement), reading))
  return statementOf('ofx', accounts, againstTypes(entries), new Aspects(options), reading.problems)
}

/** Types of entries that leave no doubt which way the money went (OFX 1.6, 11.4.3.1.1 "Transaction Types"). */
const directions: Record<string, number> = {
  DEBIT: -1,
  CHECK: -1,
  CASH: -1,
  DIRECTDEBIT: -1,
  CREDIT: 1,
  DEP: 1,
  DIRECTDEP: 1,
}

/** Evidence that amounts have the opposite sign: more types contradict them than agree. Null if there is none. */
function againstTypes(entries: OfxAggregate[]): string | null {
  const agree = entries.flatMap(({ elements }) => {
    const direction = directions[elements.get('TRNTYPE')?.toUpperCase() ?? ''] ?? 0
    const amount = elements.get('TRNAMT') ?? ''
    return direction === 0 || !/[1-9]/.test(amount) ? [] : [amount.includes('-') === direction < 0]
  })
  const against = agree.filter((one) => !one).length
  return against * 2 > agree.length
    ? `The types of the entries (DEBIT, CREDIT and others) contradict the signs of ${against} of ${agree.length} amounts.`
    : null
}

/**
 * Names accounts by number and, where several share one but differ in bank or type, by these too: `100200/SAVINGS`. Case
 * makes no difference, nor does a part that a statement leaves out, unless it is that of a card or an investment account.
 */
function identifiers(statements: OfxAggregate[]): (statement: OfxAggregate) => string | null {
  const partOf = (statement: OfxAggregate, name: string) => {
    const from = statement.children.find((child) => accountElements.includes(child.name))
    return cleanText(from?.elements.get(name) ?? '')
  }
  const kindOf = (statement: OfxAggregate, name: string) => partOf(statement, name)?.toUpperCase()
  const sharers = Map.groupBy(statements, (statement) => partOf(statement, 'ACCTID'))
  const differing = (name: string) => {
    const nameOf = (one: OfxAggregate) => kindOf(one, name) ?? one.name.replace('STMTRS', '')
    const differ = (sharing: OfxAggregate[]) => new Set(sharing.map(nameOf).filter(Boolean)).size > 1
    return new Set([...sharers].flatMap(([number, sharing]) => (differ(sharing) ? [number] : [])))
  }
  const [byBank, byType] = [differing('BANKID'), differing('ACCTTYPE')]
  return (statement) => {
    const number = partOf(statement, 'ACCTID')
    const bank = byBank.has(number) && kindOf(statement, 'BANKID')
    const type = byType.has(number) && kindOf(statement, 'ACCTTYPE')
    return [bank, number, type].filter(Boolean).join('/') || null
  }
}

/**
 * The amount that shows which separator precedes the decimals, if an amount or balance has two kinds of them. OFX groups no
 * digits, and its decimals may follow a comma (OFX 1.6, 3.2.9.1 "Amount"), but some banks group them.
 */
function groupedAmount(root: OfxAggregate): string | undefined {
  const amounts = descendants(root, 'STMTTRN').map(({ elements }) => elements.get('TRNAMT') ?? '')
  const balances = descendants(root, 'LEDGERBAL').map(({ elements }) => elements.get('BALAMT') ?? '')
  const balance = balances.find(isGrouped)
  // Balances may be written in another style, so amounts that can be read in only one way come first.
  const byDecimals = balance && amounts.find((text) => /[.,]\d\d?$/.test(text))
  return amounts.find(isGrouped) ?? byDecimals ?? balance
}

function isGrouped(text: string): boolean {
  return text.includes(',') && text.includes('.')
}

function readAccount(statement: OfxAggregate, identifier: string | null, reading: Reading): StatementAccount {
  reading.problems.countStatement()
  const currency = cleanText(statement.elements.get('CURDEF') ?? '')?.toUpperCase() ?? null
  const account = emptyAccount(identifier, currency)
  for (const entry of descendants(statement, 'STMTTRN')) {
    reading.entries += 1
    reading.problems.countRow()
    addEntry(account, readEntry(entry, currency, reading))
  }
  account.skipped += descendants(statement, 'STMTTRNP').length
  account.closingBalance = closingBalance(statement, reading)
  return account
}

function readEntry(entry: OfxAggregate, currency: string | null, reading: Reading): StatementEntry | null {
  const { problems, entries: line, grouped } = reading
  const element = (name: string) => entry.elements.get(name) ?? ''
  const posted = element('DTPOSTED') || element('DTUSER')
  const date = problems.checkDate(line, posted, ofxDate(posted))
  const amount = problems.checkAmount(line, element('TRNAMT'), ungroupedAmount(element('TRNAMT'), grouped))
  const foreign = entry.children.find((child) => child.name === 'CURRENCY')?.elements.get('CURSYM')
  if (foreign && currency && foreign.toUpperCase() !== currency)
    problems.addRow(line, 'amount', `The :field field must be in ${currency}, the currency of the account.`)
  if (date === null || amount === null) return null
  const payee = entry.children.find((child) => child.name === 'PAYEE' || child.name === 'EXTDPAYEE')
  return {
    line,
    date,
    amount,
    description: joinDescription(
      element('NAME') || payee?.elements.get('NAME'),
      element('EXTDNAME'),
      element('MEMO'),
    ),
    reference: bankReference(element('FITID')),
  }
}

/** The date part as written: `20261120120000.000[-5:EST]` is the 20th, whatever the time zone. */
function ofxDate(raw: string): CalendarDate | null {
  const match = /^(\d{4})-?(\d{2})-?(\d{2})(?!\d(?!\d))/.exec(raw.trim())
  const date = match ? `${match[1]}-${match[2]}-${match[3]}` : ''
  return isCalendarDate(date) ? date : null
}

function closingBalance(statement: OfxAggregate, { grouped }: Reading): ClosingBalance | null {
  const ledger = descendants(statement, 'LEDGERBAL')[0]
  const text = ledger?.elements.get('BALAMT') ?? ''
  const amount = ungroupedAmount(text, isGrouped(text) ? text : grouped)
  return balanceOn(ofxDate(ledger?.elements.get('DTASOF') ?? ''), amount)
}

/** All aggregates of a name inside another, in the order of the file. The depth of the tree is bounded. */
function descendants(aggregate: OfxAggregate, name: string): OfxAggregate[] {
  return aggregate.children.flatMap((child) => (child.name === name ? [child] : descendants(child, name)))
}
