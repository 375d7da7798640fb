import { parseMultipart } from '@remix-run/multipart-parser'
import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { isBlank, isStorable, normaliseText, trimText } from '../domain/texts.ts'
import { Invalid } from '../failures/failures.ts'
import type { App } from '../http/app-types.ts'
import { isJson, jsonText, parseJson, receiveBody } from '../http/request-body.ts'
import { isObject, toDraft } from '../http/validate.ts'
import { type ImportOptions, importOptions, maxFileMegabytes, maxMappingEntries } from './contract.ts'

const maxFileBytes = maxFileMegabytes * 1024 * 1024
/** The most bytes that a form may add to its file. */
const maxFormBytes = 64 * 1024
const tooLarge = `The file must not be larger than ${maxFileMegabytes} MB.`
/** Objects, lists and named values in a JSON body: an item has a dozen, and may have more that are ignored. */
const maxJsonParts = 300_000
/** A form has a file and a handful of options; this leaves room for ignored fields. */
const maxFormFields = 100
/** The longest name of an entry, such as a word for a state. */
const maxMappedName = 100
/** The most characters that are kept of the name of a file. */
const maxFileName = 255
/** The options that hold several texts. */
const severalTexts = ['mapping', 'states', 'marks'] as const

/** The rows or the file of a request: JSON, a form or a raw file (docs/contract.md, Imports). */
type ImportInput =
  | { kind: 'rows'; transactions: unknown; options: ImportOptions }
  | { kind: 'file'; bytes: Uint8Array; fileName: string | null; options: ImportOptions }

type Bytes = Uint8Array<ArrayBuffer>
type Query = Record<string, string>

/** Receives the body of an import. */
export const receiveImport = receiveBody(maxFileBytes + maxFormBytes, tooLarge)

/** Reads JSON, a form or a raw file, by the content type. Throws Invalid, 400 if malformed, 413 for a large file. */
export async function readImportInput(c: Context<App>, bytes: Bytes): Promise<ImportInput> {
  if (isJson(c)) return readJson(bytes, c.req.query())
  const contentType = c.req.header('Content-Type') ?? ''
  if (/^multipart\/form-data/i.test(contentType)) return readForm(bytes, contentType, c.req.query())
  return readFile({ bytes, fileName: null }, c.req.query(), {})
}

function readJson(bytes: Bytes, query: Query): ImportInput {
  const text = jsonText(bytes)
  refuseManyParts(text)
  const parsed = parseJson(text)
  const body = isObject(parsed) ? parsed : {}
  // Only the options are read: a body may have a hundred thousand fields.
  const names = Object.keys(importOptions.shape).filter((name) => name in body)
  const options = Object.fromEntries(names.map((name) => [name, body[name]]))
  return { kind: 'rows', transactions: body.transactions, options: readOptions(query, options) }
}

/** Runs before parsing, which takes twenty times the memory of an object's two characters and ten times a name's. */
function refuseManyParts(json: string): void {
  let parts = 0
  let inText = false
  for (let i = 0; i < json.length; i += 1) {
    const character = json[i]
    if (inText && character === '\\') i += 1
    else if (character === '"') inText = !inText
    else if (!inText && (character === '{' || character === '[' || character === ':')) parts += 1
  }
  if (parts > maxJsonParts)
    throw new Invalid({
      transactions: [
        `The transactions field must not hold more than ${maxJsonParts} objects, lists and fields.`,
      ],
    })
}

async function readForm(bytes: Bytes, contentType: string, query: Query): Promise<ImportInput> {
  const boundary = boundaryOf(contentType)
  refuseLargeFrame(bytes, boundary)
  const headers = { 'Content-Type': `multipart/form-data; boundary="${boundary}"` }
  const body = new Response(bytes, { headers })
  const form = await body.formData().catch(() => parseForm(bytes, boundary))
  if (form.getAll('file').length > 1) throw new Invalid({ file: ['The file field must be one file.'] })
  const { file, ...fields } = Object.fromEntries(form) as Query & { file?: File | string }
  if (file === undefined) throw new Invalid({ file: ['The file field is required.'] })
  const content =
    typeof file === 'string' ? new TextEncoder().encode(file) : new Uint8Array(await file.arrayBuffer())
  const fileName = typeof file === 'string' ? null : shownName(file.name)
  return readFile({ bytes: content, fileName }, query, fields)
}

