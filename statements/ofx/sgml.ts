import { pluralize } from '../../src/domain/pluralize.ts'
import { tokensOf } from '../shared/markup.ts'
import { maxRows, tooManyRows } from '../shared/problems.ts'
import { maxTextLength } from '../shared/text.ts'
import { refuseFile } from '../shared/unreadable.ts'

/**
 * An aggregate of an OFX file: its elements and the aggregates in it, with names in upper case. OFX 1.x is SGML, whose
 * elements need no end tags, and 2.x is XML (OFX 1.6, 2.3 "Open Financial Exchange file structure"). Banks mix the two,
 * so one parser reads both.
 */
export type OfxAggregate = { name: string; elements: Map<string, string>; children: OfxAggregate[] }

const maxDepth = 64
/** How many aggregates a file may have: an entry may have a payee and a currency. */
const maxAggregates = 4 * maxRows

const setOf = (names: string) => new Set(names.split(/\s+/))

/** What is kept of a file. All other tags are skipped, so that no amount of them can exhaust the memory. */
const keptElements = setOf(
  'CURDEF BANKID ACCTID ACCTTYPE TRNTYPE DTPOSTED DTUSER TRNAMT FITID CORRECTFITID CORRECTACTION NAME EXTDNAME MEMO CURSYM BALAMT DTASOF DTSERVER',
)
const keptAggregates =
  setOf(`OFX BANKMSGSRSV1 CREDITCARDMSGSRSV1 INVSTMTMSGSRSV1 STMTTRNRS CCSTMTTRNRS INVSTMTTRNRS INVTRANLIST INVBANKTRAN BAL
  STMTRS CCSTMTRS INVSTMTRS BANKACCTFROM CCACCTFROM INVACCTFROM BANKACCTTO CCACCTTO BANKTRANLIST STMTTRN STMTTRNP
  LEDGERBAL AVAILBAL PAYEE EXTDPAYEE CURRENCY ORIGCURRENCY`)

/** Aggregates that never contain one of the same kind: a second start tag ends one that the bank forgot to end. */
const notNested = setOf('STMTTRN STMTTRNP STMTRS CCSTMTRS INVSTMTRS BANKTRANLIST LEDGERBAL AVAILBAL')
/** The kind of an aggregate: all statements are of one. */
const kindOf = (name: string) => name.replace(/^(?:CC|INV)(?=STMTRS$)/, '')

/** Reads the body of an OFX file, from its first `<OFX>` on, into a tree of the parts that matter. Throws Unreadable. */
export function parseOfx(text: string): OfxAggregate {
  const outer = text.search(/<OFX\s*>/i)
  // Some banks leave out all that stands around the list of transactions.
  const start = outer >= 0 ? outer : text.search(/<(?:BANKTRANLIST|STMTTRN)\s*>/i)
  if (start < 0) refuseFile('The file has no <OFX> element.')
  const root: OfxAggregate = { name: '', elements: new Map(), children: [] }
  const open = [root]
  let element = { name: '', text: '' }
  let [aggregates, entries] = [0, 0]
  for (const [token] of tokensOf(text, start)) {
    if (token.kind === 'text') {
      if (element.text.length < maxTextLength) element.text += token.text
      continue
    }
    const { elements } = open.at(-1) ?? root
    const isFirst = keptElements.has(element.name) && !elements.has(element.name)
    if (isFirst && element.text.trim() !== '') elements.set(element.name, element.text.trim())
    const name = token.name.toUpperCase()
    const isOpen = token.kind === 'open'
    element = { name: isOpen ? name : '', text: '' }
    if (!keptAggregates.has(name)) continue
    const at = open.findLastIndex((one) => (isOpen ? kindOf(one.name) === kindOf(name) : one.name === name))
    // An end tag also ends what the bank forgot to end inside; a stray one is ignored.
    if (at > 0 && (!isOpen || notNested.has(name))) open.length = at
    if (isOpen) {
      const aggregate: OfxAggregate = { name, elements: new Map(), children: [] }
      open.at(-1)?.children.push(aggregate)
      open.push(aggregate)
      aggregates += 1
      if (name === 'STMTTRN') entries += 1
      if (entries > maxRows) refuseFile(tooManyRows)
      if (aggregates > maxAggregates || open.length > maxDepth) refuseFile('The file has too many elements.')
    }
  }
  if (open.length > 1)
    refuseFile(
      `The file ends before </OFX>, inside <${open.at(-1)?.name}> after ${pluralize(entries, 'transaction')}; it seems to be cut off.`,
    )
  return root
}
