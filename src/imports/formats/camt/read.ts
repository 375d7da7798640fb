import type { Minor } from '../../../shared/money.ts'
import { balanceOn, emptyAccount, FileLimits } from '../accounts.ts'
import { type Balances, evidenceOfBalances, statementOf } from '../aspects/statement-signs.ts'
import { Problems, refuseFile } from '../problems.ts'
import type { BankStatement, ClosingBalance, FileOptions } from '../statement.ts'
import { cleanText } from '../text.ts'
import { camtAmount, camtDate, type Reading, readEntry, signed } from './entry.ts'
import { at, textAt, visitXml, type XmlElement, type XmlPlan, type XmlVisitor } from './xml.ts'

const plan: XmlPlan = {
  // camt.053 has statements, camt.052 reports, camt.054 notifications (ISO 20022 "Bank-to-Customer Cash Management").
  outermost: new Set(['Stmt', 'Rpt', 'Ntfctn']),
  kept: new Set(
    `Acct Id IBAN Othr BBAN PrtryAcct Ccy Bal Tp CdOrPrtry Cd SubTp Amt CdtDbtInd Dt DtTm CreDtTm FrToDt ToDtTm Ntry NtryRef RvslInd Sts BookgDt
    ValDt AcctSvcrRef AddtlNtryInf NtryDtls TxDtls AmtDtls TxAmt Refs EndToEndId TxId AddtlTxInf RmtInf Ustrd Strd
    AddtlRmtInf CdtrRefInf Ref RltdPties Dbtr Cdtr UltmtDbtr UltmtCdtr Nm Pty`.split(/\s+/),
  ),
}

/** Reads a camt.052, .053 or .054 message of any version. Only booked entries count. */
export function readCamt(text: string, options: FileOptions): BankStatement {
  const statements = new CamtStatements()
  visitXml(text, plan, statements)
  const { parts, reading } = statements
  if (parts.length === 0) refuseFile('The file contains no statement.')
  const accounts = parts.map(({ account }) => account)
  return statementOf('camt', accounts, evidenceOfBalances(parts), options, reading.problems)
}

type Amount = { currency: string | undefined }

/** Reads statements in one pass: the schema puts the account and its currency before the entries. */
class CamtStatements implements XmlVisitor {
  readonly parts: Balances[] = []
  readonly reading: Reading = {
    problems: new Problems(),
    limits: new FileLimits(),
    entries: 0,
    day: null,
    reversals: [],
  }
  #account = emptyAccount(null, null)
  #opening: Minor | null = null
  /** Only the currency is kept of the first balance and the first entry. */
  #first: { owner?: XmlElement; balance?: Amount; entry?: Amount } = {}

  begin(): void {
    this.reading.limits.countStatement()
    this.#account = emptyAccount(null, null)
    this.#first = {}
    this.#opening = null
    this.reading.day = null
    this.reading.reversals = []
  }

  child(element: XmlElement): void {
    if (element.name === 'CreDtTm' || element.name === 'FrToDt') this.reading.day = camtDate(element)
    else if (element.name === 'Acct') this.#first.owner ??= element
    else if (element.name === 'Bal') this.#readBalance(element)
    else if (element.name === 'Ntry') this.#readEntry(element)
  }

  end(): void {
    const currency = this.#currency()
    if (this.#first.entry && currency !== this.#account.currency)
      refuseFile('The file gives the currency of an account only after its entries, too late to be used.')
    this.#account.currency = currency
    this.#account.identifier = identifierOf(this.#first.owner)
    this.parts.push({
      account: this.#account,
      opening: this.#opening,
      closing: this.#account.closingBalance?.amount ?? null,
      reversals: this.reading.reversals,
    })
  }

  #readBalance(balance: XmlElement): void {
    this.#first.balance ??= { currency: at(balance, 'Amt')?.currency }
    const code = codeOf(balance)
    if (code === 'OPBD' || code === 'PRCD') this.#opening ??= balanceIn(balance)?.amount ?? null
    if (code !== 'CLBD') return
    this.#account.closingBalance = balanceIn(balance)
    this.reading.day = camtDate(at(balance, 'Dt'))
  }

  #readEntry(entry: XmlElement): void {
    if (!this.#first.entry) {
      this.#first.entry = { currency: at(entry, 'Amt')?.currency }
      this.#account.currency = this.#currency()
    }
    readEntry(entry, this.#account, this.reading)
  }

  #currency(): string | null {
    const { owner, balance, entry } = this.#first
    return cleanText(textAt(owner, 'Ccy') || balance?.currency || entry?.currency || '')
  }
}

function identifierOf(owner: XmlElement | undefined): string | null {
  const id = at(owner, 'Id')
  const iban = textAt(id, 'IBAN').replace(/\s+/g, '')
  return cleanText(iban || textAt(id, 'Othr', 'Id') || textAt(id, 'BBAN') || textAt(id, 'PrtryAcct', 'Id'))
}

/** The kind of a booked balance, such as CLBD for the closing one; empty for that of a page (sub-type INTM). */
function codeOf(balance: XmlElement): string {
  const code = textAt(balance, 'Tp', 'CdOrPrtry', 'Cd') || textAt(balance, 'Tp', 'Cd')
  return textAt(balance, 'Tp', 'SubTp', 'Cd') === 'INTM' ? '' : code
}

function balanceIn(balance: XmlElement): ClosingBalance | null {
  const amount = signed(camtAmount(textAt(balance, 'Amt')), textAt(balance, 'CdtDbtInd'))
  return balanceOn(camtDate(at(balance, 'Dt')).date, amount)
}
