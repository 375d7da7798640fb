import { addEntry, emptyAccount, leftOut } from '../shared/accounts.ts'
import { amountCell } from '../shared/amount.ts'
import { Aspects } from '../shared/aspect.ts'
import { dateCell } from '../shared/date.ts'
import { linesOf } from '../shared/lines.ts'
import type { ReadOptions } from '../shared/options.ts'
import { Problems } from '../shared/problems.ts'
import { statementOf } from '../shared/signs.ts'
import type { BankStatement, StatementAccount, StatementEntry } from '../shared/statement.ts'
import { cleanText, joinDescription } from '../shared/text.ts'
import { refuseFile } from '../shared/unreadable.ts'
import { dateReader } from '../tables/aspects/dates.ts'
import { amountReader } from '../tables/aspects/decimals.ts'

/** Those fields of a transaction that are read, by their letter; the lines of a split are not. */
type QifRecord = {
  line: number
  fields: Map<string, string>
  /** The letters of the split that is open: it may have a date and an amount, but no payee, of its own. */
  split: Set<string> | null
}

/** The transactions under one header, and the account that the last `!Account` block named. */
type QifSection = { account: string | null; isCard: boolean; records: QifRecord[] }

/** Headers of money transactions. Others hold categories, securities and the like. */
const moneyTypes = /^!type:\s*(?:bank|cash|ccard|credit ?card|oth ?[al]|savings|checking)/i

/** Date, amounts (T or U), number (an account's name), payee, memo and category. */
const lettersRead = 'DTUNPML'

type Readers = {
  problems: Problems
  dateOf: ReturnType<typeof dateReader>
  amountOf: ReturnType<typeof amountReader>
}

/** Reads a QIF file (Quicken Interchange Format): bank, cash, card, asset and liability accounts, several in one file. */
export function readQif(text: string, options: ReadOptions): BankStatement {
  const problems = new Problems()
  const sections = splitQif(text, problems)
  if (sections.length === 0) refuseFile('The file contains no transactions of a bank, cash or card account.')
  const records = sections.flatMap((section) => section.records)
  const aspects = new Aspects(options)
  const dates = records.map(dateField)
  const expected = options.today ? { today: options.today, inAnyYear: true, booked: dates } : null
  const dateOf = dateReader(dates, aspects, problems, false, expected)
  const amountOf = amountReader(records.map(amountField), aspects, problems)
  const accounts = sections.map((section) => readSection(section, { problems, dateOf, amountOf }))
  const mayBeInverted = sections.some(({ isCard }, i) => isCard && areMostlyPositive(accounts[i]))
  const against = mayBeInverted ? 'Most amounts of a card are positive, and cards write both ways.' : null
  return statementOf('qif', accounts, against, aspects, problems)
}

function areMostlyPositive(account: StatementAccount | undefined): boolean {
  const amounts = account?.entries.map(({ amount }) => amount) ?? []
  return amounts.filter((amount) => amount > 0).length * 2 > amounts.length
}

function readSection(section: QifSection, readers: Readers): StatementAccount {
  const account = emptyAccount(section.account, null)
  for (const record of section.records) {
    const isOpening = isOpeningBalance(record, section.account)
    const entry = isOpening ? null : readEntry(record, readers)
    if (entry) addEntry(account, entry)
    else if (isOpening)
      account.leftOut.push(leftOut(record.line, record.fields.get('P') ?? null, 'starting_balance'))
  }
  return account
}

function readEntry(record: QifRecord, { problems, dateOf, amountOf }: Readers): StatementEntry | null {
  const { line, fields } = record
  const date = dateOf(dateField(record))
  const cell = amountField(record)
  const amount = problems.checkAmount(line, cell.text, amountOf(cell))
  if (date === null || amount === null) return null
  const number = cleanText(fields.get('N') ?? '')
  return {
    lines: [line],
    date,
    amount,
    description: joinDescription(fields.get('P'), fields.get('M')),
    // The field also holds words such as ATM or DEP, which do not identify an entry.
    reference: number !== null && /\d/.test(number) ? number : null,
  }
}

/** Quicken writes an opening balance as the first transaction: a transfer from the account to itself. */
function isOpeningBalance({ fields }: QifRecord, account: string | null): boolean {
  if (!/^opening balance$/i.test(fields.get('P')?.trim() ?? '')) return false
  const category = /^\[(.*)\]$/.exec(fields.get('L')?.trim() ?? '')?.[1]
  return category !== undefined && (account === null || category === account)
}

function amountField({ line, fields }: QifRecord) {
  return amountCell(line, fields.get('T') ?? fields.get('U') ?? '')
}

function dateField({ line, fields }: QifRecord) {
  return dateCell(line, fields.get('D') ?? '')
}

/** Splits a QIF file into its sections and records, each of which ends with `^`. Throws Unreadable. */
function splitQif(text: string, problems: Problems): QifSection[] {
  const sections: QifSection[] = []
  let account: string | null = null
  let kind: 'money' | 'account' | 'other' = 'other'
  let open: QifRecord | undefined
  for (const { line, content: raw } of linesOf(text)) {
    const content = raw.trim()
    if (content === '') continue
    if (content.startsWith('^') || content.startsWith('!')) {
      if (open && kind === 'account') account = cleanText(open.fields.get('N') ?? '') ?? account
      if (open && kind === 'money') {
        problems.countRow()
        sections.at(-1)?.records.push(open)
      }
      open = undefined
    } else open = addField(open ?? { line, fields: new Map(), split: null }, content, line, kind)
    if (!content.startsWith('!')) continue
    // Options such as AutoSwitch do not change the meaning of what follows.
    if (/^!account/i.test(content)) kind = 'account'
    else if (/^!type/i.test(content)) kind = 'other'
    if (!moneyTypes.test(content)) continue
    problems.countStatement()
    kind = 'money'
    sections.push({ account, isCard: /^!type:\s*c(?:card|redit)/i.test(content), records: [] })
  }
  if (open)
    refuseFile(`The file ends before the ^ of the record on line ${open.line}; it seems to be cut off.`)
  return sections
}

function addField(record: QifRecord, content: string, line: number, kind: string): QifRecord {
  const letter = (content[0] ?? '').toUpperCase()
  const isRepeated = record.fields.has(letter)
  if (letter === 'S') record.split = new Set()
  // A second date or amount. The next line of a memo may begin with D or T too, but hardly with a number after it.
  const isSecond = isRepeated && kind === 'money' && /^[DT]\s*[-+]?[.\d]/i.test(content)
  const isNext = record.split?.has('D') && isRepeated && letter === 'P'
  if ((isSecond && (record.split?.has(letter) ?? true)) || isNext)
    refuseFile(`The record on line ${record.line} goes on in line ${line}; it lacks the ^ at its end.`)
  record.split?.add(letter)
  if (lettersRead.includes(letter) && !isRepeated) record.fields.set(letter, content.slice(1).trim())
  return record
}
