import { createHash, randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import * as z from 'zod'
import { readText } from '../web/body.ts'
import type { Mail, Mails } from './mails.ts'

const maxRecipients = 50
const largestPage = 100
const longestKey = 256

/** An error in the shape that Resend gives it: `{statusCode, name, message}`. */
export class ResendError extends Error {
  statusCode: number

  constructor(statusCode: number, name: string, message: string) {
    super(message)
    this.statusCode = statusCode
    this.name = name
  }

  toJSON() {
    return { statusCode: this.statusCode, name: this.name, message: this.message }
  }
}

/** What Resend says with a status when the email is not to blame. */
export function serviceError(status: number): ResendError {
  if (status === 400) return new ResendError(400, 'validation_error', 'API key is invalid')
  if (status === 429) return new ResendError(429, 'rate_limit_exceeded', 'Too many requests.')
  return new ResendError(status, 'application_error', 'An unexpected error occurred.')
}

const line = z.string().regex(/^[^\r\n]+$/, 'it must be one line.')
const address = line.regex(
  /^([^<>]*<[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/,
  'The email address needs to follow the `email@example.com` or `Name <email@example.com>` format.',
)
const addresses = z
  .union([address.transform((one) => [one]), z.array(address).min(1).max(maxRecipients)])
  .optional()
const mailSchema = z
  .object({
    from: address,
    to: addresses.nonoptional(),
    cc: addresses,
    bcc: addresses,
    reply_to: addresses,
    subject: line,
    html: z.string().optional(),
    text: z.string().optional(),
    headers: z.record(line.regex(/^[^:]+$/), line).default({}),
  })
  .refine(({ html, text }) => html || text, { message: 'Missing `html` or `text` field.' })

/** `POST /emails`: stores an email, once for each idempotency key, and returns its id. Throws ResendError. */
export async function sendMail(mails: Mails, request: IncomingMessage): Promise<{ id: string }> {
  const key = idempotencyKey(request)
  const text = await readText(request)
  const fingerprint = createHash('sha256').update(text).digest('hex')
  const earlier = key && mails.findByKey(key)
  if (earlier && earlier.fingerprint !== fingerprint)
    throw new ResendError(
      409,
      'invalid_idempotent_request',
      "This idempotency key was used with another request body within the last 24 hours, which doesn't match this one.",
    )
  if (earlier) return { id: earlier.id }
  const mail = parseMail(text, key ?? null)
  mails.add(mail, fingerprint)
  return { id: mail.id }
}

/**
 * `GET /emails`: the newest emails without their content, as Resend lists them. Besides Resend's `limit` (1 to 100) it
 * takes `q`, words that each must occur in subject, addresses or content.
 */
export function listMails(mails: Mails, query: URLSearchParams) {
  const limit = Number(query.get('limit') ?? 20)
  if (!Number.isInteger(limit) || limit < 1 || limit > largestPage)
    throw invalid(`The pagination limit must be a number between 1 and ${largestPage}.`)
  const found = mails.newest(limit + 1, query.get('q') ?? '')
  const data = found
    .slice(0, limit)
    .map(({ object, html, text, headers, idempotency_key, ...listed }) => listed)
  return { object: 'list', has_more: found.length > limit, data }
}

function parseMail(text: string, idempotency_key: string | null): Mail {
  const { html = null, text: plain = null, ...mail } = validate(parseJson(text))
  return {
    object: 'email',
    id: randomUUID(),
    created_at: new Date().toISOString(),
    ...mail,
    cc: mail.cc ?? [],
    bcc: mail.bcc ?? [],
    reply_to: mail.reply_to ?? [],
    html,
    text: plain,
    last_event: 'delivered',
    idempotency_key,
  }
}

function parseJson(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text)
  } catch {
    throw new ResendError(400, 'validation_error', 'The body is not valid JSON.')
  }
}

function validate(input: Record<string, unknown>): z.infer<typeof mailSchema> {
  const { data, error } = mailSchema.safeParse(input)
  if (data) return data
  const [issue] = error.issues
  const field = issue?.path[0]
  if (field === undefined) throw invalid(issue?.message ?? '')
  if (input[String(field)]) throw invalid(`Invalid \`${String(field)}\` field: ${issue?.message}`)
  throw new ResendError(422, 'missing_required_field', `Missing \`${String(field)}\` field.`)
}

function invalid(message: string): ResendError {
  return new ResendError(422, 'validation_error', message)
}

function idempotencyKey(request: IncomingMessage): string | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && key.length >= 1 && key.length <= longestKey) return key
  throw new ResendError(
    400,
    'invalid_idempotency_key',
    `Idempotency keys must have between 1 and ${longestKey} characters.`,
  )
}
