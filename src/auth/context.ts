import type { Context } from 'hono'
import type { App } from '../http/app-types.ts'
import { countedClient, hashing } from '../http/rate-limits.ts'
import type { LinkBase, LinkParts } from '../shared/links.ts'
import type { RemovalQueue } from '../shared/queues.ts'
import type { MailContext } from './password-reset.ts'
import type { SignInContext } from './token.ts'

const userAgentLength = 255

/** The context of a request that signs in a user. */
export function signInContext(c: Context<App>): SignInContext {
  const { db, now, random } = c.get('deps')
  const userAgent = c.req.header('User-Agent')?.slice(0, userAgentLength).toWellFormed() || null
  return { db, now, random, hashing: hashing(c), userAgent }
}

/** The context of a request that sends emails with links, or follows one. */
export function linkContext(c: Context<App>): MailContext & { removalQueue: RemovalQueue; links: LinkBase } {
  const { config, ...deps } = c.get('deps')
  return { ...deps, links: config.links, frontendUrl: config.frontendUrl, client: countedClient(c) }
}

/** The parts of a signed link in a request; empty if absent. */
export function linkParts(path: Partial<LinkParts>, query: Partial<LinkParts>): LinkParts {
  return { id: '', hash: '', expires: '', signature: '', ...path, ...query }
}
