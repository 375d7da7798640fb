import { refuseFile } from '../problems.ts'
import { decodeReferences, readXml, type XmlListener } from './xml-reader.ts'

/** An element as much as it is of interest: its name without prefix, and its own text. */
export type XmlElement = {
  name: string
  /** The attribute `Ccy`. */
  currency: string | undefined
  text: string
  children: XmlElement[]
  /** Its children of those names of which there may be several. */
  repeated: XmlElement[] | null
}

/** What a document is read for. */
export type XmlPlan = {
  /** The outermost elements of these names are read, one after another. */
  outermost: Set<string>
  /** Of these names are the elements that are kept of them, each with what is kept inside; all else is passed over. */
  kept: Set<string>
  /** Of these an element keeps several, of all others the first. */
  several: Set<string>
}

/** Hears of the outermost elements as they begin and end, and of their children as each is complete. */
export type XmlVisitor = { begin(): void; child(element: XmlElement): void; end(): void }

/** So much is kept of one child of an outermost element: ten thousand transactions of a batch, fully stated. */
const maxKept = 130_000
/** Of a text no more is ever looked at (text.ts). */
const maxText = 20_000

/** Reads a document child by child, so that no more than one is held in memory. Throws Invalid. */
export function visitXml(text: string, plan: XmlPlan, visitor: XmlVisitor): void {
  readXml(text, new Visit(plan, visitor))
}

/** The child elements of a name of which there may be several. */
export function childrenOf(element: XmlElement | undefined, name: string): XmlElement[] {
  return element?.repeated?.filter((child) => child.name === name) ?? []
}

/** The first element at the end of a path of names, each a child of the one before; of no name there are several. */
export function at(element: XmlElement | undefined, ...path: string[]): XmlElement | undefined {
  return path.reduce<XmlElement | undefined>(
    (from, name) => from?.children.find((child) => child.name === name),
    element,
  )
}

/** The text of the first element at the end of a path, trimmed; empty if there is none. */
export function textAt(element: XmlElement | undefined, ...path: string[]): string {
  return ownText(at(element, ...path))
}

/** The text right inside an element, trimmed. */
export function ownText(element: XmlElement | undefined): string {
  return element?.text.trim() ?? ''
}

class Visit implements XmlListener {
  readonly #plan: XmlPlan
  readonly #visitor: XmlVisitor
  /** The elements that are open from an outermost one on; null is passed over, with all that is in it. */
  readonly #open: (XmlElement | null)[] = []
  /** How many elements are open around it. */
  #around = 0
  #kept = 0

  constructor(plan: XmlPlan, visitor: XmlVisitor) {
    this.#plan = plan
    this.#visitor = visitor
  }

  open(name: string, attributes: ReadonlyMap<string, string>): void {
    const local = name.slice(name.indexOf(':') + 1)
    const parent = this.#open.at(-1)
    if (parent === undefined) {
      if (!this.#plan.outermost.has(local)) this.#around += 1
      else {
        this.#open.push(elementOf(local, attributes))
        this.#visitor.begin()
      }
    } else
      this.#open.push(parent && this.#isKept(local, parent) ? this.#keep(local, attributes, parent) : null)
  }

  text(raw: string): void {
    const element = this.#open.at(-1)
    // Space between elements is nothing that anybody reads.
    if (element && (element.text !== '' || raw.trim() !== ''))
      append(element, decodeReferences(raw.slice(0, maxText)))
  }

  cdata(text: string): void {
    const element = this.#open.at(-1)
    if (element) append(element, text)
  }

  close(): void {
    const element = this.#open.pop()
    if (element === undefined) this.#around -= 1
    else if (this.#open.length === 0) this.#visitor.end()
    else if (this.#open.length === 1 && element) {
      this.#kept = 0
      this.#visitor.child(element)
    }
  }

  #isKept(name: string, parent: XmlElement): boolean {
    const { kept, several } = this.#plan
    if (!kept.has(name)) return false
    return several.has(name) || !parent.children.some((child) => child.name === name)
  }

  #keep(name: string, attributes: ReadonlyMap<string, string>, parent: XmlElement): XmlElement {
    this.#kept += 1
    if (this.#kept > maxKept) refuseFile('The file has too many elements.')
    const element = elementOf(name, attributes)
    // Children of an outermost element are handed over, not kept.
    if (this.#open.length === 1) return element
    if (this.#plan.several.has(name)) {
      parent.repeated ??= []
      parent.repeated.push(element)
    } else parent.children.push(element)
    return element
  }
}

function elementOf(name: string, attributes: ReadonlyMap<string, string>): XmlElement {
  return { name, currency: attributes.get('Ccy'), text: '', children: [], repeated: null }
}

function append(element: XmlElement, text: string): void {
  if (element.text.length < maxText) element.text += text.slice(0, maxText)
}
