import { refuseFile } from '../problems.ts'
import { maxTextLength } from '../text.ts'
import { decodeReferences, readXml, type XmlListener } from '../xml-reader.ts'

/** What is kept of an element: its name without prefix, its own text, and its children. */
export type XmlElement = {
  name: string
  /** The attribute `Ccy`. */
  currency: string | undefined
  text: string
  children: XmlElement[]
  /** Its children with names that may occur several times (`XmlPlan.several`). */
  repeated: XmlElement[] | null
}

/** Which parts of a document are read. */
export type XmlPlan = {
  /** The elements that are read, one after the other, wherever they are. */
  outermost: Set<string>
  /** The names of the elements inside that are kept; all others are skipped with their contents. */
  kept: Set<string>
  /** The names that several children of an element may have; of any other name, the first child is kept. */
  several: Set<string>
}

/** Called when an outermost element begins and ends, and with each of its children once that is complete. */
export type XmlVisitor = { begin(): void; child(element: XmlElement): void; end(): void }

/** How many elements a child of an outermost element may have: enough for ten thousand transactions in full. */
const maxKept = 130_000

/** Reads a document child by child, keeping one in memory at a time. Throws Invalid. */
export function visitXml(text: string, plan: XmlPlan, visitor: XmlVisitor): void {
  readXml(text, new Visit(plan, visitor))
}

/** The children with a name that may occur several times. */
export function childrenOf(element: XmlElement | undefined, name: string): XmlElement[] {
  return element?.repeated?.filter((child) => child.name === name) ?? []
}

/** The element at the end of a path of names, none of which occurs several times. */
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

class Visit implements XmlListener {
  readonly #plan: XmlPlan
  readonly #visitor: XmlVisitor
  /** The open elements, beginning with an outermost one; null stands for one that is skipped. */
  readonly #open: (XmlElement | null)[] = []
  /** How many elements are open around the outermost one. */
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
    // White space between elements has no meaning.
    if (element && (element.text !== '' || raw.trim() !== ''))
      append(element, decodeReferences(raw.slice(0, maxTextLength)))
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
    // Children of an outermost element are passed on, not kept.
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
  if (element.text.length < maxTextLength) element.text += text.slice(0, maxTextLength)
}
