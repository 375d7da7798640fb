import { readXml } from '../shared/markup.ts'
import { refuseFile } from '../shared/unreadable.ts'

/** What is kept of an element: its name without prefix, its own text, and its children. */
export type XmlElement = {
  name: string
  /** The attribute `Ccy`. */
  currency: string | undefined
  text: string
  children: XmlElement[]
}

/** Which elements are read, one after the other, wherever they are; and the names inside that are kept. */
type XmlPlan = { outermost: Set<string>; kept: Set<string> }

/** How many elements a child of an outermost element may have: enough for ten thousand transactions in full. */
const maxKept = 130_000

/**
 * Reads a document child by child, keeping one in memory at a time. `child` gets each child of an outermost element, and
 * `end` is called when that ends. Throws Unreadable.
 */
export function visitXml(
  text: string,
  { outermost, kept }: XmlPlan,
  child: (element: XmlElement) => void,
  end: () => void,
): void {
  /** The open elements, beginning with an outermost one; null stands for one that is skipped. */
  const open: (XmlElement | null)[] = []
  let count = 0
  readXml(text, {
    open(name, attributes) {
      if (open.length === 0 && !outermost.has(name)) return
      const isKept = open.length === 0 || (open.at(-1) !== null && kept.has(name))
      if (isKept) count += 1
      if (count > maxKept) refuseFile('The file has too many elements.')
      open.push(isKept ? { name, currency: attributes.get('Ccy'), text: '', children: [] } : null)
    },
    close(_, text) {
      const element = open.pop()
      if (!element) return
      element.text = text.trim()
      if (open.length > 1) open.at(-1)?.children.push(element)
      else count = 0
      if (open.length === 1) child(element)
      if (open.length === 0) end()
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
  return at(element, ...path)?.text ?? ''
}
