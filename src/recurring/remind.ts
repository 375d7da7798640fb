import { and, asc, eq, isNotNull, lte, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { maxRules } from '../database/quotas.ts'
import { type Database, runOne } from '../database/run.ts'
import { recurringRules, users } from '../database/schema.ts'
import { addDays, type CalendarDate, dateIn, daysOnEarth } from '../domain/dates.ts'
import { formatMoney } from '../domain/money.ts'
import { type LinkBase, unsubscribeLink } from '../identity/links.ts'
import type { Mail } from '../queues/mails.ts'
import type { MailQueue } from '../queues/queues.ts'
import { isRecordedIn, occurringOf, readableExceptions, recordedDates } from './read.ts'
import { daysToRemindOf, occurrencesToRemindOf, type ReminderDays } from './reminder-days.ts'

/** A user's rules are read together, and one more row tells that they are complete. */
const rowsPerBatch = maxRules + 1
/** The next run of the job processes the rest. */
const batchesPerRun = 50
/** An email is at most some 14 KB, and the queue accepts 256 KB in one call. */
const mailsPerCall = 15
/** The most occurrences that an email lists; it counts the others. */
const maxListed = 20
/** Of a description or a name, in characters. */
const maxText = 60

type Context = { db: Database; now: Date; mailQueue: MailQueue; links: LinkBase; frontendUrl: string }
type DueMail = Extract<Mail, { kind: 'due' }>
type CheckedRow = Awaited<ReturnType<typeof rowsToCheck>>[number]
type CheckedUser = CheckedRow['user']
type CheckedRule = NonNullable<CheckedRow['rule']>
type Check = { user: CheckedUser; rules: CheckedRule[]; days: ReminderDays }

/**
 * Queues the emails about occurrences that become due (docs/contract.md, Profile and reminders). Reads only users with rules
 * that ask for it, whose next check is due. Concurrent runs send each email once, since its id consists of user and day.
 */
export async function remindOfDue(context: Context): Promise<Record<string, number>> {
  const did = { dueChecked: 0, dueSent: 0 }
  for (let batch = 0; batch < batchesPerRun; batch++) {
    const checks = checksOf(await rowsToCheck(context), context.now)
    if (checks.length === 0) break
    const mails = checks.flatMap((check) => mailFor(context, check) ?? [])
    for (let start = 0; start < mails.length; start += mailsPerCall)
      await context.mailQueue.sendBatch(mails.slice(start, start + mailsPerCall))
    await scheduleNextCheck(context, checks)
    did.dueChecked += checks.length
    did.dueSent += mails.length
  }
  return did
}

/** The users whose next check is due, each with the rules that ask for reminders, or with null. */
function rowsToCheck({ db, now }: Context) {
  const { id, name, email, emailVerifiedAt, timezone, reminderTime, dueReminders } = users
  const { dueReminderLastDay: lastDay, dueReminderLookAt: lookAt } = users
  const due = db
    .select({
      user: { id, name, email, emailVerifiedAt, timezone, reminderTime, dueReminders, lastDay, lookAt },
      rule: ruleToCheck(now),
    })
    .from(users)
    .leftJoin(recurringRules, and(eq(recurringRules.userId, users.id), isNotNull(recurringRules.remindDays)))
    .where(lte(lookAt, now))
    .orderBy(asc(lookAt), asc(users.id), asc(recurringRules.id))
    .limit(rowsPerBatch)
  return runOne(db, due)
}

/** What a check needs of a rule. Its texts are shortened, since all rules of a user are read together. */
function ruleToCheck(now: Date) {
  const { id, type, amount, amountTolerance, startsOn, rrule, weekend, paused, remindDays } = recurringRules
  const { openedAt, openedIn } = recurringRules
  // A patch with null removes a description: those of all exceptions of a user may be more than a response holds.
  const { from, to } = daysOnEarth(now)
  const isNear = sql`key between ${addDays(from, -3)} and ${addDays(to, 16)}`
  const description = shortened(sql`value ->> 'description'`)
  const accountName = (accountId: SQLWrapper) =>
    shortened(sql`(select name from accounts where accounts.id = ${accountId})`)
  return {
    ...{
      id,
      type,
      amount,
      amountTolerance,
      startsOn,
      rrule,
      weekend,
      paused,
      remindDays,
      openedAt,
      openedIn,
    },
    recorded: recordedDates(now),
    exceptions: sql`(
      select json_group_object(key, json_patch(value, json_object('description', iif(${isNear}, ${description}, null))))
        from json_each(${readableExceptions(sql`recurring_rules`)}))`.mapWith(recurringRules.exceptions),
    title: shortened(sql`coalesce(recurring_rules.description, (
      select name from categories where categories.id = recurring_rules.category_id and categories.user_id is not null))`),
    account: accountName(recurringRules.accountId),
    toAccount: accountName(recurringRules.toAccountId),
    hasClosedAccount: sql<number>`exists (
      select 1 from accounts
       where accounts.id in (recurring_rules.account_id, recurring_rules.to_account_id) and closed_on is not null)`,
  }
}

const shortened = (text: SQL) => sql<string | null>`substr(${text}, 1, ${maxText})`

/** Groups rows by user. The rules of the last user may be incomplete if there are more rows. */
function checksOf(rows: CheckedRow[], now: Date): Check[] {
  const byUser = Map.groupBy(rows, ({ user }) => user.id)
  if (rows.length === rowsPerBatch && byUser.size > 1) byUser.delete(rows.at(-1)?.user.id ?? 0)
  return [...byUser.values()].flatMap((own) => {
    const user = own[0]?.user
    if (!user?.lookAt) return []
    const rules = own.flatMap(({ rule }) => rule ?? [])
    return { user, rules, days: daysToRemindOf({ ...user, lookAt: user.lookAt }, now) }
  })
}

/** The email of a check; undefined if there is nothing to remind of, or the user does not want it or has no verified address. */
function mailFor({ now, links, frontendUrl }: Context, { user, rules, days }: Check): DueMail | undefined {
  if (!user.dueReminders || user.emailVerifiedAt === null) return undefined
  const today = dateIn(user.timezone, now)
  const [first, ...others] = rules
    .flatMap((rule) => dueOf(rule, days, today))
    .sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0))
  if (!first) return undefined
  const listed = others.slice(0, maxListed - 1)
  const unsubscribeUrl = unsubscribeLink(links, 'due', user.id)
  return {
    kind: 'due',
    // As that of the daily reminder: from day, user and secret.
    id: `due-${days.day}-${unsubscribeUrl.slice(-32)}`,
    to: user.email,
    name: user.name,
    frontendUrl,
    unsubscribeUrl,
    today,
    occurrences: [first, ...listed],
    more: others.length - listed.length,
  }
}

