import { linesOf } from '../lines.ts'
import { type Problems, refuseFile } from '../problems.ts'
import { cleanText } from '../text.ts'

/** Those fields of a transaction that are read, by their letter; the lines of a split are not. */
export type QifRecord = { line: number; fields: Map<string, string> }

/** The transactions under one header, and the account that the last `!Account` block named. */
export type QifSection = { account: string | null; records: QifRecord[] }

/** Headers of money transactions. Others hold categories, securities and the like. */
const moneyTypes = /^!type:\s*(?:bank|cash|ccard|credit ?card|oth ?[al]|savings|checking)/i

/** Date, amounts (T or U), number (an account's name), payee, memo and category. */
const lettersRead = 'DTUNPML'

/** Splits a QIF file into its sections and records, each of which ends with `^`. Throws Invalid. */
export function splitQif(text: string, problems: Problems): QifSection[] {
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
    } else open = addField(open ?? { line, fields: new Map() }, content, line, kind)
    // Options such as AutoSwitch do not change the meaning of what follows.
    if (/^!account/i.test(content)) kind = 'account'
    else if (/^!type/i.test(content)) kind = 'other'
    if (!moneyTypes.test(content)) continue
    problems.countStatement()
    kind = 'money'
    sections.push({ account, records: [] })
  }
  if (open)
    refuseFile(`The file ends before the ^ of the record on line ${open.line}; it seems to be cut off.`)
  return sections
}

function addField(record: QifRecord, content: string, line: number, kind: string): QifRecord {
  const letter = (content[0] ?? '').toUpperCase()
  const isRepeated = record.fields.has(letter)
  // A second date or amount. The next line of a memo may begin with D or T too, but hardly with a number after it.
  if (isRepeated && kind === 'money' && /^[DT]\s*[-+]?[.\d]/i.test(content))
    refuseFile(`The record on line ${record.line} goes on in line ${line}; it lacks the ^ at its end.`)
  if (lettersRead.includes(letter) && !isRepeated) record.fields.set(letter, content.slice(1).trim())
  return record
}
