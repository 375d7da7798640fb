import { attributesOf, readXml } from '../markup.ts'
import { refuseFile } from '../problems.ts'
import { maxTextLength } from '../text.ts'

/** What is kept of an element: its name without prefix, its own text, and its children. */
export type XmlElement = {
  name: string
  /** The attribute `Ccy`. */
  currency: string | undefined
  text: string
  children: XmlElement[]
}

/** Which parts of a document are read. */
export type XmlPlan = {
  /** The elements that are read, one after the other, wherever they are. */
  outermost: Set<string>
  /** The names of the elements inside that are kept; all others are skipped with their contents. */
  kept: Set<string>
}

/** Called when an outermost element begins and ends, and with each of its children once that is complete. */
export type XmlVisitor = { begin(): void; child(element: XmlElement): void; end(): void }

/** How many elements a child of an outermost element may have: enough for ten thousand transactions in full. */
const maxKept = 130_000

/** Reads a document child by child, keeping one in memory at a time. Throws Invalid. */
export function visitXml(text: string, { outermost, kept }: XmlPlan, visitor: XmlVisitor): void {
  /** The open elements, beginning with an outermost one; null stands for one that is skipped. */
  const open: (XmlElement | null)[] = []
  let count = 0
  readXml(text, {
    open(name, attributes) {
      const parent = open.at(-1)
      if (parent === undefined && !outermost.has(name)) return
      const isKept = parent === undefined || (parent !== null && kept.has(name))
      const currency = isKept && attributes !== '' ? attributesOf(attributes).get('Ccy') : undefined
      const element = isKept ? { name, currency, text: '', children: [] } : null
      open.push(element)
      if (parent === undefined) visitor.begin()
      // Children of an outermost element are passed on, not kept.
      else if (element && open.length > 2) parent?.children.push(element)
      if (element) count += 1
      if (count > maxKept) refuseFile('The file has too many elements.')
    },
    text(text) {
      const element = open.at(-1)
      // White space between elements has no meaning.
      if (element && element.text.length < maxTextLength && (element.text !== '' || text.trim() !== ''))
        element.text += text
    },
    close() {
      const element = open.pop()
      if (element && open.length === 0) visitor.end()
      if (!element || open.length !== 1) return
      count = 0
      visitor.child(element)
    },
  })
}

/** The children with this name. */
export function childrenOf(element: XmlElement | undefined, name: string): XmlElement[] {
  return element?.children.filter((child) => child.name === name) ?? []
}

/** The element at the end of a path of names. */
export function at(element: XmlElement | undefined, ...path: string[]): XmlElement | undefined {
  return path.reduce<XmlElement | undefined>(
    (from, name) => from?.children.find((child) => child.name === name),
    element,
  )
}

/** The trimmed text of the element at the end of a path; empty if there is none. */
export function textAt(element: XmlElement | undefined, ...path: string[]): string {
  return ownText(at(element, ...path))
}

/** The trimmed text of an element, without that of its children. */
export function ownText(element: XmlElement | undefined): string {
  return element?.text.trim() ?? ''
}
