import { counted } from '../../../shared/counted.ts'
import { maxRows, refuseFile, tooManyRows } from '../problems.ts'
import { maxTextLength } from '../text.ts'

/**
 * An aggregate of an OFX file: its elements and the aggregates in it, with names in upper case. OFX 1.x is SGML, whose
 * elements need no end tags, and 2.x is XML (OFX 1.6, 2.3 "Open Financial Exchange file structure"). Banks mix the two,
 * so one parser reads both.
 */
export type OfxAggregate = { name: string; elements: Map<string, string>; children: OfxAggregate[] }

type Token = { open: string } | { close: string } | { text: string }

const maxDepth = 64
const maxTokens = 600_000
/** How many different names a file may use. */
const maxNames = 10_000
/** How many kept aggregates a file may have: an entry may have a payee and a currency, and banks add others. */
const maxKept = 4 * maxRows

const setOf = (names: string) => new Set(names.split(/\s+/))

/** What is kept of a file. The rest is skipped, so that no amount of it can exhaust the memory. */
const keptElements = setOf(
  'CURDEF BANKID ACCTID ACCTTYPE TRNTYPE DTPOSTED DTUSER TRNAMT FITID NAME EXTDNAME MEMO CURSYM BALAMT DTASOF SEVERITY MESSAGE',
)
const keptAggregates =
  setOf(`STMTRS CCSTMTRS INVSTMTRS BANKACCTFROM CCACCTFROM INVACCTFROM STMTTRN STMTTRNP LEDGERBAL
  PAYEE EXTDPAYEE CURRENCY STATUS`)

/** The other aggregates that are known. Any other start tag without text may be an empty element. */
const otherAggregates =
  setOf(`OFX SIGNONMSGSRSV1 SONRS FI BANKMSGSRSV1 CREDITCARDMSGSRSV1 INVSTMTMSGSRSV1 STMTTRNRS
  CCSTMTTRNRS INVSTMTTRNRS BANKTRANLIST BANKTRANLISTP INVTRANLIST INVBANKTRAN AVAILBAL BANKACCTTO CCACCTTO ORIGCURRENCY
  BALLIST BAL IMAGEDATA`)

/** The other elements that are known. They are never taken for aggregates, even if a bank gives them an end tag. */
const otherElements =
  setOf(`DTAVAIL CORRECTFITID CORRECTACTION SRVRTID CHECKNUM REFNUM SIC PAYEEID INV401KSOURCE
  CURRATE DTSTART DTEND BRANCHID ACCTKEY CODE SUBACCTFUND`)

/** Aggregates that never contain one of the same name: a second start tag ends one that the bank forgot to end. */
const notNested = setOf('STMTTRN STMTTRNP STMTRS CCSTMTRS INVSTMTRS BANKTRANLIST LEDGERBAL AVAILBAL')

/** Reads the body of an OFX file, from `<OFX>` to `</OFX>`, into a tree of the parts that matter. Throws Invalid. */
export function parseOfx(text: string): OfxAggregate {
  const outer = text.search(/<OFX\s*>/i)
  // Some banks leave out all that stands around the list of transactions.
  const start = outer >= 0 ? outer : text.search(/<(?:BANKTRANLIST|STMTTRN)\s*>/i)
  if (start < 0) refuseFile('The file has no <OFX> element.')
  if (/<!(?:DOCTYPE|ENTITY)/i.test(text))
    refuseFile('The file contains a document type definition, which is not allowed.')
  // Tokens are read twice rather than kept, so that only the tree is in memory.
  const aggregates = aggregateNames(tokensOf(text, start))
  const tokens = tokensOf(text, start)
  return new TreeBuilder().build(outer >= 0 ? tokens : enclosed(tokens), aggregates)
}

/** The tokens of a file without an outer element, in one. The last of them must be an end tag, or the file was cut off. */
function* enclosed(tokens: Iterable<Token>): Generator<Token> {
  let isEnded = false
  yield { open: 'OFX' }
  for (const token of tokens) {
    isEnded = 'close' in token
    yield token
  }
  if (isEnded) yield { close: 'OFX' }
}

function* tokensOf(text: string, start: number): Generator<Token> {
  let tokens = 0
  let pending: { text: string } | null = null
  for (let at = start; at < text.length; ) {
    const { found, end } = text[at] === '<' ? markupAt(text, at) : textAt(text, at)
    at = end
    for (const token of found) {
      const isText = 'text' in token
      if (isText && pending && !token.isCdata)
        pending.text += token.text.slice(0, maxTextLength - pending.text.length)
      else if (isText && !token.isCdata && token.text.trim() === '') continue
      else {
        if (pending) yield pending
        pending = isText ? { text: token.text.slice(0, maxTextLength) } : null
        if (!isText) yield token
        tokens += 1
        if (tokens > maxTokens) refuseFile('The file has too many elements.')
      }
    }
  }
  if (pending) yield pending
}

type Piece = { open: string } | { close: string } | { text: string; isCdata: boolean }
type Found = { found: Piece[]; end: number }

const tag = /<(\/?)([A-Za-z][\w.:-]{0,63})\s*(\/?)>/y

