import { refuseFile } from './problems.ts'

/** Receives the contents of a document in order. Names include their prefixes. */
export type XmlListener = {
  open(name: string, attributes: ReadonlyMap<string, string>): void
  /** Raw text; its references are valid, and `decodeReferences` replaces them. */
  text(raw: string): void
  cdata(text: string): void
  close(): void
}

const maxDepth = 100
const maxElements = 500_000
const maxAttributes = 100
/** A reference takes far longer to check and replace than a letter does. */
const maxReferences = 300_000

const nameStart =
  ':A-Z_a-z\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u02ff\\u0370-\\u037d\\u037f-\\u1fff\\u200c\\u200d\\u2070-\\u218f\\u2c00-\\u2fef\\u3001-\\ud7ff\\uf900-\\ufdcf\\ufdf0-\\ufffd\\u{10000}-\\u{effff}'
const name = `[${nameStart}][-.0-9\\u00b7\\u0300-\\u036f\\u203f\\u2040${nameStart}]*`
const space = '[ \\t\\n\\r]'
const notCharacter = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u
const declaration =
  /<\?xml[ \t\n\r]+version[ \t\n\r]*=[ \t\n\r]*(["'])1\.\d+\1(?:[ \t\n\r]+encoding[ \t\n\r]*=[ \t\n\r]*(["'])[A-Za-z][\w.-]*\2)?(?:[ \t\n\r]+standalone[ \t\n\r]*=[ \t\n\r]*(["'])(?:yes|no)\3)?[ \t\n\r]*\?>/y
const startTag = new RegExp(`<(${name})`, 'uy')
const attribute = new RegExp(`${space}+(${name})${space}*=${space}*("[^"<]*"|'[^'<]*')`, 'uy')
const startTagEnd = new RegExp(`${space}*(/?)>`, 'uy')
const endTag = new RegExp(`</(${name})${space}*>`, 'uy')
const instruction = new RegExp(`<\\?(?!xml[ \\t\\n\\r?])(${name})(?:${space}|(?=\\?>))`, 'iuy')
const reference = /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([\da-fA-F]{1,6}));/y
const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/**
 * Reads an XML 1.0 document as a stream and keeps nothing of it. The document must be well-formed and have no document
 * type definition, so XML's own five entities are the only ones. Depth, elements and references are bounded. Throws
 * Invalid.
 */
export function readXml(text: string, listener: XmlListener): void {
  new XmlReader(text, listener).read()
}

/** The text with its references replaced. */
export function decodeReferences(raw: string): string {
  if (!raw.includes('&')) return raw
  return raw.replace(/&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|([a-z]{2,4}));/g, (whole, decimal, hex, entity) =>
    entity
      ? (entities[entity] ?? whole)
      : String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hex, 16)),
  )
}

class XmlReader {
  readonly #text: string
  readonly #listener: XmlListener
  readonly #open: string[] = []
  #at = 0
  #elements = 0
  #references = 0

  constructor(text: string, listener: XmlListener) {
    this.#text = text
    this.#listener = listener
  }

