import { trimLog } from '../balance-checks/trim.ts'
import type { Deps } from '../deps.ts'
import { Meter } from '../domain/meter.ts'
import { reportOf } from '../failures/error-report.ts'
import { trimChangeLog } from '../feed/trim-log.ts'
import { recordDue } from '../recurring/record-due.ts'
import { remindOfDue } from '../recurring/remind.ts'
import { sweepSyncs } from '../sync/sweep.ts'
import { sendDueReminders } from '../users/reminders.ts'
import { removeExpired } from './expiry.ts'
import { sweepDeleted } from './removal.ts'

/** The jobs by the cron triggers of wrangler.toml. */
const jobs: Record<string, (deps: Deps) => Promise<Record<string, number>>> = {
  '* * * * *': async ({ db, syncQueue, now, config }) => ({
    ...(await sweepSyncs(db, syncQueue, now, config.budgets)),
    ...(await trimLog(db, now)),
  }),
  '*/5 * * * *': ({ config, ...deps }) =>
    each(
      () => sendDueReminders({ ...deps, ...config }),
      () => recordDue(deps),
      // What has just been recorded needs no reminder.
      () => remindOfDue({ ...deps, ...config }),
    ),
  '17 * * * *': async ({ db, removalQueue, now }) => ({
    ...(await removeExpired(db, now)),
    ...(await sweepDeleted(db, removalQueue)),
  }),
  '41 3 * * *': ({ db, now }) => trimChangeLog(db, now),
}

type Did = Promise<Record<string, number>>

/** Runs jobs one after the other, even if one before them fails. */
async function each(first: () => Did, ...others: (() => Did)[]): Did {
  const did = {}
  try {
    Object.assign(did, await first())
  } finally {
    const [next, ...rest] = others
    if (next) Object.assign(did, await each(next, ...rest))
  }
  return did
}

/** Runs the job of a cron trigger and logs the result. Failures are thrown as well, so that Cloudflare shows them. */
export async function runCron(cron: string, open: (meter: Meter) => Deps): Promise<void> {
  const meter = new Meter()
  const line = (result: Record<string, unknown>) =>
    JSON.stringify({ event: 'cron', cron, ...result, ...meter.read() })
  try {
    const job = jobs[cron]
    if (!job) throw new Error(`No job for the cron ${cron}`)
    const did = await job(open(meter))
    console.log(line({ outcome: 'done', did }))
  } catch (error) {
    console.error(JSON.stringify({ event: 'cron failed', cron, ...reportOf(error) }))
    console.log(line({ outcome: 'failed' }))
    throw error
  }
}
