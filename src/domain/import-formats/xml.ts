import { parseXml, XmlCdata, XmlElement, XmlText } from '@rgrove/parse-xml'
import { refuseFile } from './problems.ts'

const maxDepth = 100
const maxElements = 500_000

/** Parses XML strictly: no document types and so no entities but the five of XML, and no endless nesting. */
export function parseStrictXml(text: string): XmlElement {
  const doctype = text.search(/<!(?:DOCTYPE|ENTITY)/i)
  if (doctype >= 0)
    refuseFile(
      `The file contains a document type definition in line ${lineAt(text, doctype)}, which is not read.`,
    )
  refuseExcess(text)
  try {
    const { root } = parseXml(text)
    if (root) return root
  } catch (error) {
    // The library's message says what and where in its first line; the rest shows the text around it.
    const reason = error instanceof Error ? error.message.split('\n')[0] : ''
    refuseFile(`The file is not well-formed XML: ${reason}`)
  }
  refuseFile('The file holds no XML element.')
}

/** The name of an element without its namespace prefix. */
export function localName(element: XmlElement): string {
  return element.name.slice(element.name.indexOf(':') + 1)
}

/** The child elements of a name. */
export function childrenOf(element: XmlElement | undefined, name: string): XmlElement[] {
  return (element?.children ?? []).filter(
    (node): node is XmlElement => isElement(node) && localName(node) === name,
  )
}

/** The first element at the end of a path of names, each a child of the one before. */
export function at(element: XmlElement | undefined, ...path: string[]): XmlElement | undefined {
  return path.reduce<XmlElement | undefined>((from, name) => childrenOf(from, name)[0], element)
}

/** The text of the first element at the end of a path, trimmed; empty if there is none. */
export function textAt(element: XmlElement | undefined, ...path: string[]): string {
  return ownText(at(element, ...path))
}

/** The text right inside an element, trimmed. */
export function ownText(element: XmlElement | undefined): string {
  const parts = (element?.children ?? []).map((node) =>
    node instanceof XmlText || node instanceof XmlCdata ? node.text : '',
  )
  return parts.join('').trim()
}

/** The outermost elements of these names, in the order of the document. */
export function outermost(element: XmlElement, names: Set<string>): XmlElement[] {
  if (names.has(localName(element))) return [element]
  return element.children.flatMap((node) => (isElement(node) ? outermost(node, names) : []))
}

function isElement(node: unknown): node is XmlElement {
  return node instanceof XmlElement
}

/** The library calls itself for each level, and keeps every element: a file of nothing else would exhaust both. */
function refuseExcess(text: string): void {
  let depth = 0
  let elements = 0
  for (const [tag, slash, empty] of text.matchAll(/<(\/?)[^\s<>/!?][^<>]*?(\/?)>/g)) {
    if (slash) depth -= 1
    else elements += 1
    if (!slash && !empty) depth += 1
    if (depth > maxDepth)
      refuseFile(`The elements of the file are nested deeper than ${maxDepth}, at ${tag.slice(0, 40)}.`)
    if (elements > maxElements) refuseFile('The file has too many elements.')
  }
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}
