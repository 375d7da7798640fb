import { randomUUID } from 'node:crypto'
import { asObject } from '../web/body.ts'
import type { Attachment, Mail, Tag } from './mail.ts'
import { invalid, missingField, ResendError } from './resend-error.ts'

const mostRecipients = 50
const addressShape = /^[^\s@<>]+@[^\s@<>]+\.[^\s@<>.]+$/
const tagShape = /^[A-Za-z0-9_-]{1,256}$/

/** Makes an email from one item of a send request. Checks in Resend's order, and throws Resend's error. */
export function compose(input: unknown, now: Date): Mail {
  const fields = asObject(input)
  if (!fields) throw invalid('The email must be an object.')
  const to = addresses(fields, 'to')
  if (to.length === 0) throw missingField('to')
  if (!fields.html && !fields.text) throw invalid('Missing `html` or `text` field.')
  if (!fields.subject) throw missingField('subject')
  if (!fields.from) throw missingField('from')
  const id = randomUUID()
  return {
    id,
    message_id: `<${id}@inbox.localhost>`,
    created_at: now.toISOString(),
    from: mailbox(fields.from, 'from'),
    to,
    cc: addresses(fields, 'cc'),
    bcc: addresses(fields, 'bcc'),
    reply_to: addresses(fields, 'reply_to'),
    subject: subject(fields.subject),
    html: textOrNull(fields, 'html'),
    text: textOrNull(fields, 'text'),
    headers: headers(fields.headers),
    tags: list(fields.tags, 'tags').map(tag),
    attachments: list(fields.attachments, 'attachments').map(attachment),
    scheduled_at: textOrNull(fields, 'scheduled_at'),
    topic_id: textOrNull(fields, 'topic_id'),
    idempotency_key: null,
  }
}

function addresses(fields: Record<string, unknown>, field: string): string[] {
  const value = fields[field]
  if (value === undefined || value === null || value === '') return []
  const all = Array.isArray(value) ? value : [value]
  if (all.length > mostRecipients) {
    throw invalid(`Too many addresses in the \`${field}\` field: at most ${mostRecipients} are allowed.`)
  }
  return all.map((address) => mailbox(address, field))
}

function mailbox(value: unknown, field: string): string {
  const address = typeof value === 'string' ? (/^[^<>\r\n]*<([^<>]+)>$/.exec(value)?.[1] ?? value) : ''
  if (typeof value === 'string' && addressShape.test(address.trim())) return value
  throw invalid(
    `Invalid \`${field}\` field. The email address needs to follow the \`email@example.com\` or ` +
      '`Name <email@example.com>` format.',
  )
}

function subject(value: unknown): string {
  if (typeof value !== 'string') throw invalid('Invalid `subject` field: it must be a string.')
  if (/[\r\n]/.test(value)) throw invalid('The `\\n` is not allowed in the `subject` field.')
  return value
}

function textOrNull(fields: Record<string, unknown>, field: string): string | null {
  const value = fields[field] ?? null
  if (value !== null && typeof value !== 'string') {
    throw invalid(`Invalid \`${field}\` field: it must be a string.`)
  }
  return value
}

function headers(value: unknown): Record<string, string> {
  const all = Object.entries(asObject(value ?? {}) ?? {})
  for (const [name, content] of all) {
    if (typeof content !== 'string' || /[\r\n:]/.test(name) || /[\r\n]/.test(content)) {
      throw invalid('Invalid `headers` field: names and values must be strings on one line.')
    }
  }
  return Object.fromEntries(all) as Record<string, string>
}

function tag(value: unknown): Tag {
  const { name, value: content } = asObject(value) ?? {}
  if (
    typeof name !== 'string' ||
    typeof content !== 'string' ||
    !tagShape.test(name) ||
    !tagShape.test(content)
  ) {
    throw invalid('Tags should only contain ASCII letters, numbers, underscores, or dashes.')
  }
  return { name, value: content }
}

function attachment(value: unknown): Attachment {
  const fields = asObject(value) ?? {}
  const { content } = fields
  if (typeof content !== 'string' && typeof fields.path !== 'string') {
    throw new ResendError(422, 'invalid_attachment', 'Attachment must have either a `content` or `path`.')
  }
  return {
    id: randomUUID(),
    filename: textOrNull(fields, 'filename'),
    content_type: textOrNull(fields, 'content_type'),
    content_disposition: fields.content_id ? 'inline' : 'attachment',
    content_id: textOrNull(fields, 'content_id'),
    size: typeof content === 'string' ? Buffer.byteLength(content, 'base64') : null,
  }
}

function list(value: unknown, field: string): unknown[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw invalid(`Invalid \`${field}\` field: it must be an array.`)
  return value
}
