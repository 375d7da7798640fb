import { maxTextLength } from './text.ts'
import { refuseFile } from './unreadable.ts'

/** A tag or a text of an XML or SGML document. An empty element (`<a/>`) is opened and closed. */
export type Token =
  | { kind: 'open'; name: string; attributes: string }
  | { kind: 'close'; name: string }
  | { kind: 'text'; text: string }

export type Attributes = ReadonlyMap<string, string>

/** Receives the elements of an XML document in order. Names are without their prefixes, texts without those of children. */
type XmlListener = {
  open?: (name: string, attributes: Attributes) => void
  close?: (name: string, text: string) => void
}

const maxDepth = 100
const maxTokens = 1_500_000
const tag =
  /<(\/?)([A-Za-z_\u0080-\uffff][\w.:\u0080-\uffff-]{0,99})(?=[\s/>])([^<>"']*(?:(?:"[^"<]*"|'[^'<]*')[^<>"']*){0,100})>/y
const attribute = /\s*([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/y
/** Markup that holds no text, with its end: comments and processing instructions. */
const skipped: [string, string][] = [
  ['<!--', '-->'],
  ['<?', '?>'],
]
const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

/** Reads an XML document as a stream and keeps nothing of it; its elements must be nested. Throws Unreadable. */
export function readXml(xml: string, listener: XmlListener): void {
  const open: { name: string; text: string }[] = []
  const refuse = (at: number) =>
    refuseFile(
      `The file is not well-formed XML: ${open.length > 0 ? `Missing end tag for element ${open.at(-1)?.name}` : 'Unexpected tag'} (line ${lineAt(xml, at)})`,
    )
  let isEnded = false
  for (const [token, at] of tokensOf(xml)) {
    const last = open.at(-1)
    if (isEnded && token.kind !== 'text') refuse(at)
    if (token.kind === 'open') {
      open.push({ name: token.name, text: '' })
      if (open.length > maxDepth)
        refuseFile(`The elements of the file are nested more than ${maxDepth} deep.`)
      listener.open?.(localName(token.name), attributesOf(token.attributes))
    } else if (token.kind === 'close') {
      if (last?.name !== token.name) refuse(at)
      open.pop()
      isEnded = open.length === 0
      listener.close?.(localName(token.name), last?.text ?? '')
    } else if (xml[at] === '<' && xml[at + 1] !== '!') refuse(at)
    else if (last && last.text.length < maxTextLength) last.text += token.text
  }
  if (open.length > 0) refuse(xml.length)
}

/**
 * Yields the tags and texts of a document, each with its index. A `<` that begins no tag is text. There must be no document
 * type definition, so that the entities of XML are the only ones; other references stay as they are. Throws Unreadable.
 */
export function* tokensOf(text: string, start = 0): Generator<[Token, number]> {
  const doctype = text.search(/<!(?:DOCTYPE|ENTITY)/i)
  if (doctype >= 0)
    refuseFile(
      `The file contains a document type definition on line ${lineAt(text, doctype)}, which is not allowed.`,
    )
  let tokens = 0
  for (let at = start; at < text.length; ) {
    tokens += 1
    if (tokens > maxTokens) refuseFile('The file has too many elements.')
    tag.lastIndex = at
    const match = text[at] === '<' ? tag.exec(text) : null
    const skip = match ? undefined : skipped.find(([mark]) => text.startsWith(mark, at))
    if (skip) at = endOf(text, skip[1], at) + skip[1].length
    else if (text.startsWith('<![CDATA[', at)) {
      const end = endOf(text, ']]>', at)
      yield [{ kind: 'text', text: text.slice(at + 9, Math.min(end, at + 9 + maxTextLength)) }, at]
      at = end + 3
    } else if (match) {
      const [whole, isEnd, name = '', attributes = ''] = match
      if (!isEnd) yield [{ kind: 'open', name, attributes }, at]
      if (isEnd || attributes.endsWith('/')) yield [{ kind: 'close', name }, at]
      at += whole.length
    } else {
      const end = endOf(text, '<', at + 1)
      yield [{ kind: 'text', text: withoutReferences(text.slice(at, Math.min(end, at + maxTextLength))) }, at]
      at = end
    }
  }
}

const noAttributes: Attributes = new Map()

function attributesOf(attributes: string): Attributes {
  if (attributes === '') return noAttributes
  const found = new Map<string, string>()
  attribute.lastIndex = 0
  for (let match = attribute.exec(attributes); match; match = attribute.exec(attributes))
    found.set(match[1] ?? '', withoutReferences((match[2] ?? match[3] ?? '').replace(/\r\n|[\t\n\r]/g, ' ')))
  return found
}

function withoutReferences(raw: string): string {
  if (!raw.includes('&')) return raw
  return raw.replace(
    /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z]{2,6}));/g,
    (whole, decimal, hex, name) => {
      if (name) return entities[String(name).toLowerCase()] ?? whole
      const code = decimal ? Number(decimal) : Number.parseInt(hex, 16)
      return code > 0x10_ffff || (code >= 0xd800 && code <= 0xdfff) ? '\ufffd' : String.fromCodePoint(code)
    },
  )
}

const localName = (name: string) => name.slice(name.indexOf(':') + 1)

function endOf(text: string, mark: string, from: number): number {
  const end = text.indexOf(mark, from)
  return end < 0 ? text.length : end
}

function lineAt(text: string, index: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < index; at = text.indexOf('\n', at + 1)) line += 1
  return line
}
