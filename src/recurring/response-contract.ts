import * as z from 'zod/mini'
import { doc, field } from '../domain/doc.ts'
import * as shown from '../domain/shown.ts'
import { occurrenceStates, transactionTypes, weekendShifts } from '../domain/types.ts'
import { versionConflict } from '../domain/versions.ts'
import { maxSuggestions } from './contract.ts'

// The responses; contract.ts has the requests.

const exception = shown.object('OccurrenceException', 'What is different in an occurrence.', {
  skip: z.optional(z.boolean()),
  amount: z.optional(shown.amount()),
  transaction_date: z.optional(shown.calendarDate()),
  description: z.optional(z.string()),
})
export type ShownException = z.output<typeof exception>

const shownFields = () => ({
  id: shown.id(),
  account_id: shown.id(),
  to_account_id: z.nullable(shown.id()),
  category_id: z.nullable(shown.id()),
  type: z.enum(transactionTypes),
  amount: shown.amount(),
  amount_tolerance: shown.count(),
  description: z.nullable(z.string()),
  reference: z.nullable(z.string()),
  starts_on: shown.calendarDate(),
  rrule: z.string(),
  weekend: z.enum(weekendShifts),
  auto_record: z.boolean(),
  remind_days: z.nullable(shown.count()),
  paused: z.boolean(),
  open_from: field(
    shown.calendarDate(),
    doc(
      'Occurrences that are booked earlier are neither due nor recorded by themselves: the day on which the rule was created, resumed or switched to `auto_record`.',
    ),
  ),
  exceptions: field(
    z.record(z.string(), exception),
    doc('What is different in single occurrences, by date.'),
  ),
  next: field(
    z.nullable(shown.calendarDate()),
    doc('The date of the first open occurrence, even if it is due; null if there is none.'),
  ),
  successor_id: field(z.nullable(shown.id()), doc('The rule that continues this one.')),
  client_id: field(z.nullable(z.string()), doc('The id that the client gave it on creation.')),
  version: shown.version(),
})

const rent = () => ({
  id: 3,
  account_id: 1,
  to_account_id: null,
  category_id: 1,
  type: 'expense' as const,
  amount: '950.00',
  amount_tolerance: 0,
  description: 'Rent',
  reference: null,
  starts_on: '2026-01-31',
  rrule: 'FREQ=MONTHLY',
  weekend: 'keep' as const,
  auto_record: true,
  remind_days: null,
  paused: false,
  open_from: '2026-11-03',
  exceptions: { '2026-12-31': { amount: '980.00' } },
  next: '2026-11-30',
  successor_id: null,
  client_id: null,
  version: 1,
})

export const recurring = shown.object('Recurring', 'A transaction that repeats.', shownFields(), rent())
export type ShownRecurring = z.output<typeof recurring>

/** A rule without what depends on the day. */
export const storedRecurring = z.omit(recurring, { next: true })
export type ShownStoredRecurring = z.output<typeof storedRecurring>

const past = shown.object('PastOccurrences', 'The occurrences before a rule was created.', {
  count: shown.count(),
  first: shown.calendarDate(),
  last: shown.calendarDate(),
})

export const createdRecurring = shown.object(
  'CreatedRecurring',
  'A rule with its occurrences of the past.',
  { ...shownFields(), past: field(z.nullable(past), doc('They are recorded one by one, if at all.')) },
  { ...rent(), past: { count: 10, first: '2026-01-31', last: '2026-10-31' } },
)
export type ShownCreatedRecurring = z.output<typeof createdRecurring>

export const updatedRecurring = shown.object(
  'UpdatedRecurring',
  'The rule as it is now; after a request with `from`, in its place the rule that ends and the one that continues it.',
  {
    ...z.partial(recurring).shape,
    recurring: z.optional(recurring),
    successor: field(
      z.optional(z.nullable(recurring)),
      doc('Null if `from` is the first occurrence: then the rule itself has changed.'),
    ),
  },
  rent(),
)
const dividedRecurring = z.object({ recurring, successor: z.nullable(recurring) })
export type ShownDividedRecurring = z.output<typeof dividedRecurring>

