import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { parseJson, readText } from '../web/body.ts'
import { compose } from './compose.ts'
import type { Mail } from './mail.ts'
import type { Mailbox } from './mailbox.ts'
import { invalid, ResendError } from './resend-error.ts'

const largestBodyBytes = 40 * 1024 * 1024
const mailsPerBatch = 100

type Composed = { mails: Mail[]; answer: unknown }

/** `POST /emails`: takes one email and answers with its id. */
export function sendOne(mailbox: Mailbox, request: IncomingMessage): Promise<unknown> {
  return once(mailbox, request, '/emails', (body) => {
    const mail = compose(body, new Date())
    return { mails: [mail], answer: { id: mail.id } }
  })
}

/** `POST /emails/batch`: takes all emails or none, or under permissive validation the valid ones. */
export function sendBatch(mailbox: Mailbox, request: IncomingMessage): Promise<unknown> {
  const isPermissive = request.headers['x-batch-validation'] === 'permissive'
  return once(mailbox, request, '/emails/batch', (body) => {
    if (!Array.isArray(body) || body.length === 0) throw invalid('The batch must be an array of emails.')
    if (body.length > mailsPerBatch) throw invalid(`The batch can hold at most ${mailsPerBatch} emails.`)
    return composeBatch(body, isPermissive)
  })
}

function composeBatch(items: unknown[], isPermissive: boolean): Composed {
  const mails: Mail[] = []
  const errors: { index: number; message: string }[] = []
  for (const [index, item] of items.entries()) {
    try {
      const mail = compose(item, new Date())
      if (mail.attachments.length > 0) throw invalid('The `attachments` field is not supported in a batch.')
      mails.push(mail)
    } catch (error) {
      if (!isPermissive || !(error instanceof ResendError)) throw error
      errors.push({ index, message: error.message })
    }
  }
  const data = mails.map(({ id }) => ({ id }))
  return { mails, answer: isPermissive ? { data, errors } : { data } }
}

/** Composes and keeps the emails of a request, unless its idempotency key says that this has been done. */
async function once(
  mailbox: Mailbox,
  request: IncomingMessage,
  endpoint: string,
  composeBody: (body: unknown) => Composed,
): Promise<unknown> {
  const key = idempotencyKey(request)
  const text = await readText(request, largestBodyBytes)
  const body = parseJson(text)
  if (body === undefined) throw new ResendError(400, 'validation_error', 'The body is not valid JSON.')
  if (key === undefined) {
    const { mails, answer } = composeBody(body)
    await mailbox.add(mails)
    return answer
  }
  const scope = JSON.stringify([request.headers.authorization, endpoint, key])
  const fingerprint = createHash('sha256').update(text).digest('hex')
  const now = new Date()
  const before = mailbox.keys.take(scope, fingerprint, now)
  if (before) return before.answer
  try {
    const { mails, answer } = composeBody(body)
    for (const mail of mails) mail.idempotency_key = key
    await mailbox.add(mails, { scope, fingerprint, answer, usedAt: now.toISOString() })
    return answer
  } catch (error) {
    mailbox.keys.release(scope)
    throw error
  }
}

function idempotencyKey(request: IncomingMessage): string | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && key.length >= 1 && key.length <= 256) return key
  throw new ResendError(
    400,
    'invalid_idempotency_key',
    'Idempotency keys, if present, must have between 1 and 256 characters.',
  )
}
