import { readConfig } from './config.ts'
import { openDatabase } from './db/client.ts'
import type { Meter } from './db/meter.ts'
import { openIdProvider } from './gateways/identity-provider.ts'
import { queueOutbox } from './gateways/mail-queue.ts'
import { syncQueue } from './gateways/sync-queue.ts'
import type { Deps } from './http/app-types.ts'

/**
 * Builds what one request, message or cron run works with, and measures with its meter. Opening is cheap: nothing is
 * called yet. With a deadline, all calls of the database together have that long from the first on.
 */
export function createDeps(env: Env, meter: Meter, deadlineMs?: number): Deps {
  const config = readConfig(env)
  return {
    config,
    db: openDatabase(config.database, { meter, ...(deadlineMs !== undefined && { deadlineMs }) }),
    now: new Date(),
    random: (bytes) => crypto.getRandomValues(bytes),
    outbox: queueOutbox(env.MAIL_QUEUE),
    syncQueue: syncQueue(env.SYNC_QUEUE),
    provider: config.provider && openIdProvider(config.provider),
    emit: (event) => console.log(JSON.stringify(event)),
  }
}
