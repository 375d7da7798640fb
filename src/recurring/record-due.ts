import { asc, eq, lte, type SQL, sql } from 'drizzle-orm'
import { nextChange } from '../database/change-numbers.ts'
import { ConstraintViolated } from '../database/errors.ts'
import { nextTransactionId } from '../database/next-transaction-id.ts'
import { type Database, runAll, runOne } from '../database/run.ts'
import { recurringRules, users } from '../database/schema.ts'
import { setCause } from '../database/written-by.ts'
import { addDays, type CalendarDate, dateIn, instantIn } from '../domain/dates.ts'
import { maxChange } from '../domain/recurrence/links.ts'
import { nextBookingAfter, openUntil, possibleDays } from '../domain/recurrence/occurrences.ts'
import { namesPayee } from '../domain/recurrence/possible.ts'
import { ResponseTooLarge } from '../failures/failures.ts'
import { linkedTexts, payeeTexts } from './linkable.ts'
import { isOfNoRule, isRecordedIn, occurringOf, recordedDates, ruleColumns } from './read.ts'

const rulesPerBatch = 200
/** The next run of the job processes the rest. */
const batchesPerRun = 50
/** Transactions of other amounts that are compared with the occurrences of one statement. */
const maxChanged = 5_000
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
  possibleDays: number,
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
    const open = due.map((rule) => openRows(rule, job.now))
    const recorded = new Set<string>()
    for (const chunk of chunks(open)) {
      const rows = await withoutChanged(job, chunk)
      const { keys, refused } = await record(job, rows)
      for (const key of keys) recorded.add(key)
      did.refused += refused
    }
    const left = open.flat().filter(([id, , date]) => !recorded.has(`${id} ${date}`))
    await scheduleNextCheck(job, due, new Set(left.map(([id]) => id)))
    did.rules += due.length
    did.recorded += recorded.size
  }
  return did
}

/** Whether an account of the rule is closed, or reconciled on the day of the item: the occurrence stays due. */
const isHeld = sql`exists (
  select 1 from accounts
   where accounts.id in (recurring_rules.account_id, recurring_rules.to_account_id)
     and (closed_on is not null or reconciled_through >= item.day))`

/** Reads fewer rules at once if their exceptions are more than a response holds. */
async function rulesToCheck(job: Job, limit = rulesPerBatch): ReturnType<typeof readRulesToCheck> {
  try {
    return await readRulesToCheck(job, limit)
  } catch (error) {
    if (!(error instanceof ResponseTooLarge) || limit === 1) throw error
    return rulesToCheck(job, Math.ceil(limit / 2))
  }
}

function readRulesToCheck({ db, now }: Job, limit: number) {
  const due = db
    .select({ ...ruleColumns, recorded: recordedDates(now), timezone: users.timezone })
    .from(recurringRules)
    .innerJoin(users, eq(users.id, recurringRules.userId))
    .where(lte(recurringRules.dueAt, now))
    .orderBy(asc(recurringRules.dueAt))
    .limit(limit)
  return runOne(db, due)
}

