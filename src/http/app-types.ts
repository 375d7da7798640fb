import type { Database, DatabaseAddress } from '../db/client.ts'
import type { Owner } from '../db/owner.ts'
import type { ScryptCost } from '../domain/passwords.ts'
import type { RandomBytes } from '../domain/tokens.ts'

/** The Worker's bindings, read and checked. */
export type Config = {
  database: DatabaseAddress
  frontendUrl: string
  /** Origins that may call from a browser; `:*` stands for any port. */
  allowedOrigins: string[]
  scryptCost: ScryptCost
}

/** What one request works with: set once, in app.ts, and handed down. */
export type Deps = { config: Config; db: Database; now: Date; random: RandomBytes }

/** Hono's types of this app. `owner` is there on every route that is not public. */
export type App = { Bindings: Env; Variables: { deps: Deps; owner: Owner; requestId: string } }
