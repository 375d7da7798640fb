import type { XmlElement } from '@rgrove/parse-xml'
import { type CalendarDate, isCalendarDate } from '../dates.ts'
import { emptyAccount, mergeAccounts, RowLimit } from './accounts.ts'
import { camtAmount, signed } from './camt-amount.ts'
import { readEntry } from './camt-entry.ts'
import { Problems, refuseFile } from './problems.ts'
import type { ClosingBalance, Statement, StatementAccount } from './statement.ts'
import { cleanText } from './text.ts'
import { at, childrenOf, outermost, parseStrictXml, textAt } from './xml.ts'

/** camt.053 has statements, camt.052 reports, camt.054 notifications (ISO 20022 "Bank-to-Customer Cash Management"). */
const statementNames = new Set(['Stmt', 'Rpt', 'Ntfctn'])

/** Reads a camt.052, .053 or .054 message of any version. Only booked entries become rows. */
export function readCamt(text: string): Statement {
  const root = parseStrictXml(text)
  const statements = outermost(root, statementNames)
  if (statements.length === 0) refuseFile('The file holds no statement.')
  const reading = { problems: new Problems(), limit: new RowLimit(), entries: 0 }
  const accounts: StatementAccount[] = []
  for (const statement of statements) {
    const account = emptyAccount(identifierOf(statement), currencyOf(statement))
    for (const entry of childrenOf(statement, 'Ntry')) readEntry(entry, account, reading)
    account.closingBalance = closingBalance(statement)
    accounts.push(account)
  }
  reading.problems.throwIfAny()
  return { format: 'camt', accounts: mergeAccounts(accounts) }
}

function identifierOf(statement: XmlElement): string | null {
  const id = at(statement, 'Acct', 'Id')
  const iban = textAt(id, 'IBAN').replace(/\s+/g, '')
  return cleanText(iban || textAt(id, 'Othr', 'Id') || textAt(id, 'BBAN') || textAt(id, 'PrtryAcct', 'Id'))
}

function currencyOf(statement: XmlElement): string | null {
  const amounts = [at(statement, 'Bal', 'Amt'), at(statement, 'Ntry', 'Amt')]
  const currency =
    textAt(statement, 'Acct', 'Ccy') || amounts.map((amount) => amount?.attributes.Ccy).find(Boolean)
  return cleanText(currency ?? '')
}

/** The closing booked balance (CLBD), not that of a page (sub-type INTM). One that cannot be read is none. */
function closingBalance(statement: XmlElement): ClosingBalance | null {
  const closing = childrenOf(statement, 'Bal').filter((balance) => {
    const code = textAt(balance, 'Tp', 'CdOrPrtry', 'Cd') || textAt(balance, 'Tp', 'Cd')
    const subType = textAt(balance, 'Tp', 'SubTp', 'Cd')
    return code === 'CLBD' && subType !== 'INTM'
  })
  const balance = closing.at(-1)
  if (!balance) return null
  const amount = signed(camtAmount(textAt(balance, 'Amt')), textAt(balance, 'CdtDbtInd'))
  const date = camtDate(at(balance, 'Dt'))
  return typeof amount === 'number' && date !== null ? { date, amount } : null
}

/** A date or the date of a time, as written, whatever zone the time is in. */
function camtDate(element: XmlElement | undefined): CalendarDate | null {
  const date = (textAt(element, 'Dt') || textAt(element, 'DtTm')).slice(0, 10)
  return isCalendarDate(date) ? date : null
}
