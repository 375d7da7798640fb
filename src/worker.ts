import { env } from 'cloudflare:workers'
import { app } from './app.ts'
import { reportConfiguration } from './config.ts'
import { createDeps, type Deps } from './deps.ts'
import { withValidEscapes } from './http/escapes.ts'
import type { Unsubscribed } from './identity/links.ts'
import { runCron } from './jobs/cron.ts'
import { removalConsumer, removeDeleted } from './jobs/removal.ts'
import { deadMailConsumer, type FailedMail, mailConsumer, recordFailedMail } from './mail/consumer.ts'
import { resendMailer } from './mail/resend.ts'
import { consume, type Handler } from './queues/dispatch.ts'
import { syncConsumer } from './sync/consumer.ts'
import { failSync, processSync } from './sync/process.ts'
import { wantsReminders } from './users/reminders.ts'

reportConfiguration(env)

/** The Worker: requests, queue messages and cron runs, each with its own dependencies. */
export default {
  fetch: (request, env, context) => app.fetch(withValidEscapes(request), env, context),

  async queue(messages, env, context) {
    const waitUntil = context.waitUntil.bind(context)
    await consume(messages, (meter) => consumerOf(messages.queue, createDeps(env, { meter, waitUntil })))
  },

  async scheduled({ cron, scheduledTime }, env, context) {
    const waitUntil = context.waitUntil.bind(context)
    const now = new Date(scheduledTime)
    await runCron(cron, (meter) => ({ ...createDeps(env, { meter, waitUntil }), now }))
  },
} satisfies ExportedHandler<Env>

/** Queues have names such as purse-mail and purse-staging-mail; those of dead-letter queues end in -dead. */
function consumerOf(queue: string, { config, db, now, syncQueue, removalQueue }: Deps): Handler {
  const recordFailure = (mail: FailedMail) => recordFailedMail(db, mail, now)
  if (queue.endsWith('-mail-dead')) return deadMailConsumer({ recordFailure })
  if (queue.endsWith('-mail')) {
    const mailer = resendMailer(config.mailer, config.budgets)
    const wants = (kind: Unsubscribed, email: string) => wantsReminders(db, kind, email)
    return mailConsumer({ mailer, recordFailure, wantsReminders: wants, now })
  }
  if (queue.endsWith('-sync-dead')) {
    const reason = 'The batch could not be processed. Please send it again.'
    return syncConsumer(syncQueue, (id) => failSync(db, id, reason, now))
  }
  if (queue.endsWith('-sync')) return syncConsumer(syncQueue, (id) => processSync(db, id, now))
  if (queue.endsWith('-removal')) return removalConsumer((userId) => removeDeleted(db, userId), removalQueue)
  throw new Error(`No consumer for the queue ${queue}`)
}
