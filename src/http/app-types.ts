import type { Database, DatabaseAddress } from '../db/client.ts'
import type { Meter } from '../db/meter.ts'
import type { Owner } from '../db/owner.ts'
import type { RequestDeadline } from '../domain/deadline.ts'
import type { LinkBase } from '../domain/links.ts'
import type { ScryptCost } from '../domain/passwords.ts'
import type { RandomBytes } from '../domain/tokens.ts'
import type { IdentityProvider, ProviderSettings } from '../gateways/identity-provider.ts'
import type { Outbox } from '../gateways/mail-queue.ts'
import type { MailerSettings } from '../gateways/resend.ts'
import type { SyncQueue } from '../gateways/sync-queue.ts'

/** The Worker's bindings, read and checked. */
export type Config = {
  database: DatabaseAddress
  frontendUrl: string
  /** Origins that may call from a browser; `:*` stands for any port. */
  allowedOrigins: string[]
  scryptCost: ScryptCost
  /** Whether every client is held to the general limit (limits.ts). */
  hasGeneralLimit: boolean
  links: LinkBase
  mailer: MailerSettings
  /** Undefined where none is configured. */
  provider: ProviderSettings | undefined
}

/** What one request works with: set once, in app.ts, and handed down. */
export type Deps = {
  config: Config
  db: Database
  now: Date
  random: RandomBytes
  outbox: Outbox
  syncQueue: SyncQueue
  provider: IdentityProvider | undefined
  /** Hears of events inside the service (api.md §6). */
  emit: (event: { event: 'Verified'; userId: number }) => void
}

/** Hono's types of this app. `owner` is there on every route that is not public. */
export type App = {
  Bindings: Env
  Variables: { requestId: string; meter: Meter; deadline: RequestDeadline; deps: Deps; owner: Owner }
}
