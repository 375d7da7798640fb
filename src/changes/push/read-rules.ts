import { sql } from 'drizzle-orm'
import type { Owner } from '../../database/owner.ts'
import { type CalendarDate, dateIn } from '../../domain/dates.ts'
import { datesOf, nextOccurrence } from '../../domain/recurrence/dates.ts'
import { storedRecurrenceRule } from '../../domain/recurrence/rule.ts'
import type { FoundRule } from '../../recurring/chain.ts'
import { selectRules } from '../../recurring/read.ts'
import type { Operation, Upload } from '../operations-contract.ts'

/** All rules of the user, the ids of rows that operations name by client ids, and which of these are spent. */
export type ReadRules = {
  rules: FoundRule[]
  today: CalendarDate
  /** By noun and client id, as `account a1`. */
  ids: ReadonlyMap<string, number>
  /** The client ids of deleted rules. */
  spent: ReadonlySet<string>
  calendarOf: CalendarOf
}

/** True if the rules have to be read before the upload. */
export function namesRules({ operations, isRestore }: Upload): boolean {
  return operations.some(({ noun, kind, set }) =>
    noun === 'recurring'
      ? kind !== 'create'
      : !isRestore && noun === 'transaction' && kind === 'create' && set.recurring_id != null,
  )
}

/** Reads the user's rules, and the ids of what operations on rules name by client ids. */
export async function readRules(owner: Owner, operations: Operation[]): Promise<ReadRules> {
  const own = operations.filter(({ noun }) => noun === 'recurring')
  const sent = own.flatMap(({ set, was }) => [set, was])
  const names = (fields: string[]) =>
    JSON.stringify(
      sent.flatMap((values) => fields.map((field) => values[field]).filter((one) => typeof one === 'string')),
    )
  const named = (noun: string, table: string, fields: string[]) => sql`
    select ${sql.raw(`'${noun}'`)} as noun, client_id as name, id from ${sql.raw(table)}
     where user_id = ${owner.id} and client_id in (select substr(value, 2) from json_each(${names(fields)}))`
  const { rules, ids, spent, user } = await owner.run({
    rules: selectRules(owner, owner.now),
    ids: owner.db.all<{ noun: string; name: string; id: number }>(sql`
      ${named('account', 'accounts', ['account_id', 'to_account_id'])} union all ${named('category', 'categories', ['category_id'])}`),
    spent: owner.db.all<{ name: string }>(sql`
      select client_id as name from spent_client_ids
       where user_id = ${owner.id} and noun = 'recurring' and client_id in (
         select value from json_each(${names(['successor_client_id'])}))`),
  })
  return {
    rules,
    today: dateIn(user.timezone, owner.now),
    ids: new Map(ids.map(({ noun, name, id }) => [`${noun} ${name}`, id])),
    spent: new Set(spent.map(({ name }) => name)),
    calendarOf: calendars(),
  }
}

type Calendar = {
  first: CalendarDate | null
  /** True for a date of the rule. */
  has: (date: CalendarDate) => boolean
}
export type CalendarOf = (rule: Pick<FoundRule, 'startsOn' | 'rrule'>) => Calendar

/** Computes the calendar of each schedule once: an upload may name thousands of dates. */
function calendars(): CalendarOf {
  const known = new Map<string, Calendar>()
  return ({ startsOn, rrule }) => {
    const key = `${startsOn} ${rrule}`
    const schedule = { startsOn, rule: storedRecurrenceRule(rrule) }
    const calendar = known.get(key) ?? { first: nextOccurrence(schedule), has: datesOf(schedule) }
    known.set(key, calendar)
    return calendar
  }
}
