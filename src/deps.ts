import { type Config, readConfig } from './config.ts'
import { openDatabase } from './database/client.ts'
import type { Database } from './database/run.ts'
import type { Writer } from './database/written-by.ts'
import type { Meter } from './domain/meter.ts'
import { type Deadline, timeoutSignal, type WaitUntil } from './failures/deadline.ts'
import { type OpenIdClient, openIdClient } from './identity/openid-client.ts'
import type { RandomBytes } from './identity/tokens.ts'
import {
  type MailQueue,
  mailQueue,
  type RemovalQueue,
  removalQueue,
  type SyncQueue,
  syncQueue,
} from './queues/queues.ts'

/** The dependencies of a run. */
export type Deps = {
  config: Config
  db: Database
  now: Date
  random: RandomBytes
  mailQueue: MailQueue
  syncQueue: SyncQueue
  removalQueue: RemovalQueue
  provider: OpenIdClient | undefined
  /** Logs a domain event. */
  logEvent: (event: { event: 'Verified'; userId: number }) => void
}

/** One run: a request, a queue message or a cron job. Changes are logged under the name of the writer. */
type Run = { meter: Meter; waitUntil: WaitUntil; deadline?: Deadline; writer?: Writer }

/**
 * Builds the dependencies of a run. The deadline covers all calls to the database and the identity provider; without it,
 * each has its own time-out. Throws ConfigurationError.
 */
export function createDeps(env: Env, { meter, waitUntil, writer = 'service', ...run }: Run): Deps {
  const config = readConfig(env)
  const { budgets } = config
  const deadline = run.deadline ?? (() => timeoutSignal(budgets.requestMs))
  return {
    config,
    db: openDatabase(config.database, { meter, deadline, waitUntil, writer }),
    now: new Date(),
    random: (bytes) => crypto.getRandomValues(bytes),
    mailQueue: mailQueue(env.MAIL_QUEUE, waitUntil, budgets),
    syncQueue: syncQueue(env.SYNC_QUEUE, waitUntil, budgets),
    removalQueue: removalQueue(env.REMOVAL_QUEUE, waitUntil, budgets),
    provider: config.provider && openIdClient(config.provider, deadline),
    logEvent: (event) => console.log(JSON.stringify(event)),
  }
}
