import { type CalendarDate, isCalendarDate } from '../../src/domain/dates.ts'
import { type Minor, type MoneyProblem, negated } from '../../src/domain/money.ts'
import { addEntry, leftOut } from '../shared/accounts.ts'
import { ungroupedAmount } from '../shared/amount.ts'
import type { Balances } from '../shared/balances.ts'
import type { Problems } from '../shared/problems.ts'
import type { StatementEntry } from '../shared/statement.ts'
import { bankReference, joinDescription } from '../shared/text.ts'
import { at, childrenOf, textAt, type XmlElement } from './xml.ts'

/** What the entries of a file share while they are read. */
export type Reading = { problems: Problems; entries: number }

/** A statement, and the day of its entries that have none. */
export type CamtStatement = Balances & { day: CamtDate | null }
type CamtDate = { raw: string; date: CalendarDate | null }

/**
 * Adds a booked entry to its account, split into its transactions if it is a batch that states all their amounts. One that
 * is not booked is only counted.
 */
export function readEntry(
  entry: XmlElement,
  { account, reversals, day }: CamtStatement,
  reading: Reading,
): void {
  reading.entries += 1
  const line = reading.entries
  const status = textAt(entry, 'Sts', 'Cd') || textAt(entry, 'Sts', 'Prtry') || textAt(entry, 'Sts')
  if (status !== '' && status !== 'BOOK') {
    const text = textAt(entry, 'AddtlNtryInf')
    account.leftOut.push(leftOut(line, text, status === 'PDNG' ? 'pending' : 'not_booked'))
    return
  }
  const own = camtDate(at(entry, 'BookgDt') ?? at(entry, 'ValDt'))
  const booking = own.raw === '' ? (day ?? own) : own
  const date = reading.problems.checkDate(line, booking.raw, booking.date)
  const amount = readAmount(entry, account.currency, line, reading.problems)
  if (date === null || amount === null) return
  const details = childrenOf(entry, 'NtryDtls').flatMap((group) => childrenOf(group, 'TxDtls'))
  const parts = detailAmounts(entry, details, amount)
  const pieces = parts
    ? details.map((detail, i) => ({ amount: parts[i] as Minor, detail }))
    : [{ amount, detail: details.length === 1 ? details[0] : undefined }]
  for (const { amount, detail } of pieces) {
    reading.problems.countRow()
    const read: StatementEntry = {
      lines: [line],
      date,
      amount,
      description: describeEntry(entry, detail, amount),
      reference: referenceOf(entry, detail, parts !== null),
    }
    addEntry(account, read)
    if (/^(?:true|1)$/.test(textAt(entry, 'RvslInd'))) reversals.push(read)
  }
}

/** A date, or the date part of a time as it is written, ignoring the time zone. */
export function camtDate(element: XmlElement | undefined): CamtDate {
  const raw = textAt(element, 'Dt') || textAt(element, 'DtTm') || textAt(element, 'ToDtTm') || textAt(element)
  const date = raw.slice(0, 10)
  return { raw, date: isCalendarDate(date) ? date : null }
}

/** An amount without a sign. The schema allows five decimals; the third to fifth must be zero here. */
export function camtAmount(raw: string): Minor | MoneyProblem {
  return /^\d{1,18}(?:[.,]\d{0,5})?$/.test(raw) ? ungroupedAmount(raw) : 'not a number'
}

/** The amount, negative if its indicator says debit. For a reversal, the indicator is already that of the reversal. */
export function signed(amount: Minor | MoneyProblem, indicator: string): Minor | MoneyProblem {
  if (typeof amount !== 'number') return amount
  if (indicator === 'CRDT') return amount
  if (indicator === 'DBIT') return negated(amount)
  return 'not a number'
}

function readAmount(entry: XmlElement, currency: string | null, line: number, problems: Problems) {
  const element = at(entry, 'Amt')
  const indicator = textAt(entry, 'CdtDbtInd')
  if (currency && element?.currency && element.currency !== currency)
    problems.addRow(line, 'amount', `The :field field must be in ${currency}, the currency of the account.`)
  else if (indicator !== 'CRDT' && indicator !== 'DBIT')
    problems.addRow(line, 'amount', 'The :field field must be marked CRDT or DBIT.')
  else return problems.checkAmount(line, textAt(element), signed(camtAmount(textAt(element)), indicator))
  return null
}

/** The signed amounts of a batch's details, if all are in the currency of the entry and add up to its amount. */
function detailAmounts(entry: XmlElement, details: XmlElement[], total: Minor): Minor[] | null {
  if (details.length < 2) return null
  const currency = at(entry, 'Amt')?.currency
  const amounts: Minor[] = []
  for (const detail of details) {
    const element = at(detail, 'Amt') ?? at(detail, 'AmtDtls', 'TxAmt', 'Amt')
    if (!element || (element.currency ?? currency) !== currency) return null
    const indicator = textAt(detail, 'CdtDbtInd') || textAt(entry, 'CdtDbtInd')
    const amount = signed(camtAmount(textAt(element)), indicator)
    if (typeof amount !== 'number') return null
    amounts.push(amount)
  }
  return amounts.reduce<number>((sum, amount) => sum + amount, 0) === total ? amounts : null
}

/**
 * The servicer's reference is the same in every statement. An entry reference is often just a number within its file, so
 * short ones are ignored: another file may use them for other entries.
 */
function referenceOf(entry: XmlElement, detail: XmlElement | undefined, split: boolean): string | null {
  const entryReference = textAt(entry, 'NtryRef')
  const own = [
    textAt(detail, 'Refs', 'AcctSvcrRef'),
    textAt(detail, 'Refs', 'EndToEndId'),
    textAt(detail, 'Refs', 'TxId'),
  ]
  const whole = [textAt(entry, 'AcctSvcrRef'), entryReference.length > 5 ? entryReference : '']
  return split ? bankReference(...own, ...whole) : bankReference(...whole, ...own)
}

function describeEntry(entry: XmlElement, detail: XmlElement | undefined, amount: Minor): string | null {
  const remittance = at(detail, 'RmtInf')
  const unstructured = childrenOf(remittance, 'Ustrd')
    .map(({ text }) => text)
    .join(' ')
  const structured = childrenOf(remittance, 'Strd').map(
    (one) => textAt(one, 'AddtlRmtInf') || textAt(one, 'CdtrRefInf', 'Ref'),
  )
  const said = unstructured.trim() || structured.join(' ').trim() || textAt(detail, 'AddtlTxInf')
  return joinDescription(otherParty(detail, amount), said || textAt(entry, 'AddtlNtryInf'))
}

/** Who paid, or who was paid. Since version 8 the name is inside a `Pty` element. */
function otherParty(detail: XmlElement | undefined, amount: Minor): string {
  const parties = at(detail, 'RltdPties')
  const nameOf = (role: string) => textAt(parties, role, 'Nm') || textAt(parties, role, 'Pty', 'Nm')
  const payer = nameOf('Dbtr') || nameOf('UltmtDbtr')
  const payee = nameOf('Cdtr') || nameOf('UltmtCdtr')
  return amount > 0 ? payer || payee : payee || payer
}