/** Reads the forms that the platform refuses: parameters without quotes, as .NET sends them, and padded boundaries. */
function parseForm(bytes: Bytes, boundary: string): FormData {
  const form = new FormData()
  const start = Buffer.from(bytes.buffer).indexOf(`--${boundary}`)
  try {
    for (const part of parseMultipart(bytes.subarray(start), { boundary, maxFileSize: bytes.byteLength })) {
      const name = part.name ?? malformedForm()
      if (part.isFile) form.append(name, new Blob([part.bytes]), part.filename)
      else form.append(name, part.text)
    }
  } catch {
    malformedForm()
  }
  return form
}

/** The separator of a form's fields: at most 70 characters (RFC 2046 §5.1.1), which bounds the search for it. */
function boundaryOf(contentType: string): string {
  const [, quoted, plain] =
    /;\s*boundary=(?:"([^"\\]{1,70})"|([^\s;"]{1,70}))\s*(?:;|$)/i.exec(contentType) ?? []
  return quoted ?? plain ?? malformedForm()
}

/** Runs before parsing: the platform takes seconds to parse tens of thousands of fields, or megabytes of headers. */
function refuseLargeFrame(bytes: Bytes, boundary: string): void {
  const form = Buffer.from(bytes.buffer)
  const delimiter = `--${boundary}`
  let headerBytes = 0
  let at = form.indexOf(delimiter)
  for (let fields = 0; at >= 0; fields += 1) {
    const end = form.indexOf('\r\n\r\n', at)
    headerBytes += (end < 0 ? form.length : end) - at
    if (fields > maxFormFields || headerBytes > maxFormBytes)
      throw new Invalid({
        body: [`The form must not have more than ${maxFormFields} fields, or 64 KB around them.`],
      })
    at = form.indexOf(delimiter, at + delimiter.length)
  }
}

function malformedForm(): never {
  throw new HTTPException(400, { message: 'Malformed form in request body' })
}

/** The name of a file as it is shown; null if it has none. */
function shownName(name: string): string | null {
  const text = trimText(normaliseText(name.slice(0, maxFileName).toWellFormed()))
  return isBlank(text) || !isStorable(text) ? null : text
}

function readFile(
  { bytes, fileName }: { bytes: Uint8Array; fileName: string | null },
  query: Query,
  fields: Query,
): ImportInput {
  if (bytes.byteLength > maxFileBytes) throw new HTTPException(413, { message: tooLarge })
  if (bytes.byteLength === 0) throw new Invalid({ file: ['The file is empty.'] })
  return { kind: 'file', bytes, fileName, options: readOptions(query, fields) }
}

/**
 * The body takes precedence over the query. Empty fields count as absent. In a form or a query, options that hold several
 * texts are JSON, or fields such as `mapping.amount`.
 */
function readOptions(query: Query, body: Record<string, unknown>): ImportOptions {
  const present = Object.fromEntries(
    [query, body].flatMap(Object.entries).filter(([, value]) => value !== '' && value !== null),
  )
  for (const name of severalTexts) {
    const value = present[name]
    if (typeof value === 'string') present[name] = parseMapping(value)
    const own = ownTexts(name, present)
    if (own.length > 0)
      present[name] = { ...(isObject(present[name]) ? present[name] : {}), ...Object.fromEntries(own) }
    refuseManyTexts(name, present[name])
  }
  const draft = toDraft(importOptions, present)
  if (!draft.complete) throw new Invalid(draft.errors)
  return draft.values
}

function parseMapping(json: string): unknown {
  // No fifty entries are that long, so the text is not parsed, and is refused as it is.
  if (json.length > maxFormBytes) return json
  try {
    return JSON.parse(json)
  } catch {
    return json
  }
}

/** Runs before the entries are checked, each of which could get an error of its own. */
function refuseManyTexts(option: string, texts: unknown): void {
  const names = isObject(texts) ? Object.keys(texts) : []
  if (names.length <= maxMappingEntries && names.every((name) => name.length <= maxMappedName)) return
  const text = `The ${option} field must not have more than ${maxMappingEntries} entries, or names longer than ${maxMappedName} characters.`
  throw new Invalid({ [option]: [text] })
}

/** The fields of a form or a query that are each one text of an option: `mapping.amount` is the `amount` of `mapping`. */
function ownTexts(option: string, present: Record<string, unknown>): [string, unknown][] {
  return Object.entries(present).flatMap(([name, value]): [string, unknown][] =>
    name.startsWith(`${option}.`) ? [[name.slice(option.length + 1), value]] : [],
  )
}