function openRows(rule: DueRule, now: Date): Row[] {
  if (!rule.autoRecord) return []
  const [occurring, today] = [occurringOf(rule), dateIn(rule.timezone, now)]
  const open = openUntil(occurring, isRecordedIn(rule.recorded), today)
  const within = possibleDays(occurring, today)
  return open.map(({ date, day, exception }) => [
    rule.id,
    rule.version,
    date,
    day,
    exception.amount ?? rule.amount,
    exception.description ?? rule.description,
    within,
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

/** Leaves out occurrences for which a transaction of the payee with another amount is possible. */
async function withoutChanged(job: Job, rules: Row[][]): Promise<Row[][]> {
  const change = sql.raw(String(maxChange))
  const possible = possibleFor(sql`abs(possible.amount - item.amount) * 100 <= item.amount * ${change}`)
  const found = await runOne(
    job.db,
    job.db.all<{
      key: string
      words: string
      description: string | null
      reference: string | null
      texts: string
    }>(sql`
    select * from (
      with ${itemsOf(rules)}
      select item.rule_id || ' ' || item.occurrence_date as key, concat_ws(' ', possible.description, possible.reference) as words,
             recurring_rules.description, recurring_rules.reference, ${linkedTexts} as texts
        from item cross join recurring_rules on recurring_rules.id = item.rule_id
       cross join transactions possible on ${possible}
       where possible.amount <> item.amount limit ${maxChanged})`),
  )
  const isNamed = ({ words, ...rule }: (typeof found)[number]) => namesPayee(words, payeeTexts(rule))
  const held = new Set(found.filter(isNamed).map(({ key }) => key))
  const isFree = ([id, , date]: Row) => !held.has(`${id} ${date}`)
  return rules.map((rows) => rows.filter(isFree)).filter(({ length }) => length > 0)
}

/**
 * Records the rows of rules, and returns the rule and date of each that it has recorded. If a constraint fails, halves them
 * until the rule is found that breaks it.
 */
async function record(job: Job, rules: Row[][]): Promise<{ keys: string[]; refused: number }> {
  try {
    const { inserted } = await runAll(job.db, {
      inserted: job.db.all<{ key: string }>(insertOccurrences(rules, job.now)),
      cause: job.db.run(setCause('recurring')),
    })
    return { keys: inserted.map(({ key }) => key), refused: 0 }
  } catch (error) {
    if (!(error instanceof ConstraintViolated)) throw error
    if (rules.length === 1) {
      console.error(JSON.stringify({ event: 'recurring transaction refused', rule: rules[0]?.[0]?.[0] }))
      return { keys: [], refused: 1 }
    }
    const middle = Math.ceil(rules.length / 2)
    const first = await record(job, rules.slice(0, middle))
    const second = await record(job, rules.slice(middle))
    return { keys: [...first.keys, ...second.keys], refused: first.refused + second.refused }
  }
}

/**
 * Inserts the occurrences whose rule is still the one that was read, unless a transaction that is linked to no rule may be
 * the occurrence (`possibleFor`). Rules disappear with their users and accounts.
 */
function insertOccurrences(rows: Row[][], now: Date): SQL {
  return sql`
    insert into transactions (id, user_id, account_id, to_account_id, category_id, type, amount, description, reference,
                              transaction_date, recurring_id, occurrence_date, seq, created_at, updated_at)
    with ${itemsOf(rows)}
    select ${nextTransactionId} + row_number() over (order by position) - 1, recurring_rules.user_id, recurring_rules.account_id,
           recurring_rules.to_account_id, ${ruleColumns.categoryId}, recurring_rules.type, item.amount, item.description,
           recurring_rules.reference, item.day, recurring_rules.id, item.occurrence_date,
           ${nextChange(sql`recurring_rules.user_id`)} + row_number() over (partition by recurring_rules.user_id order by position) - 1,
           ${now}, ${now}
      from item cross join recurring_rules on recurring_rules.id = item.rule_id and recurring_rules.version = item.version
     where not ${isHeld} and not exists (
       select 1 from transactions possible where ${possibleFor(sql`possible.amount = item.amount`)})
    on conflict (recurring_id, occurrence_date) where recurring_id is not null do nothing
    returning recurring_id || ' ' || occurrence_date as key`
}

/** The rows of rules as `item`, a table of a query. */
function itemsOf(rules: Row[][]): SQL {
  const names = ['rule_id', 'version', 'occurrence_date', 'day', 'amount', 'description', 'possible_days']
  const columns = sql.raw(names.map((name, place) => `value ->> ${place} as ${name}`).join(', '))
  return sql`item as materialized (
    select key as position, ${columns} from json_each(${JSON.stringify(rules.flat())}))`
}

/**
 * Matches a `possible` transaction that may be the `item` of a rule: of no rule, with the same accounts and type, and of
 * such an amount, unless a person has told it apart.
 */
function possibleFor(isAmount: SQL): SQL {
  const away = (sign: SQL) => sql`date(item.day, ${sign} || item.possible_days || ' days')`
  return sql`possible.account_id = recurring_rules.account_id
    and possible.transaction_date between ${away(sql`'-'`)} and ${away(sql`'+'`)} and ${isAmount}
    and possible.type = recurring_rules.type and possible.to_account_id is recurring_rules.to_account_id
    and ${isOfNoRule(sql`possible`)} and not exists (
      select 1 from rejected_occurrences rejected
       where rejected.transaction_id = possible.id and rejected.recurring_id = recurring_rules.id
         and rejected.occurrence_date = item.occurrence_date)`
}

/**
 * Schedules the next check of each rule, unless a write has requested one since: on the day of the next booking, or on the
 * next day if it has left an occurrence open.
 */
async function scheduleNextCheck({ db, now }: Job, due: DueRule[], left: ReadonlySet<number>) {
  const checks = due.map((rule) => {
    const today = dateIn(rule.timezone, now)
    const next = left.has(rule.id) ? addDays(today, 1) : nextBookingAfter(occurringOf(rule), today)
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
