import { asc, eq, lte, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { transactions, users } from '../db/schema.ts'
import { BadLink } from '../domain/failures.ts'
import { isUnsubscribeLink, type LinkBase, unsubscribeLink } from '../domain/links.ts'
import { planReminder, type ReminderPlan } from '../domain/reminders.ts'
import type { Outbox } from '../gateways/mail-queue.ts'

/** Users of one batch of the job; the queue takes a hundred messages in one call. */
const usersPerBatch = 100
/** What is left after so many batches is for the next run of the job. */
const batchesPerRun = 50

type ReminderContext = { db: Database; now: Date; outbox: Outbox; links: LinkBase; frontendUrl: string }
type DueUser = Awaited<ReturnType<typeof usersToLookAt>>[number]

/**
 * Sends the reminders that are due (decisions.md, Resources). Reads only the users whose time to be looked at has
 * come. Safe to run twice at once: a reminder's id is made of user and day, and the mail service takes it once.
 */
export async function sendDueReminders(
  context: ReminderContext,
): Promise<{ lookedAt: number; sent: number }> {
  let [lookedAt, sent] = [0, 0]
  for (let batch = 0; batch < batchesPerRun; batch++) {
    const due = await usersToLookAt(context)
    if (due.length === 0) break
    const plans = due.map((user) => ({
      user,
      // Between reminders it is when the next one is due, after a change of the settings when that was.
      plan: planReminder(
        { ...user, isVerified: user.emailVerifiedAt !== null, since: user.lookAt },
        context.now,
      ),
    }))
    const idle = await withoutTransaction(context, plans)
    const reminded = plans.filter(({ user, plan }) => plan.dueFor && idle.has(user.id))
    await context.outbox.postAll(
      await Promise.all(reminded.map(({ user, plan }) => reminderFor(context, user, plan))),
    )
    await noteLookedAt(context, plans, new Set(reminded.map(({ user }) => user.id)))
    lookedAt += due.length
    sent += reminded.length
  }
  return { lookedAt, sent }
}

/** Throws BadLink unless the parts are those of a link that `unsubscribeLink` made. */
export async function demandUnsubscribeLink(
  secret: string,
  userId: string,
  signature: string,
): Promise<void> {
  if (!(await isUnsubscribeLink(secret, userId, signature)))
    throw new BadLink(403, 'Invalid unsubscribe link.')
}

/** Ends the reminders of the user that a link is for. Throws BadLink. */
export async function unsubscribe(
  db: Database,
  secret: string,
  userId: string,
  signature: string,
): Promise<void> {
  await demandUnsubscribeLink(secret, userId, signature)
  await db.batch([
    db
      .update(users)
      .set({ reminderTime: null, reminderLookAt: null })
      .where(eq(users.id, Number(userId))),
  ])
}

type Planned = { user: DueUser; plan: ReminderPlan }

async function usersToLookAt({ db, now }: ReminderContext) {
  const [due] = await db.batch([
    db
      .select({
        id: users.id,
        name: users.name,
        email: users.email,
        emailVerifiedAt: users.emailVerifiedAt,
        timezone: users.timezone,
        reminderTime: users.reminderTime,
        lastDay: users.reminderLastDay,
        lookAt: users.reminderLookAt,
      })
      .from(users)
      .where(lte(users.reminderLookAt, now))
      .orderBy(asc(users.reminderLookAt))
      .limit(usersPerBatch),
  ])
  return due
}

/** The ids of those who have recorded nothing on the day that their reminder is due for. */
async function withoutTransaction({ db }: ReminderContext, plans: Planned[]): Promise<Set<number>> {
  const days = plans.flatMap(({ user, plan }) => (plan.dueFor ? [[user.id, plan.dueFor.day]] : []))
  if (days.length === 0) return new Set()
  const recorded = sql`select 1 from ${transactions} where user_id = value ->> 0 and transaction_date = value ->> 1`
  const [rows] = await db.batch([
    db.all<{ id: number }>(
      sql`select value ->> 0 as id from json_each(${JSON.stringify(days)}) where not exists (${recorded})`,
    ),
  ])
  return new Set(rows.map(({ id }) => Number(id)))
}

async function reminderFor({ links, frontendUrl }: ReminderContext, user: DueUser, { dueFor }: ReminderPlan) {
  const unsubscribeUrl = await unsubscribeLink(links, user.id)
  return {
    kind: 'reminder' as const,
    // Made of day, user and secret: the same whoever sends it again, and another one in another environment.
    id: `reminder-${dueFor?.day}-${unsubscribeUrl.slice(-32)}`,
    to: user.email,
    name: user.name,
    frontendUrl,
    unsubscribeUrl,
    notAfter: (dueFor?.until ?? new Date(0)).toISOString(),
  }
}

/** Writes when to look next, unless the user has changed the settings meanwhile and so asked to be looked at. */
async function noteLookedAt(
  { db, now }: ReminderContext,
  plans: Planned[],
  reminded: Set<number>,
): Promise<void> {
  const rows = plans.map(({ user, plan }) => [
    user.id,
    user.lookAt?.getTime() ?? null,
    plan.lookAgainAt?.getTime() ?? null,
    reminded.has(user.id) ? now.getTime() : null,
    reminded.has(user.id) ? plan.dueFor?.day : null,
  ])
  await db.batch([
    db.run(sql`
      update users set reminder_look_at = value ->> 2,
                       reminder_last_sent_at = coalesce(value ->> 3, reminder_last_sent_at),
                       reminder_last_day = coalesce(value ->> 4, reminder_last_day)
        from json_each(${JSON.stringify(rows)})
       where users.id = value ->> 0 and reminder_look_at = value ->> 1`),
  ])
}
