import { and, asc, eq, isNotNull, lte, sql } from 'drizzle-orm'
import { hasLiveAccounts } from '../database/live-accounts.ts'
import { type Database, runOne } from '../database/run.ts'
import { transactions, users } from '../database/schema.ts'
import { BadLink } from '../failures/failures.ts'
import { type LinkBase, type Unsubscribed, unsubscribedBy, unsubscribeLink } from '../identity/links.ts'
import type { MailQueue } from '../queues/queues.ts'
import { planReminder, type ReminderPlan } from './reminder-plan.ts'

/** The queue accepts a hundred messages in one call. */
const usersPerBatch = 100
/** The next run of the job processes the rest. */
const batchesPerRun = 50

type ReminderContext = { db: Database; now: Date; mailQueue: MailQueue; links: LinkBase; frontendUrl: string }
type DueUser = Awaited<ReturnType<typeof usersToCheck>>[number]

/**
 * Queues the reminders that are due (docs/contract.md, Profile and reminders). Reads only the users whose next check is due.
 * Concurrent runs send each reminder once, since its id consists of user and day.
 */
export async function sendDueReminders(context: ReminderContext) {
  let [lookedAt, sent] = [0, 0]
  for (let batch = 0; batch < batchesPerRun; batch++) {
    const due = await usersToCheck(context)
    if (due.length === 0) break
    const plans = due.map((user) => ({
      user,
      // `lookAt` is the time of the next reminder or, after a change of the settings, of the change.
      plan: planReminder(
        { ...user, isVerified: user.emailVerifiedAt !== null, since: user.lookAt },
        context.now,
      ),
    }))
    const idle = await withoutTransaction(context, plans)
    const reminded = plans.filter(({ user, plan }) => plan.dueFor && idle.has(user.id))
    await context.mailQueue.sendBatch(reminded.map(({ user, plan }) => reminderFor(context, user, plan)))
    await scheduleNextCheck(context, plans, new Set(reminded.map(({ user }) => user.id)))
    lookedAt += due.length
    sent += reminded.length
  }
  return { lookedAt, sent }
}

/** False if the user does not exist or has turned off these emails. */
export async function wantsReminders(db: Database, kind: Unsubscribed, email: string): Promise<boolean> {
  const isOn = kind === 'due' ? users.dueReminders : isNotNull(users.reminderTime)
  const wanted = and(eq(users.email, email), sql`${isOn}`)
  return (await runOne(db, db.select({ id: users.id }).from(users).where(wanted))).length > 0
}

/** Returns which emails a link ends. Throws BadLink. */
export function requireUnsubscribeLink(secret: string, userId: string, signature: string): Unsubscribed {
  const kind = unsubscribedBy(secret, userId, signature)
  if (!kind) throw new BadLink(403, 'Invalid unsubscribe link.')
  return kind
}

/** Ends the emails of a link to its user, and returns which they are. Throws BadLink. */
export async function unsubscribe(
  { db, now }: { db: Database; now: Date },
  secret: string,
  userId: string,
  signature: string,
): Promise<Unsubscribed> {
  const kind = requireUnsubscribeLink(secret, userId, signature)
  const off = {
    reminder: { reminderTime: null, reminderLookAt: null, dueReminderLookAt: dueReminderSoon(now) },
    due: { dueReminders: false },
  }
  const isLinked = eq(users.id, Number(userId))
  await runOne(db, db.update(users).set(off[kind]).where(isLinked))
  return kind
}

/**
 * When the job of recurring/remind.ts looks at a user again whose settings change: at once, if it looks at them at all. Each
 * time another number, so that a job that is writing the time of its next look notices.
 */
export const dueReminderSoon = (now: Date) => sql<Date | null>`min(due_reminder_look_at - 1, ${now})`

type Planned = { user: DueUser; plan: ReminderPlan }

function usersToCheck({ db, now }: ReminderContext) {
  const { id, name, email, emailVerifiedAt, timezone, reminderTime } = users
  const { reminderLastDay: lastDay, reminderLookAt: lookAt } = users
  const due = db
    .select({ id, name, email, emailVerifiedAt, timezone, reminderTime, lastDay, lookAt })
    .from(users)
    .where(lte(lookAt, now))
    .orderBy(asc(lookAt))
    .limit(usersPerBatch)
  return runOne(db, due)
}

/** Returns the ids of the users without a transaction on the day of their reminder. */
async function withoutTransaction({ db }: ReminderContext, plans: Planned[]): Promise<Set<number>> {
  const days = plans.flatMap(({ user, plan }) => (plan.dueFor ? [[user.id, plan.dueFor.day]] : []))
  if (days.length === 0) return new Set()
  const recorded = sql`
    select 1 from ${transactions} where user_id = value ->> 0 and transaction_date = value ->> 1 and ${hasLiveAccounts}`
  const users = sql`select value ->> 0 as id from json_each(${JSON.stringify(days)}) where not exists (${recorded})`
  const idle = await runOne(db, db.all<{ id: number }>(users))
  return new Set(idle.map(({ id }) => Number(id)))
}

function reminderFor({ links, frontendUrl }: ReminderContext, user: DueUser, { dueFor }: ReminderPlan) {
  const unsubscribeUrl = unsubscribeLink(links, 'reminder', user.id)
  return {
    kind: 'reminder' as const,
    // From day, user and secret, so that a retry has the same id, but another environment does not.
    id: `reminder-${dueFor?.day}-${unsubscribeUrl.slice(-32)}`,
    to: user.email,
    name: user.name,
    frontendUrl,
    unsubscribeUrl,
    notAfter: (dueFor?.until ?? new Date(0)).toISOString(),
  }
}

/** Schedules the next check of each user, unless a concurrent change of their settings has scheduled one. */
async function scheduleNextCheck({ db, now }: ReminderContext, plans: Planned[], reminded: Set<number>) {
  const rows = plans.map(({ user, plan }) => [
    user.id,
    user.lookAt?.getTime() ?? null,
    plan.lookAgainAt?.getTime() ?? null,
    reminded.has(user.id) ? now.getTime() : null,
    reminded.has(user.id) ? plan.dueFor?.day : null,
  ])
  const schedule = sql`
    update users set reminder_look_at = value ->> 2,
                     reminder_last_sent_at = coalesce(value ->> 3, reminder_last_sent_at),
                     reminder_last_day = coalesce(value ->> 4, reminder_last_day)
      from json_each(${JSON.stringify(rows)})
     where users.id = value ->> 0 and reminder_look_at = value ->> 1`
  await runOne(db, db.run(schedule))
}
