import type { Database } from '../db/client.ts'
import type { LinkBase } from '../domain/links.ts'
import type { Outbox } from '../gateways/mail-queue.ts'
import type { SyncQueue } from '../gateways/sync-queue.ts'
import { removeExpired } from '../services/expiry.ts'
import { sendDueReminders } from '../services/reminders.ts'
import { removeOldSyncs, sweepSyncs } from '../services/sync/status.ts'

type CronDeps = {
  db: Database
  now: Date
  outbox: Outbox
  syncQueue: SyncQueue
  config: { links: LinkBase; frontendUrl: string }
}

/** What runs when: the keys are the crons of wrangler.toml. */
const jobs: Record<string, (deps: CronDeps) => Promise<Record<string, number>>> = {
  '* * * * *': ({ db, syncQueue, now }) => sweepSyncs(db, syncQueue, now),
  '*/5 * * * *': ({ config, ...deps }) => sendDueReminders({ ...deps, ...config }),
  '17 * * * *': async ({ db, now }) => ({
    ...(await removeExpired(db, now)),
    ...(await removeOldSyncs(db, now)),
  }),
}

/** Runs the job of a cron trigger and logs what it did, if it did anything. */
export async function runCron(cron: string, deps: CronDeps): Promise<void> {
  const job = jobs[cron]
  if (!job) throw new Error(`No job for the cron ${cron}`)
  const done = await job(deps)
  if (Object.values(done).some((count) => count > 0))
    console.log(JSON.stringify({ event: 'cron', cron, ...done }))
}
