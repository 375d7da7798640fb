import type { IncomingMessage, ServerResponse } from 'node:http'
import type Provider from 'oidc-provider'
import { readJsonObject } from '../web/body.ts'
import { type Handler, send, sendJson, serve } from '../web/serve.ts'
import { Faults } from './faults.ts'
import { answerInteraction } from './interaction.ts'
import { sendPageStyle } from './page.ts'
import { People } from './people.ts'
import { drawPicture } from './picture.ts'
import { type Client, createProvider } from './provider.ts'

type Options = Client & { port?: number; host?: string; directory: string }

/**
 * Starts an OpenID provider for one client. It signs in the address of a `login_hint` at once, and otherwise asks on a
 * page. The signing keys are kept in the directory, everything else in memory.
 */
export async function startIdentityProvider({
  port = 8026,
  host = '127.0.0.1',
  directory,
  ...client
}: Options): Promise<{ issuer: string; close(): Promise<void> }> {
  const people = new People()
  const { url, close } = await serve(
    async (issuer) => handler(await createProvider(issuer, directory, client, people), people),
    { port, host },
  )
  return { issuer: url, close }
}

function handler(provider: Provider, people: People): Handler {
  const faults = new Faults()
  const answerAsProvider = provider.callback()
  return async (request, response, { pathname, searchParams }) => {
    if (faults.answer(pathname, response)) return
    forgetSession(request)
    if (pathname === '/health') return sendJson(response, 200, { status: 'ok' })
    if (pathname === '/faults') return answerFaultOrder(faults, request, response)
    if (pathname === '/theme.css' || pathname === '/page.css') return sendPageStyle(response, pathname)
    if (pathname.startsWith('/interaction/')) return answerInteraction(provider, people, request, response)
    if (pathname.startsWith('/pictures/')) {
      return send(response, 200, 'image/svg+xml', drawPicture(pathname, searchParams.get('name') ?? ''))
    }
    await answerAsProvider(request, response)
  }
}

/**
 * Removes the provider's session cookie from the request: otherwise a session left over from another sign-in would
 * answer for the person who is signing in now.
 */
function forgetSession(request: IncomingMessage): void {
  const cookies = (request.headers.cookie ?? '').split(/;\s*/)
  request.headers.cookie = cookies.filter((cookie) => !cookie.startsWith('_session')).join('; ')
}

async function answerFaultOrder(
  faults: Faults,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method === 'GET') return sendJson(response, 200, { hanging: faults.hanging })
  if (request.method === 'DELETE') {
    faults.reset()
    return sendJson(response, 200, {})
  }
  const order = await readJsonObject(request)
  const problem = order ? faults.set(order) : 'The body must be a JSON object.'
  sendJson(response, problem ? 422 : 200, problem ? { message: problem } : order)
}
