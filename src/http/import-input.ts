import type { Context, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { HTTPException } from 'hono/http-exception'
import * as z from 'zod/mini'
import { Invalid } from '../domain/failures.ts'
import type { App } from './app-types.ts'
import { flag, id, prepared, text } from './fields.ts'
import { isJson, isObject, toDraft } from './validate.ts'

/** Largest file (decisions.md, Import); what a form adds around it comes on top. */
const maxFileBytes = 5 * 1024 * 1024
const maxFormBytes = 64 * 1024

const mappingText = 'The mapping field must be a JSON object of texts.'

/** What may be said beside the file: form fields, or query parameters where the file is the whole body. */
export const importOptions = z.object({
  account_id: z.optional(id),
  statement_account: z.optional(text()),
  delimiter: z.optional(
    z
      .string({ error: 'The :field field must be a string.' })
      .check(z.maxLength(20, 'The :field field must not be greater than 20 characters.')),
  ),
  date_format: z.optional(text(50)),
  decimal_separator: z.optional(z.enum(['.', ','], { error: 'The selected :field is invalid.' })),
  mapping: z.optional(z.record(z.string(), z.string({ error: mappingText }), { error: mappingText })),
  // Forms and queries know only words.
  dry_run: z.optional(
    prepared((input: unknown) => (input === 'true' ? true : input === 'false' ? false : input), flag),
  ),
})
export type ImportFields = z.output<typeof importOptions>

/** One of the three kinds of input (decisions.md, Import), read but not yet understood. */
export type ImportInput =
  | { kind: 'rows'; transactions: unknown; options: ImportFields }
  | { kind: 'file'; bytes: Uint8Array; options: ImportFields }

/** Refuses with 413 what no import can be. */
export const importBodyLimit: MiddlewareHandler<App> = bodyLimit({
  maxSize: maxFileBytes + maxFormBytes,
  onError: () => {
    throw new HTTPException(413, { message: 'The file must not be larger than 5 MB.' })
  },
})

/** Reads JSON, an uploaded form or a raw file, by the content type. Throws Invalid, and 400 for what is malformed. */
export async function readImportInput(c: Context<App>): Promise<ImportInput> {
  const contentType = c.req.header('Content-Type') ?? ''
  if (isJson(contentType)) return readJson(c)
  if (/^multipart\/form-data/i.test(contentType)) return readForm(c)
  return readFile(new Uint8Array(await c.req.arrayBuffer()), { ...c.req.query() })
}

async function readJson(c: Context<App>): Promise<ImportInput> {
  const body: unknown = await c.req.json().catch(() => {
    throw new HTTPException(400, { message: 'Malformed JSON in request body' })
  })
  const { transactions, ...options } = isObject(body) ? body : { transactions: undefined }
  return { kind: 'rows', transactions, options: readOptions({ ...c.req.query(), ...options }) }
}

async function readForm(c: Context<App>): Promise<ImportInput> {
  const form = await c.req.formData().catch(() => {
    throw new HTTPException(400, { message: 'Malformed form in request body' })
  })
  if (form.getAll('file').length > 1) throw new Invalid({ file: ['The file field must be one file.'] })
  const { file, ...fields } = Object.fromEntries(form) as Record<string, File | string>
  if (file === undefined) throw new Invalid({ file: ['The file field is required.'] })
  const bytes =
    typeof file === 'string' ? new TextEncoder().encode(file) : new Uint8Array(await file.arrayBuffer())
  return readFile(bytes, { ...c.req.query(), ...fields })
}

function readFile(bytes: Uint8Array, fields: Record<string, unknown>): ImportInput {
  if (bytes.byteLength > maxFileBytes)
    throw new HTTPException(413, { message: 'The file must not be larger than 5 MB.' })
  if (bytes.byteLength === 0) throw new Invalid({ file: ['The file field is required.'] })
  return { kind: 'file', bytes, options: readOptions(fields) }
}

/** Empty fields count as absent; `mapping` comes as JSON where it comes in a form or a query. */
function readOptions(fields: Record<string, unknown>): ImportFields {
  const present = Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== '' && value !== null),
  )
  if (typeof present.mapping === 'string') present.mapping = parseMapping(present.mapping)
  const draft = toDraft(importOptions, present)
  if (!draft.complete) throw new Invalid(draft.errors)
  return draft.values
}

function parseMapping(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return json
  }
}
