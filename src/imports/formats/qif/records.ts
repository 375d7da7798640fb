import { FileLimits } from '../accounts.ts'
import { linesOf } from '../lines.ts'
import { refuseFile } from '../problems.ts'
import { cleanText } from '../text.ts'

/** Those fields of a transaction that are read, by their letter; the lines of a split are not. */
export type QifRecord = { line: number; fields: Map<string, string> }

/** The transactions under one header, and the account that the last `!Account` block named. */
export type QifSection = { account: string | null; records: QifRecord[] }

/** Headers of money transactions. Others hold categories, securities and the like. */
const moneyTypes = /^!type:\s*(?:bank|cash|ccard|credit ?card|oth ?[al]|savings|checking)/i

/** Date, amounts (T or U), number (an account's name), payee, memo and category. */
const lettersRead = 'DTUNPML'

class State {
  sections: QifSection[] = []
  account: string | null = null
  kind: 'money' | 'account' | 'other' = 'other'
  open: QifRecord | null = null
  limits = new FileLimits()
}

/** Splits a QIF file into its sections and records, each of which ends with `^`. */
export function splitQif(text: string): QifSection[] {
  const state = new State()
  for (const { line, content } of linesOf(text)) readLine(state, content.trim(), line)
  if (state.open)
    refuseFile(`The file ends before the ^ of the record on line ${state.open.line}; it seems to be cut off.`)
  return state.sections
}

function readLine(state: State, content: string, line: number): void {
  if (content === '') return
  if (content.startsWith('!')) {
    endRecord(state)
    readHeader(state, content)
  } else if (content.startsWith('^')) endRecord(state)
  else {
    state.open ??= { line, fields: new Map() }
    const letter = (content[0] ?? '').toUpperCase()
    const value = content.slice(1).trim()
    const isRepeated = state.open.fields.has(letter)
    // A second date or amount. The next line of a memo may begin with D or T too, but hardly with a number after it.
    if (isRepeated && state.kind === 'money' && /^[DT]\s*[-+]?[.\d]/i.test(content))
      refuseFile(`The record on line ${state.open.line} goes on in line ${line}; it lacks the ^ at its end.`)
    if (lettersRead.includes(letter) && !isRepeated) state.open.fields.set(letter, value)
  }
}

function readHeader(state: State, content: string): void {
  if (/^!account/i.test(content)) state.kind = 'account'
  else if (moneyTypes.test(content)) {
    state.kind = 'money'
    state.limits.countStatement()
    state.sections.push({ account: state.account, records: [] })
  } else if (/^!type/i.test(content)) state.kind = 'other'
  // Options such as AutoSwitch do not change the meaning of what follows.
}

function endRecord(state: State): void {
  const record = state.open
  state.open = null
  if (record === null) return
  if (state.kind === 'account') state.account = cleanText(record.fields.get('N') ?? '') ?? state.account
  else if (state.kind === 'money') {
    state.limits.countRow()
    state.sections.at(-1)?.records.push(record)
  }
}
