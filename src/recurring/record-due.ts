import { asc, eq, lte, type SQL, sql } from 'drizzle-orm'
import { nextChange } from '../database/change-numbers.ts'
import { ConstraintViolated } from '../database/errors.ts'
import { nextTransactionId } from '../database/next-transaction-id.ts'
import { type Database, runAll, runOne } from '../database/run.ts'
import { recurringRules, users } from '../database/schema.ts'
import { setCause } from '../database/written-by.ts'
import { type CalendarDate, dateIn, instantIn } from '../shared/dates.ts'
import { nextBookingAfter, openUntil } from '../shared/occurrences.ts'
import { isRecordedIn, occurringOf, recordedDates, ruleColumns } from './read.ts'

const rulesPerBatch = 200
/** The next run of the job processes the rest. */
const batchesPerRun = 50
/** Each row sets off the triggers of totals under the write lock. */
const rowsPerStatement = 1_000
/** The time at which a rule is checked on the day of an occurrence, in the user's time zone. */
const timeOfDay = '00:05'

type Job = { db: Database; now: Date }
type DueRule = Awaited<ReturnType<typeof rulesToCheck>>[number]
/** An occurrence to be recorded, as the statement that records it takes it. */
type Row = [
  ruleId: number,
  version: number,
  occurrenceDate: CalendarDate,
  day: CalendarDate,
  amount: number,
  description: string | null,
]

/**
 * Records all occurrences that are due of rules that record by themselves. Runs may overlap and end at any point: the key of
 * an occurrence makes it one row, and a rule is checked again unless its next check was scheduled. A rule whose rows would
 * push a figure past its bounds is logged, and its occurrences stay due.
 */
export async function recordDue(job: Job): Promise<Record<string, number>> {
  const did = { rules: 0, recorded: 0, refused: 0 }
  for (let batch = 0; batch < batchesPerRun; batch++) {
    const due = await rulesToCheck(job)
    if (due.length === 0) break
    for (const rows of chunks(due.map((rule) => openRows(rule, job.now)))) {
      const { recorded, refused } = await record(job, rows)
      did.recorded += recorded
      did.refused += refused
    }
    await scheduleNextCheck(job, due)
    did.rules += due.length
  }
  return did
}

/** Whether an account of the rule is closed: its occurrences stay due until a person records them. */
const isClosed = sql<0 | 1>`exists (
  select 1 from accounts
   where accounts.id in (recurring_rules.account_id, recurring_rules.to_account_id) and closed_on is not null)`

function rulesToCheck({ db, now }: Job) {
  const due = db
    .select({ ...ruleColumns, recorded: recordedDates(now), timezone: users.timezone, isClosed })
    .from(recurringRules)
    .innerJoin(users, eq(users.id, recurringRules.userId))
    .where(lte(recurringRules.dueAt, now))
    .orderBy(asc(recurringRules.dueAt))
    .limit(rulesPerBatch)
  return runOne(db, due)
}

function openRows(rule: DueRule, now: Date): Row[] {
  const { id, version, isClosed } = rule
  if (isClosed) return []
  const open = openUntil(occurringOf(rule), isRecordedIn(rule.recorded), dateIn(rule.timezone, now))
  return open.map(({ date, day, exception }) => [
    id,
    version,
    date,
    day,
    exception.amount ?? rule.amount,
    exception.description ?? rule.description,
  ])
}

/** Groups the rows of rules for statements of at most `rowsPerStatement`; a rule has at most some sixty. */
function chunks(rules: Row[][]): Row[][][] {
  const found: Row[][][] = []
  let size = rowsPerStatement
  for (const rows of rules.filter(({ length }) => length > 0)) {
    if (size + rows.length > rowsPerStatement) {
      found.push([])
      size = 0
    }
    found.at(-1)?.push(rows)
    size += rows.length
  }
  return found
}

