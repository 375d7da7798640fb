import { addDays } from '../../src/domain/dates.ts'
import { formatMoney, type Minor } from '../../src/domain/money.ts'
import { forecastOf } from '../../src/domain/recurrence/forecast.ts'
import {
  dueDays,
  isStillOpen,
  maxPossibleDays,
  possibleDays,
  type StatedOccurrence,
  statedOccurrences,
} from '../../src/domain/recurrence/occurrences.ts'
import { maxPayeeTexts, possibleTransactions } from '../../src/domain/recurrence/possible.ts'
import { defaultUpcomingDays, maxUpcoming } from '../../src/recurring/contract.ts'
import { daysOfForecast, type ForecastQuery } from '../../src/reports/contract.ts'
import { exceptionsIn, isExceptionField } from './exceptions.ts'
import { centsOf, compare, totalOf } from './money.ts'
import type {
  LedgerForecast,
  LedgerOccurrence,
  LedgerRecurring,
  LedgerUpcoming,
  presenterOf,
} from './present.ts'
import type { Key } from './rows.ts'
import { nextOf, type Rule, successorOf } from './rules.ts'
import { between } from './search.ts'
import type { Listed } from './shown-row.ts'
import type { View } from './view.ts'

/** A rule as the service shows it, with the keys of what it names. */
export function presentRule(
  rule: Rule,
  rules: Rule[],
  today: string,
  relations: ReturnType<typeof presenterOf>['relations'],
): LedgerRecurring {
  const { rank, client_id, divides, from, ...row } = rule.row
  const fields = Object.entries(row).filter(([field]) => !isExceptionField(field))
  const exceptions = exceptionsIn(row).flatMap(([date, one]) => (one ? [[date, one]] : []))
  const successor = successorOf(rules, rule)
  return {
    ...(Object.fromEntries(fields) as typeof row),
    ...relations(row),
    open_from: row.open_from ?? today,
    exceptions: Object.fromEntries(exceptions),
    next: nextOf(rule, today),
    successor_id: successor?.row.id ?? null,
    successor_key: successor?.row.key ?? null,
  }
}

type Stated = { rule: Rule; occurrence: StatedOccurrence; amount: string; possible: Listed | undefined }

/** The occurrences of rules that are due today, and all that are booked from today to a day. */
function statedOf(view: View, rules: Rule[], span: { from: string; to: string }): Stated[] {
  const stated = rules.flatMap((rule) => {
    const { row, occurring } = rule
    const within = possibleDays(occurring, span.from)
    const place = { account: row.account_id, toAccount: row.to_account_id, type: row.type, within }
    return statedOccurrences(occurring, (date) => rule.recorded.has(date), span).map((occurrence) => {
      const { exception, day } = occurrence
      const amount = exception.amount ?? Number(centsOf(row.amount))
      return { ...place, amount, day, payeeTexts: () => payeeTextsOf(view, rule), rule, occurrence }
    })
  })
  const possible = possibleTransactions(
    stated.filter(({ occurrence }) => isStillOpen(occurrence)),
    unlinkedAbout(view, span),
  )
  return stated.map((one) => {
    const { rule, occurrence, amount } = one
    return { rule, occurrence, amount: formatMoney(amount as Minor), possible: possible.get(one)?.row }
  })
}

/** The transactions of no rule that may be occurrences, the newest of a day first. */
function unlinkedAbout(view: View, { from, to }: { from: string; to: string }) {
  const accountOf = (name: Key | number | null) => (name === null ? null : view.accountOf(name))
  return between(view, addDays(from, -dueDays - maxPossibleDays), addDays(to, maxPossibleDays))
    .filter(({ recurring_id }) => recurring_id === null)
    .map((row) => ({
      ...{ account: accountOf(row.account_id), toAccount: accountOf(row.to_account_id), type: row.type },
      ...{ amount: Number(centsOf(row.amount)), day: row.transaction_date, words: wordsOf(row), row },
    }))
}

/** The texts of a rule, and those of its newest transactions. */
function payeeTextsOf(view: View, { row, recorded }: Rule): string[] {
  const newest = [...recorded].sort(([a], [b]) => compare(b, a)).slice(0, maxPayeeTexts)
  return [row, ...newest.flatMap(([, key]) => view.get('transaction', key) ?? [])].map(wordsOf)
}

const wordsOf = ({ description, reference }: Pick<Listed, 'description' | 'reference'>) =>
  [description, reference].filter((text) => text !== null).join(' ')

/** The occurrences that are due, and those of the next days, by day. */
export function upcomingOf(
  view: View,
  rules: Rule[],
  today: string,
  { days = defaultUpcomingDays }: { days?: number },
): LedgerUpcoming {
  const found = statedOf(view, rules, { from: today, to: addDays(today, days) })
  const inOrder = found.sort((a, b) => compare(a.occurrence.day, b.occurrence.day))
  return { occurrences: inOrder.slice(0, maxUpcoming).map((one) => presented(view, one)) }
}

function presented(view: View, { rule, occurrence, amount, possible }: Stated): LedgerOccurrence {
  const { row, recorded } = rule
  return {
    recurring_id: row.id,
    recurring_key: row.key,
    occurrence_date: occurrence.date,
    transaction_date: occurrence.day,
    state: occurrence.state,
    days_late: occurrence.daysLate,
    amount,
    possible: possible?.id ?? null,
    possible_key: possible ? view.present(possible).key : null,
    transaction_key: recorded.get(occurrence.date) ?? null,
  }
}

/** The balances of accounts in the days to come. */
export function forecastReportOf(
  view: View,
  rules: Rule[],
  accounts: { id: number | null; key: Key }[],
  { query: { every = 'day', ...query }, today }: { query: ForecastQuery; today: string },
): LedgerForecast {
  const span = daysOfForecast(query, today)
  const future = between(view, addDays(today, 1)).map((row) => ({
    ...{ day: row.transaction_date, type: row.type, amount: centsOf(row.amount) },
    account: view.accountOf(row.account_id),
    toAccount: row.to_account_id === null ? null : view.accountOf(row.to_account_id),
    isOccurrence:
      row.recurring_id !== null && view.get('recurring', view.ruleOf(row.recurring_id)) !== undefined,
  }))
  const expected = statedOf(view, rules, span)
    .filter(({ occurrence, possible }) => isStillOpen(occurrence) && !possible)
    .map((one) => {
      const { type, account_id: account, to_account_id: toAccount } = one.rule.row
      return { ...{ type, account, toAccount }, day: one.occurrence.day, amount: centsOf(one.amount), one }
    })
  const balances = new Map(accounts.map(({ key }) => [key, view.balanceOf(key)]))
  const { points, lowest, due, ...counts } = forecastOf(span, every, { balances, future, expected })
  const idOf = (key: Key) => view.get('account', key)?.id ?? null
  return {
    from: today,
    points: points.map((point) => ({
      date: point.date,
      total: totalOf([...point.balances.values()].reduce((sum, balance) => sum + balance, 0n)),
      accounts: [...point.balances].map(([key, balance]) => ({
        ...{ account_id: idOf(key), account_key: key, balance: totalOf(balance) },
      })),
    })),
    lowest: lowest.map(({ account, date, balance }) => ({
      ...{ account_id: idOf(account), account_key: account, date, balance: totalOf(balance) },
    })),
    due: due.map(({ one }) => presented(view, one)),
    expected: counts.expected,
    recorded_ahead: counts.recordedAhead,
  }
}
