import { emptyAccount, toBalance } from '../shared/accounts.ts'
import { Aspects } from '../shared/aspect.ts'
import { evidenceOfBalances } from '../shared/balances.ts'
import type { ReadOptions } from '../shared/options.ts'
import { Problems } from '../shared/problems.ts'
import { statementOf } from '../shared/signs.ts'
import type { Balance, BankStatement } from '../shared/statement.ts'
import { cleanText } from '../shared/text.ts'
import { refuseFile } from '../shared/unreadable.ts'
import { type CamtStatement, camtAmount, camtDate, type Reading, readEntry, signed } from './entry.ts'
import { at, textAt, visitXml, type XmlElement } from './xml.ts'

const plan = {
  // camt.053 has statements, camt.052 reports, camt.054 notifications (ISO 20022 "Bank-to-Customer Cash Management").
  outermost: new Set(['Stmt', 'Rpt', 'Ntfctn']),
  kept: new Set(
    `Acct Id IBAN Othr BBAN PrtryAcct Ccy Bal Tp CdOrPrtry Cd Prtry SubTp Amt CdtDbtInd Dt DtTm CreDtTm FrToDt ToDtTm Ntry NtryRef RvslInd Sts BookgDt
    ValDt AcctSvcrRef AddtlNtryInf NtryDtls TxDtls AmtDtls TxAmt Refs EndToEndId TxId AddtlTxInf RmtInf Ustrd Strd
    AddtlRmtInf CdtrRefInf Ref RltdPties Dbtr Cdtr UltmtDbtr UltmtCdtr Nm Pty`.split(/\s+/),
  ),
}

/** Reads a camt.052, .053 or .054 message of any version. Only booked entries count. */
export function readCamt(text: string, options: ReadOptions): BankStatement {
  const reading: Reading = { problems: new Problems(), entries: 0 }
  const statements: CamtStatement[] = []
  let statement = newStatement()
  const end = () => {
    reading.problems.countStatement()
    statements.push(statement)
    statement = newStatement()
  }
  visitXml(text, plan, (element) => readChild(element, statement, reading), end)
  if (statements.length === 0) refuseFile('The file contains no statement.')
  const accounts = statements.map(({ account }) => account)
  return statementOf('camt', accounts, evidenceOfBalances(statements), new Aspects(options), reading.problems)
}

const newStatement = (): CamtStatement => ({
  account: emptyAccount(null, null),
  opening: null,
  closing: null,
  reversals: [],
  day: null,
})

/** Reads a part of a statement. The schema puts the account and its balances before the entries. */
function readChild(element: XmlElement, statement: CamtStatement, reading: Reading): void {
  const { account } = statement
  const { name } = element
  const currency = name === 'Acct' ? textAt(element, 'Ccy') : at(element, 'Amt')?.currency
  account.currency ??= cleanText(currency ?? '')
  if (name === 'CreDtTm') account.createdOn = camtDate(element).date
  if (name === 'CreDtTm' || name === 'FrToDt') statement.day = camtDate(element)
  else if (name === 'Acct') account.identifier ??= identifierOf(element)
  else if (name === 'Bal') readBalance(element, statement)
  else if (name === 'Ntry') readEntry(element, statement, reading)
}

/** Reads a booked balance; that of a page (sub-type INTM) does not count. */
function readBalance(balance: XmlElement, statement: CamtStatement): void {
  const code = textAt(balance, 'Tp', 'CdOrPrtry', 'Cd') || textAt(balance, 'Tp', 'Cd')
  if (textAt(balance, 'Tp', 'SubTp', 'Cd') === 'INTM') return
  const { account } = statement
  if (code === 'OPBD' || code === 'PRCD') {
    account.openingBalance ??= balanceIn(balance)
    statement.opening = account.openingBalance?.amount ?? null
  }
  if (code !== 'CLBD') return
  account.closingBalance = balanceIn(balance)
  statement.closing = account.closingBalance?.amount ?? null
  statement.day = camtDate(at(balance, 'Dt'))
}

function identifierOf(owner: XmlElement | undefined): string | null {
  const id = at(owner, 'Id')
  const iban = textAt(id, 'IBAN').replace(/\s+/g, '')
  return cleanText(iban || textAt(id, 'Othr', 'Id') || textAt(id, 'BBAN') || textAt(id, 'PrtryAcct', 'Id'))
}

function balanceIn(balance: XmlElement): Balance | null {
  const amount = signed(camtAmount(textAt(balance, 'Amt')), textAt(balance, 'CdtDbtInd'))
  return toBalance(camtDate(at(balance, 'Dt')).date, amount)
}
