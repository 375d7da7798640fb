import type { IncomingMessage, ServerResponse } from 'node:http'
import * as z from 'zod'
import { loopback } from '../settings.ts'
import { Faults } from '../web/faults.ts'
import { sendStyles } from '../web/page.ts'
import { type Handler, redirect, type Serving, sendJson, serve } from '../web/serve.ts'
import { type Mails, openMails } from './mails.ts'
import { sendListPage, sendMailPage } from './page.ts'
import { listMails, ResendError, sendMail, serviceError } from './resend.ts'

type Options = { port: number; host?: string; directory: string }
type Inbox = { mails: Mails; faults: Faults<'send'> }

/**
 * Starts the local inbox: Resend's HTTP API to send and read emails, pages to look at them, and faults on demand. The
 * emails are kept in the directory. Rejects if the port is taken.
 */
export async function startInbox({ directory, port, host = loopback }: Options): Promise<Serving> {
  let mails: Mails | undefined
  const makeHandler = (): Handler => {
    // Not before we have the port: another inbox that holds it may be writing to the same folder.
    mails = openMails(directory)
    const inbox = { mails, faults: new Faults(z.literal('send').default('send')) }
    return async (request, response, url) => {
      try {
        await route(inbox, request, response, url)
      } catch (error) {
        if (!(error instanceof ResendError)) throw error
        sendJson(response, error.statusCode, error)
      }
    }
  }
  const { url, close } = await serve(makeHandler, { port, host })
  return {
    url,
    async close() {
      await close()
      mails?.close()
    },
  }
}

async function route(
  { mails, faults }: Inbox,
  request: IncomingMessage,
  response: ServerResponse,
  { pathname, searchParams }: URL,
): Promise<void> {
  const [, collection, id = ''] = pathname.split('/')
  switch (`${request.method} /${collection}${id && '/:id'}`) {
    case 'GET /':
      return sendListPage(response, mails.newest(100))
    case 'GET /mails/:id':
      return sendMailPage(response, find(mails, id))
    case 'POST /clear':
      mails.clear()
      return redirect(response, '/')
    case 'GET /pico.css':
      return sendStyles(response)
    case 'POST /emails':
      return receive({ mails, faults }, request, response)
    case 'GET /emails':
      requireApiKey(request)
      return sendJson(response, 200, listMails(mails, searchParams))
    case 'GET /emails/:id':
      requireApiKey(request)
      return sendJson(response, 200, find(mails, id))
    case 'DELETE /emails':
      mails.clear()
      return sendJson(response, 200, {})
    case 'GET /faults':
    case 'POST /faults':
    case 'DELETE /faults':
      return faults.respond(request, response)
  }
  throw new ResendError(404, 'not_found', 'The requested endpoint does not exist.')
}

async function receive(
  { mails, faults }: Inbox,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const fault = faults.next('send')
  if (fault?.status === 429) response.setHeader('retry-after', '1')
  if (fault && !fault.keep) return faults.fail(fault, response, serviceError(fault.status))
  requireApiKey(request)
  const sent = await sendMail(mails, request)
  if (fault) return faults.fail(fault, response, serviceError(fault.status))
  sendJson(response, 200, sent)
}

function find(mails: Mails, id: string) {
  const mail = mails.find(id)
  if (!mail) throw new ResendError(404, 'not_found', 'Email not found')
  return mail
}

/** Any key will do, but a request without one would fail at Resend. */
function requireApiKey(request: IncomingMessage): void {
  if (!/^Bearer \S/.test(request.headers.authorization ?? ''))
    throw new ResendError(401, 'missing_api_key', 'Missing API key in the authorization header.')
}
