/** Something the service knows by now, to be filled in when the request is sent: the nth own account, a foreign one … */
export class Known {
  readonly what: string
  readonly nth: number
  /** Written as text in JSON as well, which is one more spelling of an id. */
  readonly asText: boolean
  constructor(what: string, nth: number, asText = false) {
    this.what = what
    this.nth = nth
    this.asText = asText
  }
}

/** What is written into a body as it stands: numbers and texts that no JSON library would write. */
export class Raw {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** An object in which keys may come twice. */
export class Fields {
  readonly entries: [key: string, value: unknown][]
  constructor(entries: [key: string, value: unknown][]) {
    this.entries = entries
  }
}

/** What a `Known` currently stands for. */
export type Lookup = (known: Known) => string | number

/** Writes JSON, with everything that is known by now. */
export function writeJson(value: unknown, lookup: Lookup): string {
  if (value instanceof Raw) return value.text
  if (value instanceof Known) return JSON.stringify(value.asText ? writeText(value, lookup) : lookup(value))
  if (Array.isArray(value)) return `[${value.map((item) => writeJson(item, lookup)).join()}]`
  const entries = entriesOf(value)
  if (!entries) return JSON.stringify(value ?? null)
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${writeJson(item, lookup)}`).join()}}`
}

/** Writes a value for a path, a query or a form. */
export function writeText(value: unknown, lookup: Lookup): string {
  if (typeof value === 'string') return value
  if (value instanceof Known) return String(lookup(value))
  return writeJson(value, lookup)
}

/** The entries of an object of either kind; undefined for anything else. */
export function entriesOf(value: unknown): [key: string, value: unknown][] | undefined {
  if (value instanceof Fields) return value.entries
  const isPlain = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isPlain && !(value instanceof Raw || value instanceof Known) ? Object.entries(value) : undefined
}
