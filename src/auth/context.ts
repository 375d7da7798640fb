import type { Context } from 'hono'
import type { Database } from '../database/run.ts'
import type { App } from '../http/app-types.ts'
import { countedClient, hashing } from '../http/rate-limits.ts'
import { lenientFields } from '../http/validate.ts'
import type { LinkBase, LinkParts } from '../identity/links.ts'
import type { RandomBytes } from '../identity/tokens.ts'
import type { ClientAddress } from '../mail/limits.ts'
import type { MailQueue, RemovalQueue } from '../queues/queues.ts'
import { addressLinkPath, addressLinkQuery } from './email-contract.ts'
import type { SignInContext } from './token.ts'

const userAgentLength = 255

/** The context of a request that signs in a user. */
export function signInContext(c: Context<App>): SignInContext {
  const { db, now, random } = c.get('deps')
  const userAgent = c.req.header('User-Agent')?.slice(0, userAgentLength).toWellFormed() || null
  return { db, now, random, hashing: hashing(c), userAgent }
}

/** The context of a request that sends emails with links, or follows one. `client` is the address that is counted. */
export type LinkContext = {
  db: Database
  now: Date
  random: RandomBytes
  mailQueue: MailQueue
  removalQueue: RemovalQueue
  links: LinkBase
  frontendUrl: string
  client: ClientAddress
}

export function linkContext(c: Context<App>): LinkContext {
  const { config, ...deps } = c.get('deps')
  return { ...deps, links: config.links, frontendUrl: config.frontendUrl, client: countedClient(c) }
}

/** Validates the parts of a signed link about an address; `linkParts` returns them. */
export const signedLink = [
  lenientFields('param', addressLinkPath),
  lenientFields('query', addressLinkQuery),
] as const

/** The parts of a signed link in a request; empty if absent. */
export function linkParts(
  c: Context<App, string, { out: { param: Partial<LinkParts>; query: Partial<LinkParts> } }>,
): LinkParts {
  return { id: '', hash: '', expires: '', signature: '', ...c.req.valid('param'), ...c.req.valid('query') }
}
