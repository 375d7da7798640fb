import { addDays, type CalendarDate, earliestDate } from '../domain/dates.ts'
import { formatMoney } from '../domain/money.ts'
import { bookedIn, type Exception } from '../domain/recurrence/occurrences.ts'
import type { Repeating } from '../domain/recurrence/repeating.ts'
import type { Divided } from './divide.ts'
import { occurringOf, openFromOf, type Rule, type RuleWithNext } from './read.ts'
import type {
  ShownCreatedRecurring,
  ShownDividedRecurring,
  ShownException,
  ShownRecurring,
  ShownStoredRecurring,
  ShownSuggestions,
  ShownUpcoming,
} from './response-contract.ts'
import type { OccurrenceOfRule } from './upcoming.ts'

/** A rule without what depends on the day. */
export function presentStoredRule(rule: Rule): ShownStoredRecurring {
  return {
    id: rule.id,
    account_id: rule.accountId,
    to_account_id: rule.toAccountId,
    category_id: rule.categoryId,
    type: rule.type,
    amount: formatMoney(rule.amount),
    amount_tolerance: rule.amountTolerance,
    description: rule.description,
    reference: rule.reference,
    starts_on: rule.startsOn,
    rrule: rule.rrule,
    weekend: rule.weekend,
    auto_record: rule.autoRecord,
    remind_days: rule.remindDays,
    paused: rule.paused,
    open_from: openFromOf(rule),
    exceptions: Object.fromEntries(
      Object.entries(rule.exceptions).map(([date, exception]) => [date, presentException(exception)]),
    ),
    successor_id: rule.successorId,
    client_id: rule.clientId,
    version: rule.version,
  }
}

const presentException = ({ amount, ...rest }: Exception): ShownException => ({
  ...rest,
  ...(amount !== undefined && { amount: formatMoney(amount) }),
})

export function presentRule({ next, ...rule }: RuleWithNext): ShownRecurring {
  return { ...presentStoredRule(rule), next }
}

export function presentCreatedRule(rule: RuleWithNext): ShownCreatedRecurring {
  return { ...presentRule(rule), past: pastOf(rule) }
}

/** The occurrences that are booked before the rule is open. */
function pastOf(rule: Rule): { count: number; first: CalendarDate; last: CalendarDate } | null {
  const past = bookedIn(occurringOf(rule), { from: earliestDate, to: addDays(openFromOf(rule), -1) })
  const [first, last] = [past[0], past.at(-1)]
  return first && last ? { count: past.length, first: first.date, last: last.date } : null
}

export function presentDivided({ ended, successor }: Divided): ShownDividedRecurring {
  return { recurring: presentRule(ended), successor: successor && presentRule(successor) }
}

export function presentSuggestions(found: Repeating[]): ShownSuggestions {
  return {
    suggestions: found.map(({ key, because, rows, startsOn, rrule, weekend, amount, amountTolerance }) => {
      const last = rows.at(-1) as Repeating['rows'][number]
      return {
        key,
        because,
        transaction_ids: rows.map(({ id }) => id),
        body: {
          account_id: last.accountId,
          to_account_id: last.toAccountId,
          category_id: rows.findLast(({ categoryId }) => categoryId !== null)?.categoryId ?? null,
          type: last.type,
          amount: formatMoney(amount),
          amount_tolerance: amountTolerance,
          description: last.description,
          starts_on: startsOn,
          rrule,
          weekend,
          link_past: true,
        },
      }
    }),
  }
}

export function presentUpcoming(found: OccurrenceOfRule[]): ShownUpcoming {
  return {
    occurrences: found.map(({ rule, occurrence, amount, possible }) => ({
      recurring_id: rule.id,
      occurrence_date: occurrence.date,
      transaction_date: occurrence.day,
      state: occurrence.state,
      days_late: occurrence.daysLate,
      amount: formatMoney(amount),
      possible,
    })),
  }
}