function dueOf(rule: CheckedRule, days: ReminderDays, today: CalendarDate): DueMail['occurrences'][number][] {
  if (rule.remindDays === null || rule.hasClosedAccount) return []
  const occurring = { ...occurringOf(rule), remindDays: rule.remindDays }
  const found = occurrencesToRemindOf(occurring, isRecordedIn(rule.recorded), days, today)
  return found.map(({ day, exception }) => ({
    day,
    title: exception.description ?? rule.title,
    amount: formatMoney(exception.amount ?? rule.amount),
    isAbout: rule.amountTolerance > 0,
    from: rule.type === 'income' ? null : rule.account,
    to: rule.type === 'income' ? rule.account : rule.toAccount,
  }))
}

/**
 * Schedules the next check of each user, unless a change of their settings has requested one since. Ends the checks of users
 * without rules that ask for reminders.
 */
async function scheduleNextCheck({ db }: Context, checks: Check[]) {
  const rows = checks.map(({ user, days }) => [
    user.id,
    user.lookAt?.getTime(),
    days.lookAgainAt.getTime(),
    days.day,
  ])
  const schedule = sql`
    update users set due_reminder_look_at = iif(has_rules, next, null), due_reminder_last_day = iif(has_rules, day, null)
      from (select value ->> 0 as user_id, value ->> 1 as read, value ->> 2 as next, value ->> 3 as day,
                   exists (select 1 from recurring_rules where user_id = value ->> 0 and remind_days is not null) as has_rules
              from json_each(${JSON.stringify(rows)})) checked
     where users.id = checked.user_id and due_reminder_look_at = checked.read`
  await runOne(db, db.run(schedule))
}
