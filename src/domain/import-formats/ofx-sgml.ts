import { refuseFile } from './problems.ts'

/**
 * An aggregate of an OFX file: its elements, and the aggregates in it. Names are in upper case.
 * OFX 1.x is SGML whose elements need no end tag, 2.x is XML; banks mix the two, so both are read alike
 * (OFX 1.6, 2.3 "Open Financial Exchange file structure").
 */
export type OfxAggregate = {
  name: string
  elements: Map<string, string>
  children: OfxAggregate[]
}

type Token = { open: string } | { close: string } | { text: string }

const maxDepth = 64
const maxTokens = 600_000

/** Aggregates that hold others of which we read some; a start tag without text that is none of them may be empty. */
const knownAggregates = new Set(
  (
    'OFX SIGNONMSGSRSV1 SONRS STATUS FI BANKMSGSRSV1 CREDITCARDMSGSRSV1 INVSTMTMSGSRSV1 STMTTRNRS CCSTMTTRNRS ' +
    'INVSTMTTRNRS STMTRS CCSTMTRS INVSTMTRS BANKACCTFROM CCACCTFROM INVACCTFROM BANKTRANLIST BANKTRANLISTP ' +
    'INVTRANLIST INVBANKTRAN STMTTRN STMTTRNP LEDGERBAL AVAILBAL PAYEE EXTDPAYEE BANKACCTTO CCACCTTO CURRENCY ' +
    'ORIGCURRENCY BALLIST BAL IMAGEDATA'
  ).split(' '),
)

/** Elements that stay elements even when they are empty and a sloppy bank closes them elsewhere. */
const knownElements = new Set(
  (
    'TRNTYPE DTPOSTED DTUSER DTAVAIL TRNAMT FITID CORRECTFITID CORRECTACTION SRVRTID CHECKNUM REFNUM SIC PAYEEID ' +
    'NAME EXTDNAME MEMO INV401KSOURCE CURDEF CURSYM CURRATE BALAMT DTASOF DTSTART DTEND BANKID BRANCHID ACCTID ' +
    'ACCTTYPE ACCTKEY CODE SEVERITY MESSAGE SUBACCTFUND'
  ).split(' '),
)

/** These cannot stand in one of their own: the start of one ends one that a bank forgot to end. */
const notNested = new Set(
  'STMTTRN STMTTRNP STMTRS CCSTMTRS INVSTMTRS BANKTRANLIST LEDGERBAL AVAILBAL'.split(' '),
)

/** Reads the body of an OFX file, from `<OFX>` to `</OFX>`, into a tree. */
export function parseOfx(text: string): OfxAggregate {
  const start = text.search(/<OFX\s*>/i)
  if (start < 0) refuseFile('The file has no <OFX> element.')
  if (/<!(?:DOCTYPE|ENTITY)/i.test(text))
    refuseFile('The file contains a document type definition, which is not read.')
  const tokens = tokenize(text, start)
  return buildTree(tokens, aggregateNames(tokens))
}

function tokenize(text: string, start: number): Token[] {
  const tokens: Token[] = []
  let at = start
  while (at < text.length) {
    if (tokens.length > maxTokens) refuseFile('The file has too many elements.')
    const next = text[at] === '<' ? readMarkup(text, at, tokens) : readText(text, at, tokens)
    at = next
  }
  return tokens
}

/** Reads one tag, comment, CDATA section or processing instruction; a `<` that begins none is text. */
function readMarkup(text: string, at: number, tokens: Token[]): number {
  if (text.startsWith('<!--', at)) return after(text, '-->', at)
  if (text.startsWith('<?', at)) return after(text, '?>', at)
  if (text.startsWith('<![CDATA[', at)) {
    const end = text.indexOf(']]>', at)
    tokens.push({ text: text.slice(at + 9, end < 0 ? undefined : end).replaceAll('&', '&amp;') })
    return end < 0 ? text.length : end + 3
  }
  const tag = /<(\/?)([A-Za-z][\w.:-]{0,63})\s*(\/?)>/y
  tag.lastIndex = at
  const match = tag.exec(text)
  if (!match) return readText(text, at, tokens)
  const name = (match[2] ?? '').toUpperCase()
  if (match[1]) tokens.push({ close: name })
  else {
    tokens.push({ open: name })
    if (match[3]) tokens.push({ close: name })
  }
  return at + match[0].length
}

function readText(text: string, at: number, tokens: Token[]): number {
  const end = text.indexOf('<', at + 1)
  const stop = end < 0 ? text.length : end
  const raw = text.slice(at, stop)
  const last = tokens.at(-1)
  if (last && 'text' in last) last.text += raw
  else if (raw.trim() !== '') tokens.push({ text: raw })
  return stop
}

function after(text: string, mark: string, at: number): number {
  const end = text.indexOf(mark, at)
  return end < 0 ? text.length : end + mark.length
}

/** The names that are aggregates in this file: known ones, and others that never hold text and do have an end tag. */
function aggregateNames(tokens: Token[]): Set<string> {
  const withText = new Set<string>()
  const closed = new Set<string>()
  tokens.forEach((token, i) => {
    const next = tokens[i + 1]
    if ('open' in token && next && 'text' in next) withText.add(token.open)
    if ('close' in token) closed.add(token.close)
  })
  const names = [...closed].filter((name) => !withText.has(name) && !knownElements.has(name))
  return new Set([...knownAggregates, ...names])
}

function buildTree(tokens: Token[], aggregates: Set<string>): OfxAggregate {
  const root: OfxAggregate = { name: '', elements: new Map(), children: [] }
  const stack = [root]
  let element: string | null = null
  for (const token of tokens) {
    if ('open' in token) {
      element = aggregates.has(token.open) ? null : token.open
      if (element === null) openAggregate(stack, token.open)
    } else if ('close' in token) {
      element = null
      if (aggregates.has(token.close)) closeAggregate(stack, token.close)
      if (stack.length === 1) break
    } else if (element !== null) {
      const { elements } = stack.at(-1) ?? root
      if (!elements.has(element)) elements.set(element, decodeEntities(token.text).trim())
    }
  }
  if (stack.length > 1) refuseTruncated(stack, root)
  return root.children[0] ?? root
}

function openAggregate(stack: OfxAggregate[], name: string): void {
  if (notNested.has(name)) {
    const unended = stack.findIndex((aggregate) => aggregate.name === name)
    if (unended > 0) stack.length = unended
  }
  if (stack.length > maxDepth) refuseFile('The elements of the file are nested too deep.')
  const aggregate: OfxAggregate = { name, elements: new Map(), children: [] }
  stack.at(-1)?.children.push(aggregate)
  stack.push(aggregate)
}

/** Ends an aggregate and those in it that a bank forgot to end; an end tag of none is passed over. */
function closeAggregate(stack: OfxAggregate[], name: string): void {
  const at = stack.findLastIndex((aggregate) => aggregate.name === name)
  if (at > 0) stack.length = at
}

function refuseTruncated(stack: OfxAggregate[], root: OfxAggregate): never {
  const entries = countOf(root, 'STMTTRN')
  const inside = stack.at(-1)?.name
  refuseFile(
    `The file ends before </OFX>, inside <${inside}> after ${entries} transactions; it seems to be cut off.`,
  )
}

function countOf(aggregate: OfxAggregate, name: string): number {
  return aggregate.children.reduce(
    (sum, child) => sum + (child.name === name ? 1 : 0) + countOf(child, name),
    0,
  )
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

/** The escapes of OFX (1.6, 2.3.2.1) and numeric ones; anything else stays as it is, and nothing is decoded twice. */
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