  read(): void {
    const doctype = this.#text.search(/<!(?:DOCTYPE|ENTITY)/i)
    if (doctype >= 0)
      refuseFile(
        `The file contains a document type definition on line ${this.#lineAt(doctype)}, which is not allowed.`,
      )
    const stray = this.#text.search(notCharacter)
    if (stray >= 0) this.#refuse('Invalid character', stray)
    this.#match(declaration)
    while (this.#at < this.#text.length) {
      if (this.#text[this.#at] === '<') this.#readMarkup()
      else this.#readText()
    }
    const unended = this.#open.at(-1)
    if (unended !== undefined) this.#refuse(`Missing end tag for element ${unended}`)
    if (this.#elements === 0) this.#refuse('Root element is missing or invalid')
  }

  #readMarkup(): void {
    const begins = (mark: string) => this.#text.startsWith(mark, this.#at)
    if (begins('</')) this.#readEndTag()
    else if (begins('<!--')) {
      this.#skip('<!--', '--', 'Unclosed comment')
      if (this.#text[this.#at] !== '>') this.#refuse("The string `--` isn't allowed inside a comment")
      this.#at += 1
    } else if (begins('<![CDATA[') && this.#open.length > 0)
      this.#listener.cdata(this.#skip('<![CDATA[', ']]>', 'Unclosed CDATA section'))
    else if (begins('<?')) {
      if (!this.#match(instruction)) this.#refuse('Invalid processing instruction')
      this.#skip('', '?>', 'Unterminated processing instruction')
    } else this.#readStartTag()
  }

  #readStartTag(): void {
    const isRoot = this.#open.length === 0
    if (isRoot && this.#elements > 0) this.#refuse('Extra content at the end of the document')
    const name = this.#match(startTag)?.[1]
    if (name === undefined) this.#refuse('Expected the name of an element')
    this.#elements += 1
    if (this.#elements > maxElements) refuseFile('The file has too many elements.')
    this.#listener.open(name, this.#readAttributes())
    const end = this.#match(startTagEnd)
    if (!end) this.#refuse(`Unclosed start tag for element ${name}`)
    if (end[1]) this.#listener.close()
    else this.#open.push(name)
    if (this.#open.length > maxDepth)
      refuseFile(`The elements of the file are nested more than ${maxDepth} deep, at <${name.slice(0, 40)}>.`)
  }

  #readAttributes(): Map<string, string> {
    const attributes = new Map<string, string>()
    for (let match = this.#match(attribute); match; match = this.#match(attribute)) {
      const [, name = '', quoted = ''] = match
      if (attributes.has(name)) this.#refuse(`Duplicate attribute: ${name.slice(0, 40)}`)
      if (attributes.size === maxAttributes) refuseFile('An element of the file has too many attributes.')
      this.#checkReferences(quoted, this.#at - quoted.length)
      // XML 1.0, 3.3.3: literal white space of any kind counts as a space.
      attributes.set(name, decodeReferences(quoted.slice(1, -1).replace(/\r\n|[\t\n\r]/g, ' ')))
    }
    return attributes
  }

  #readEndTag(): void {
    const expected = this.#open.pop()
    const start = this.#at
    const name = this.#match(endTag)?.[1]
    if (name === undefined || name !== expected)
      this.#refuse(expected ? `Missing end tag for element ${expected}` : 'Unexpected end tag', start)
    this.#listener.close()
  }

  #readText(): void {
    const end = this.#text.indexOf('<', this.#at)
    const stop = end < 0 ? this.#text.length : end
    const raw = this.#text.slice(this.#at, stop)
    if (this.#open.length === 0) {
      if (/[^ \t\n\r]/.test(raw)) this.#refuse('Text is not allowed outside of the root element')
    } else {
      if (raw.includes(']]>')) this.#refuse('Element content may not contain `]]>`')
      this.#checkReferences(raw, this.#at)
      this.#listener.text(raw)
    }
    this.#at = stop
  }

  /** Checks the references in a piece of text; searching the whole text would run to its end each time. */
  #checkReferences(piece: string, begin: number): void {
    for (let at = piece.indexOf('&'); at >= 0; at = piece.indexOf('&', at + 1)) {
      reference.lastIndex = at
      const [whole, entity, decimal, hex = ''] = reference.exec(piece) ?? []
      const code = decimal ? Number(decimal) : Number.parseInt(hex, 16)
      const isGood = entity || (code <= 0x10_ffff && !notCharacter.test(String.fromCodePoint(code)))
      this.#references += 1
      if (this.#references > maxReferences) refuseFile('The file has too many references, such as `&amp;`.')
      if (whole && isGood) continue
      const shown = /^&[^;\s<&]{0,40};?/.exec(piece.slice(at, at + 50))?.[0]
      this.#refuse(`This reference isn't defined: ${shown}`, begin + at)
    }
  }

  /** Moves past the next `end`, and returns what is between `begin` and `end`. */
  #skip(begin: string, end: string, problem: string): string {
    const from = this.#at + begin.length
    const found = this.#text.indexOf(end, from)
    if (found < 0) this.#refuse(problem)
    this.#at = found + end.length
    return this.#text.slice(from, found)
  }

  /** Moves past a match of the pattern at the current position, if there is one. */
  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const match = pattern.exec(this.#text)
    if (match) this.#at += match[0].length
    return match
  }

  #refuse(reason: string, at = this.#at): never {
    refuseFile(`The file is not well-formed XML: ${reason.slice(0, 100)} (line ${this.#lineAt(at)})`)
  }

  #lineAt(index: number): number {
    let line = 1
    for (let at = this.#text.indexOf('\n'); at >= 0 && at < index; at = this.#text.indexOf('\n', at + 1))
      line += 1
    return line
  }
}
