import { type CalendarDate, isCalendarDate } from '../../src/domain/dates.ts'
import { negated } from '../../src/domain/money.ts'
import { addEntry, emptyAccount, leftOut, toBalance } from '../shared/accounts.ts'
import { ungroupedAmount } from '../shared/amount.ts'
import { Aspects } from '../shared/aspect.ts'
import type { ReadOptions } from '../shared/options.ts'
import { Problems } from '../shared/problems.ts'
import { statementOf } from '../shared/signs.ts'
import type { Balance, BankStatement, StatementAccount, StatementEntry } from '../shared/statement.ts'
import { bankReference, cleanText, joinDescription } from '../shared/text.ts'
import { refuseFile } from '../shared/unreadable.ts'
import { type OfxAggregate, parseOfx } from './sgml.ts'
import { settleTypes } from './types.ts'

/** The statements of bank accounts, of cards, and of the cash in investment accounts. */
const statementNames = ['STMTRS', 'CCSTMTRS', 'INVSTMTRS']
const accountElements = ['BANKACCTFROM', 'CCACCTFROM', 'INVACCTFROM']

/** `debits` are entries that were spent although their amounts have no sign. */
type Reading = {
  problems: Problems
  entries: number
  grouped?: string
  debits: Set<OfxAggregate>
  createdOn: CalendarDate | null
}

/** Reads an OFX or QFX file, 1.x or 2.x (OFX 1.6 and 2.3, 11.4 "Statement Download"). */
export function readOfx(text: string, options: ReadOptions): BankStatement {
  const root = parseOfx(text)
  const found = statementNames.flatMap((name) => descendants(root, name))
  if (found.length === 0 && entriesOf(root).length === 0) refuseFile('The file contains no statement.')
  const statements = found.length > 0 ? found : [root]
  const grouped = groupedAmount(root)
  const aspects = new Aspects(options)
  const { against, debits } = settleTypes(
    statements.map((one) => ({ entries: entriesOf(one), isCard: isCard(one) })),
    aspects,
  )
  // The aggregates around it are not kept.
  const createdOn = ofxDate(root.children[0]?.elements.get('DTSERVER') ?? '')
  const reading = { problems: new Problems(), entries: 0, grouped, debits, createdOn }
  const identifierOf = identifiers(statements)
  const accounts = statements.map((statement) => readAccount(statement, identifierOf(statement), reading))
  return statementOf('ofx', accounts, against, aspects, reading.problems)
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
  const amounts = entriesOf(root).map(({ elements }) => elements.get('TRNAMT') ?? '')
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
  const entries = entriesOf(statement)
  const ids = new Set(entries.map(({ elements }) => elements.get('FITID')))
  const corrected = new Set(entries.map(correctedId))
  for (const entry of entries) {
    reading.entries += 1
    reading.problems.countRow()
    const id = correctedId(entry)
    if (id && !ids.has(id)) reading.problems.addRow(reading.entries, 'entry', notInFile)
    const isDeletion = id && entry.elements.get('CORRECTACTION')?.toUpperCase() === 'DELETE'
    const isHold = entry.elements.get('TRNTYPE')?.toUpperCase() === 'HOLD'
    const isLeftOut = isDeletion || isHold || corrected.has(entry.elements.get('FITID') ?? '')
    const read = isLeftOut ? null : readEntry(entry, currency, reading)
    if (read) addEntry(account, read)
    else if (isLeftOut)
      account.leftOut.push(leftOut(reading.entries, textOf(entry), isHold ? 'pending' : 'no_movement'))
  }
  for (const pending of descendants(statement, 'STMTTRNP'))
    account.leftOut.push(leftOut(reading.entries, textOf(pending), 'pending'))
  account.closingBalance = closingBalance(statement, reading)
  account.createdOn = reading.createdOn
  return account
}

const notInFile =
  'The :field field corrects an entry that is not in the file; leave it out, and edit the transaction.'

/** The name and purpose of an entry. */
const textOf = ({ elements }: OfxAggregate) => joinDescription(elements.get('NAME'), elements.get('MEMO'))

/** The FITID of the entry that this one replaces or deletes; undefined if it is no correction. */
function correctedId({ elements }: OfxAggregate): string | undefined {
  const id = elements.get('CORRECTFITID')
  return id === elements.get('FITID') ? undefined : id
}

function readEntry(entry: OfxAggregate, currency: string | null, reading: Reading): StatementEntry | null {
  const { problems, entries: line, grouped, debits } = reading
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
    lines: [line],
    date,
    amount: debits.has(entry) ? negated(amount) : amount,
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

function closingBalance(statement: OfxAggregate, { grouped }: Reading): Balance | null {
  const ledger = descendants(statement, 'LEDGERBAL')[0]
  const text = ledger?.elements.get('BALAMT') ?? ''
  const amount = ungroupedAmount(text, isGrouped(text) ? text : grouped)
  const closing = toBalance(ofxDate(ledger?.elements.get('DTASOF') ?? ''), amount)
  // Some banks write what is owed on a card without a minus sign.
  return closing && { ...closing, isProved: !isCard(statement) || closing.amount <= 0 }
}

const isCard = ({ name }: OfxAggregate) => name === 'CCSTMTRS'

const entriesOf = (aggregate: OfxAggregate) => descendants(aggregate, 'STMTTRN')

/** All aggregates of a name inside another, in the order of the file. The depth of the tree is bounded. */
function descendants(aggregate: OfxAggregate, name: string): OfxAggregate[] {
  return aggregate.children.flatMap((child) => (child.name === name ? [child] : descendants(child, name)))
}