export const recurringConflict = versionConflict('RecurringConflict', recurring, {
  message: 'The recurring transaction has changed.',
  current: { ...rent(), version: 2 },
})

export const alreadyRecorded = shown.object(
  'AlreadyRecorded',
  'The occurrence is recorded: change its transaction instead.',
  { message: z.string(), code: shown.code('already_recorded'), transaction_id: shown.id() },
  { message: 'The occurrence is already recorded.', code: 'already_recorded', transaction_id: 812 },
)

const occurrence = shown.object('Occurrence', 'An occurrence of a rule.', {
  recurring_id: shown.id(),
  occurrence_date: field(shown.calendarDate(), doc('The date by the rule, which identifies it.')),
  transaction_date: field(shown.calendarDate(), doc('The day on which it is booked.')),
  state: field(
    z.enum(occurrenceStates),
    doc('`due`: open since at most 62 days; then it is not listed any more.'),
  ),
  days_late: shown.count(),
  amount: shown.amount(),
  possible: field(
    z.nullable(shown.id()),
    doc(
      'Of an open one: a transaction of the same account and type within three days and half the interval of the rule, which may be it, since it has the same amount or, differing by up to half, names the payee. A forecast does not expect it again.',
    ),
  ),
})

export const upcoming = shown.object(
  'Upcoming',
  'The occurrences that are due and those of the next days, by day.',
  { occurrences: z.array(occurrence) },
  {
    occurrences: [
      {
        recurring_id: 3,
        occurrence_date: '2026-11-30',
        transaction_date: '2026-11-30',
        state: 'upcoming' as const,
        days_late: 0,
        amount: '950.00',
        possible: null,
      },
    ],
  },
)
export type ShownUpcoming = z.output<typeof upcoming>

export const dismissed = shown.object(
  'DismissedKey',
  'The suggestion that is not made again.',
  { key: z.string() },
  { key: '1 expense netfl month' },
)

const suggestedBody = shown.object('SuggestedRecurring', 'A rule, as `POST /api/recurring` takes it.', {
  account_id: shown.id(),
  to_account_id: z.nullable(shown.id()),
  category_id: field(
    z.nullable(shown.id()),
    doc('Null if none of the transactions has one: income and expenses need one.'),
  ),
  type: z.enum(transactionTypes),
  amount: shown.amount(),
  amount_tolerance: shown.count(),
  description: z.nullable(z.string()),
  starts_on: shown.calendarDate(),
  rrule: z.string(),
  weekend: z.enum(weekendShifts),
  link_past: z.boolean(),
})

const suggestion = shown.object(
  'RecurringSuggestion',
  'Transactions that repeat, and the rule that they follow.',
  {
    key: field(z.string(), doc('Identifies it: `POST /api/recurring/suggestions/dismiss` takes it.')),
    because: field(z.string(), doc('The reason, in words.')),
    transaction_ids: field(z.array(shown.id()), doc('The transactions, oldest first.')),
    body: field(suggestedBody, doc('A body for `POST /api/recurring`.')),
  },
)

export const suggestions = shown.object(
  'RecurringSuggestions',
  'What repeats among the transactions of the last 14 months, and has no rule yet.',
  { suggestions: z.array(suggestion).check(z.maxLength(maxSuggestions)) },
  {
    suggestions: [
      {
        key: '1 expense netfl month',
        because: '5 payments of 9.99 around the 3rd of each month, the last on 3 November',
        transaction_ids: [11, 24, 40, 57, 71],
        body: {
          account_id: 1,
          to_account_id: null,
          category_id: 1,
          type: 'expense' as const,
          amount: '9.99',
          amount_tolerance: 0,
          description: 'NETFLIX.COM',
          starts_on: '2026-07-03',
          rrule: 'FREQ=MONTHLY;BYMONTHDAY=3',
          weekend: 'keep' as const,
          link_past: true,
        },
      },
    ],
  },
)
export type ShownSuggestions = z.output<typeof suggestions>
