import { readConfig } from './config.ts'
import { openDatabase } from './db/client.ts'
import type { Meter } from './db/meter.ts'
import type { Deadline } from './domain/deadline.ts'
import { openIdProvider } from './gateways/identity-provider.ts'
import { queueOutbox } from './gateways/mail-queue.ts'
import { syncQueue } from './gateways/sync-queue.ts'
import type { Deps } from './http/app-types.ts'

/**
 * Builds what one request, message or cron run works with, and measures with its meter. Opening is cheap: nothing is
 * called yet. A deadline is for all calls of the database and of the identity provider together.
 */
export function createDeps(env: Env, meter: Meter, deadline?: Deadline): Deps {
  const config = readConfig(env)
  return {
    config,
    db: openDatabase(config.database, { meter, deadline }),
    now: new Date(),
    random: (bytes) => crypto.getRandomValues(bytes),
    outbox: queueOutbox(env.MAIL_QUEUE),
    syncQueue: syncQueue(env.SYNC_QUEUE),
    provider: config.provider && openIdProvider(config.provider, deadline),
    emit: (event) => console.log(JSON.stringify(event)),
  }
}
