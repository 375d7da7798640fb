import type { IncomingMessage } from 'node:http'
import type Provider from 'oidc-provider'
import * as z from 'zod'
import { loopback } from '../settings.ts'
import { Faults } from '../web/faults.ts'
import { sendStyles } from '../web/page.ts'
import { type Handler, type Serving, send, serve } from '../web/serve.ts'
import { respondToInteraction } from './interaction.ts'
import { People } from './people.ts'
import { drawPicture } from './picture.ts'
import { type Client, createProvider } from './provider.ts'

/** `publicHost` is the host name in the issuer, if it is not the one to listen on. */
type Options = Client & { port: number; host?: string; publicHost?: string }

/**
 * Starts an OpenID provider for one client. It signs in the address of a `login_hint` at once, and otherwise asks on a
 * page. It keeps everything in memory. Rejects if the port is taken.
 */
export async function startIdentityProvider({
  port,
  host = loopback,
  publicHost = host,
  ...client
}: Options): Promise<Serving & { issuer: string }> {
  let issuer = ''
  const makeHandler = async (url: string) => {
    issuer = `http://${publicHost}:${new URL(url).port}`
    const people = new People()
    return handler(await createProvider(issuer, client, people), people)
  }
  const serving = await serve(makeHandler, { port, host })
  return { issuer, ...serving }
}

const faultPaths = {
  token: '/token',
  jwks: '/jwks',
  userinfo: '/me',
  discovery: '/.well-known/openid-configuration',
}
const endpoints = z.enum(['token', 'jwks', 'userinfo', 'discovery'])

function handler(provider: Provider, people: People): Handler {
  const faults = new Faults(endpoints)
  const respondAsProvider = provider.callback()
  return async (request, response, { pathname, searchParams }) => {
    const endpoint = endpoints.options.find((one) => faultPaths[one] === pathname)
    const fault = endpoint && faults.next(endpoint)
    if (fault) return faults.fail(fault, response, { error: 'server_error' })
    if (pathname === '/faults') return faults.respond(request, response)
    if (pathname === '/pico.css') return sendStyles(response)
    if (pathname.startsWith('/pictures/'))
      return send(response, 200, 'image/svg+xml', drawPicture(pathname, searchParams.get('name') ?? ''))
    forgetSession(request)
    if (pathname.startsWith('/interaction/')) return respondToInteraction(provider, people, request, response)
    await respondAsProvider(request, response)
  }
}

/**
 * Removes the provider's session cookie from the request: otherwise a session left over from another sign-in would
 * be used for the person who is signing in now.
 */
function forgetSession(request: IncomingMessage): void {
  const cookies = (request.headers.cookie ?? '').split(/;\s*/)
  request.headers.cookie = cookies.filter((cookie) => !cookie.startsWith('_session')).join('; ')
}
