import { app } from './app.ts'
import { runCron } from './consumers/cron.ts'
import { consume } from './consumers/dispatch.ts'
import { deadMailConsumer, mailConsumer } from './consumers/mail.ts'
import { syncConsumer } from './consumers/sync.ts'
import { createDeps } from './deps.ts'
import { resendMailer } from './gateways/resend.ts'
import { recordFailedMail } from './services/failed-mails.ts'
import { failSync, processSync } from './services/sync/process.ts'

/** The Worker: requests, queue messages and cron runs, each with dependencies of its own. */
export default {
  fetch: app.fetch,

  async queue(batch, env) {
    const { config, db } = createDeps(env)
    const now = () => new Date()
    const recordFailure = (mail: Parameters<typeof recordFailedMail>[1]) => recordFailedMail(db, mail, now())
    // Queues are named purse-mail, purse-staging-mail and so on; dead letters have -dead behind.
    if (batch.queue.endsWith('-mail-dead')) return consume(batch, deadMailConsumer({ recordFailure }))
    if (batch.queue.endsWith('-mail')) {
      return consume(batch, mailConsumer({ mailer: resendMailer(config.mailer), recordFailure, now }))
    }
    if (batch.queue.endsWith('-sync-dead')) {
      const reason = 'The batch could not be processed. Please send it again.'
      return consume(
        batch,
        syncConsumer((id) => failSync(db, id, reason, now())),
      )
    }
    if (batch.queue.endsWith('-sync'))
      return consume(
        batch,
        syncConsumer((id) => processSync(db, id, now())),
      )
    throw new Error(`No consumer for the queue ${batch.queue}`)
  },

  async scheduled({ cron }, env) {
    await runCron(cron, createDeps(env))
  },
} satisfies ExportedHandler<Env>