/** Reads one tag, comment, CDATA section or processing instruction; any other `<` is text. */
function markupAt(text: string, at: number): Found {
  if (text.startsWith('<!--', at)) return { found: [], end: after(text, '-->', at) }
  if (text.startsWith('<?', at)) return { found: [], end: after(text, '?>', at) }
  if (text.startsWith('<![CDATA[', at)) {
    const end = after(text, ']]>', at)
    const raw = text.slice(
      at + 9,
      Math.min(text.startsWith(']]>', end - 3) ? end - 3 : end, at + 9 + maxTextLength),
    )
    return { found: [{ text: raw.replaceAll('&', '&amp;'), isCdata: true }], end }
  }
  tag.lastIndex = at
  const match = tag.exec(text)
  if (!match) return textAt(text, at)
  const [whole, isEnd, name = '', isEmpty] = match
  const end = at + whole.length
  const folded = name.toUpperCase()
  if (isEnd) return { found: [{ close: folded }], end }
  return { found: isEmpty ? [{ open: folded }, { close: folded }] : [{ open: folded }], end }
}

function textAt(text: string, at: number): Found {
  const next = text.indexOf('<', at + 1)
  const end = next < 0 ? text.length : next
  return { found: [{ text: text.slice(at, end), isCdata: false }], end }
}

function after(text: string, mark: string, at: number): number {
  const end = text.indexOf(mark, at)
  return end < 0 ? text.length : end + mark.length
}

/** The names of aggregates in this file: the known ones, and others that have an end tag and never hold text. */
function aggregateNames(tokens: Iterable<Token>): Set<string> {
  const withText = new Set<string>()
  const closed = new Set<string>()
  let opened: string | null = null
  for (const token of tokens) {
    if ('text' in token && opened !== null) withText.add(opened)
    if ('close' in token) closed.add(token.close)
    opened = 'open' in token ? token.open : null
    if (withText.size + closed.size > maxNames) refuseFile('The file has too many kinds of elements.')
  }
  for (const known of [withText, keptElements, otherElements]) for (const name of known) closed.delete(name)
  return new Set([...keptAggregates, ...otherAggregates, ...closed])
}

class TreeBuilder {
  readonly #root: OfxAggregate = { name: '', elements: new Map(), children: [] }
  readonly #stack = [this.#root]
  #kept = 0
  #entries = 0

  build(tokens: Iterable<Token>, aggregates: Set<string>): OfxAggregate {
    let element: string | null = null
    for (const token of tokens) {
      if ('open' in token) {
        element = aggregates.has(token.open) ? null : token.open
        if (element === null) this.#open(token.open)
      } else if ('close' in token) {
        element = null
        if (aggregates.has(token.close)) this.#close(token.close)
        if (this.#stack.length === 1) break
      } else if (element !== null && keptElements.has(element)) {
        const { elements } = this.#stack.at(-1) ?? this.#root
        if (!elements.has(element)) elements.set(element, decodeEntities(token.text).trim())
      }
    }
    if (this.#stack.length > 1)
      refuseFile(
        `The file ends before </OFX>, inside <${this.#stack.at(-1)?.name}> after ${counted(this.#entries, 'transaction')}; it seems to be cut off.`,
      )
    return this.#root
  }

  #open(name: string): void {
    const stack = this.#stack
    const unended = notNested.has(name) ? stack.findIndex((aggregate) => aggregate.name === name) : -1
    if (unended > 0) this.#endTo(unended)
    if (stack.length > maxDepth) refuseFile('The elements of the file are nested too deeply.')
    if (name === 'STMTTRN') this.#entries += 1
    if (this.#entries > maxRows) refuseFile(tooManyRows)
    const aggregate: OfxAggregate = { name, elements: new Map(), children: [] }
    stack.at(-1)?.children.push(aggregate)
    stack.push(aggregate)
  }

  /** Ends an aggregate, and those in it that the bank forgot to end. A stray end tag is ignored. */
  #close(name: string): void {
    const at = this.#stack.findLastIndex((aggregate) => aggregate.name === name)
    if (at > 0) this.#endTo(at)
  }

  /** Ends what is open beyond this depth, and drops what is not kept and contains nothing that is. */
  #endTo(depth: number): void {
    while (this.#stack.length > depth) {
      const ended = this.#stack.pop()
      if (!ended) return
      if (keptAggregates.has(ended.name) || ended.children.length > 0) this.#kept += 1
      else this.#stack.at(-1)?.children.pop()
      if (this.#kept > maxKept) refuseFile('The file has too many elements.')
    }
  }
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

/** Decodes the escapes of OFX (1.6, 2.3.2.1) and numeric references, once; anything else stays as it is. */
function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z]{2,6}));/g,
    (whole, decimal, hex, name) => {
      if (name) return entities[String(name).toLowerCase()] ?? whole
      const code = decimal ? Number(decimal) : Number.parseInt(hex, 16)
      return code > 0x10_ffff || (code >= 0xd800 && code <= 0xdfff) ? '\ufffd' : String.fromCodePoint(code)
    },
  )
}