/** Records the rows of rules. If a constraint fails, halves them until the rule is found that breaks it. */
async function record(job: Job, rules: Row[][]): Promise<{ recorded: number; refused: number }> {
  try {
    const { inserted } = await runAll(job.db, {
      inserted: job.db.run(insertOccurrences(rules.flat(), job.now)),
      cause: job.db.run(setCause('recurring')),
    })
    return { recorded: inserted.rowsAffected, refused: 0 }
  } catch (error) {
    if (!(error instanceof ConstraintViolated)) throw error
    if (rules.length === 1) {
      console.error(JSON.stringify({ event: 'recurring transaction refused', rule: rules[0]?.[0]?.[0] }))
      return { recorded: 0, refused: 1 }
    }
    const middle = Math.ceil(rules.length / 2)
    const first = await record(job, rules.slice(0, middle))
    const second = await record(job, rules.slice(middle))
    return { recorded: first.recorded + second.recorded, refused: first.refused + second.refused }
  }
}

/**
 * Inserts the occurrences whose rule is still the one that was read, unless a transaction that is linked to no rule may be
 * the occurrence (`possibleFor`). Rules disappear with their users and accounts.
 */
function insertOccurrences(rows: Row[], now: Date): SQL {
  const columns = ['rule_id', 'version', 'occurrence_date', 'day', 'amount', 'description']
  const item = sql.raw(columns.map((name, place) => `value ->> ${place} as ${name}`).join(', '))
  return sql`
    insert into transactions (id, user_id, account_id, to_account_id, category_id, type, amount, description, reference,
                              transaction_date, recurring_id, occurrence_date, seq, created_at, updated_at)
    with item as materialized (select key as position, ${item} from json_each(${JSON.stringify(rows)}))
    select ${nextTransactionId} + row_number() over (order by position) - 1, recurring_rules.user_id, recurring_rules.account_id,
           recurring_rules.to_account_id, ${ruleColumns.categoryId}, recurring_rules.type, item.amount, item.description,
           recurring_rules.reference, item.day, recurring_rules.id, item.occurrence_date,
           ${nextChange(sql`recurring_rules.user_id`)} + row_number() over (partition by recurring_rules.user_id order by position) - 1,
           ${now}, ${now}
      from item cross join recurring_rules on recurring_rules.id = item.rule_id and recurring_rules.version = item.version
     where not exists (select 1 from transactions possible where ${possibleFor({ amount: sql`item.amount`, day: sql`item.day` })})
    on conflict (recurring_id, occurrence_date) where recurring_id is not null do nothing`
}

/** By how many days a transaction that may be the occurrence may be away from it. */
export const possibleDays = 3

/** Matches a `possible` transaction that may be an occurrence of the rule: with the same accounts, type and amount, and no rule. */
export function possibleFor({ amount, day }: { amount: SQL; day: SQL }): SQL {
  const away = (days: number) => sql`date(${day}, ${sql.raw(`'${days} days'`)})`
  return sql`possible.account_id = recurring_rules.account_id
    and possible.transaction_date between ${away(-possibleDays)} and ${away(possibleDays)} and possible.amount = ${amount}
    and possible.type = recurring_rules.type and possible.to_account_id is recurring_rules.to_account_id
    and possible.recurring_id is null`
}

/** Schedules the next check of each rule, unless a write has requested one since. */
async function scheduleNextCheck({ db, now }: Job, due: DueRule[]): Promise<void> {
  const checks = due.map((rule) => {
    const next = nextBookingAfter(occurringOf(rule), dateIn(rule.timezone, now))
    const isDone = next === null || rule.paused || !rule.autoRecord
    return [
      rule.id,
      rule.dueAt?.getTime(),
      isDone ? null : instantIn(rule.timezone, next, timeOfDay).getTime(),
    ]
  })
  const schedule = sql`
    update recurring_rules set due_at = upcoming.next
      from (select value ->> 0 as id, value ->> 1 as read, value ->> 2 as next from json_each(${JSON.stringify(checks)})) upcoming
     where recurring_rules.id = upcoming.id and recurring_rules.due_at = upcoming.read`
  await runOne(db, db.run(schedule))
}
