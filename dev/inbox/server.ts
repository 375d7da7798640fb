import type { IncomingMessage, ServerResponse } from 'node:http'
import { BodyTooLarge, readJsonObject } from '../web/body.ts'
import { type Handler, type Serving, sendJson, serve } from '../web/serve.ts'
import { Changes } from './changes.ts'
import { Faults } from './faults.ts'
import { listed, retrieved } from './mail.ts'
import { Mailbox } from './mailbox.ts'
import { pageOf } from './page-of.ts'
import { invalid, missingApiKey, notFound, ResendError } from './resend-error.ts'
import { search } from './search.ts'
import { sendBatch, sendOne } from './send.ts'
import { sendStatic } from './static.ts'

type Inbox = { mailbox: Mailbox; faults: Faults; changes: Changes }

type Options = { port?: number; host?: string; directory: string }

/** Starts the local inbox: Resend's HTTP API to send, a web page to read. Emails are kept in the directory. */
export async function startInbox({ port = 8025, host = '127.0.0.1', directory }: Options): Promise<Serving> {
  const makeHandler = async (): Promise<Handler> => {
    // Not before we have the port: another inbox that holds it may be writing to the same folder.
    const mailbox = await Mailbox.open(directory)
    const changes = new Changes()
    mailbox.onChange = () => changes.announce()
    const inbox = { mailbox, faults: new Faults(), changes }
    return (request, response, url) => answer(inbox, request, response, url)
  }
  return serve(makeHandler, { port, host })
}

async function answer(
  inbox: Inbox,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  try {
    await route(inbox, request, response, url)
  } catch (error) {
    if (error instanceof BodyTooLarge) {
      response.setHeader('connection', 'close')
      sendJson(response, 413, new ResendError(413, 'validation_error', error.message))
    } else if (error instanceof ResendError) sendJson(response, error.statusCode, error)
    else throw error
  }
}

async function route(
  inbox: Inbox,
  request: IncomingMessage,
  response: ServerResponse,
  { pathname, searchParams }: URL,
): Promise<void> {
  const { mailbox, faults, changes } = inbox
  const method = request.method === 'HEAD' ? 'GET' : request.method
  switch (`${method} ${pathname}`) {
    case 'POST /emails':
    case 'POST /emails/batch':
      return takeMail(inbox, request, response, pathname)
    case 'GET /emails':
      return sendList(inbox, request, response, searchParams)
    case 'DELETE /emails':
      await mailbox.empty()
      return sendJson(response, 200, { object: 'list', has_more: false, data: [] })
    case 'POST /faults': {
      const order = await readJsonObject(request)
      if (!order) throw invalid('The body must be a JSON object.')
      faults.set(order)
      return sendJson(response, 200, order)
    }
    case 'GET /faults':
      return sendJson(response, 200, { hanging: faults.hanging })
    case 'DELETE /faults':
      faults.reset()
      return sendJson(response, 200, {})
    case 'GET /health':
      return sendJson(response, 200, { status: 'ok' })
    case 'GET /search':
      return sendJson(response, 200, search(mailbox.newestFirst(), searchParams.get('q') ?? ''))
    case 'GET /changes':
      return changes.subscribe(response)
  }
  const [, id, part] = /^\/emails\/([^/]+)(\/attachments)?$/.exec(pathname) ?? []
  if (method === 'GET' && id) return sendMail(inbox, request, response, id, part !== undefined)
  if (method === 'GET' && (await sendStatic(response, pathname))) return
  throw notFound('The requested endpoint does not exist.')
}

async function takeMail(
  { mailbox, faults }: Inbox,
  request: IncomingMessage,
  response: ServerResponse,
  pathname: string,
): Promise<void> {
  const fault = faults.next()
  if (fault && !fault.keeps) return faults.answer(fault, response)
  requireApiKey(request)
  const result = await (pathname === '/emails' ? sendOne : sendBatch)(mailbox, request)
  // Only the answer is lost: a sender without an idempotency key would send the email twice.
  if (fault) return faults.answer(fault, response)
  sendJson(response, 200, result)
}

function sendList(
  { mailbox }: Inbox,
  request: IncomingMessage,
  response: ServerResponse,
  query: URLSearchParams,
): void {
  requireApiKey(request)
  const { data, has_more } = pageOf(mailbox.newestFirst(), query)
  sendJson(response, 200, { object: 'list', has_more, data: data.map(listed) })
}

function sendMail(
  { mailbox }: Inbox,
  request: IncomingMessage,
  response: ServerResponse,
  id: string,
  onlyAttachments: boolean,
): void {
  requireApiKey(request)
  const mail = mailbox.find(id)
  if (!mail) throw notFound('Email not found')
  const attachments = { object: 'list', has_more: false, data: mail.attachments }
  sendJson(response, 200, onlyAttachments ? attachments : retrieved(mail))
}

/** Any key will do, but a request without one would fail at Resend. */
function requireApiKey(request: IncomingMessage): void {
  if (!/^Bearer \S/.test(request.headers.authorization ?? '')) throw missingApiKey()
}
