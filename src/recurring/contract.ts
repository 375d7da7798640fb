import * as z from 'zod/mini'
import { isPossibleDate } from '../shared/dates.ts'
import { doc, field } from '../shared/doc.ts'
import { invalidText } from '../shared/field-errors.ts'
import {
  converted,
  date,
  flag,
  id,
  nullable,
  nullableText,
  oneOf,
  positiveMoney,
  text,
  wholeNumber,
} from '../shared/fields.ts'
import { idempotencyKeyHeader } from '../shared/idempotency-key-header.ts'
import { exceptionOf, maxKeptExceptions } from '../shared/occurrences.ts'
import {
  formatRecurrenceRule,
  InvalidRecurrenceRule,
  parseRecurrenceRule,
} from '../shared/recurrence-rule.ts'
import * as shown from '../shared/shown.ts'
import { occurrenceStates, transactionTypes, weekendShifts } from '../shared/types.ts'
import { versionConflict } from '../shared/versions.ts'
import { newTransaction } from '../transactions/contract.ts'

const { account_id, to_account_id, category_id, type, amount, description, reference } = newTransaction.shape

const rrule = field(
  converted(text(), (input, reject) => {
    try {
      return formatRecurrenceRule(parseRecurrenceRule(input))
    } catch (error) {
      if (error instanceof InvalidRecurrenceRule) return reject(error.message)
      throw error
    }
  }),
  doc({
    type: 'string',
    examples: ['FREQ=MONTHLY'],
    description:
      'A recurrence rule of RFC 5545, with FREQ (DAILY, WEEKLY, MONTHLY or YEARLY), INTERVAL, COUNT or UNTIL, BYDAY, BYMONTHDAY, BYMONTH and BYSETPOS=-1 for the last working day. Days that a month does not have are its last.',
  }),
)

export const newRecurring = z.object({
  account_id,
  to_account_id,
  category_id,
  type,
  amount,
  amount_tolerance: field(
    z.optional(wholeNumber(0, 50)),
    doc({ default: 0, description: 'By how many percent the amount may vary; 0 with `auto_record`.' }),
  ),
  description,
  reference,
  starts_on: field(date, doc('The day from which the rule holds.')),
  rrule,
  weekend: field(
    z.optional(oneOf(weekendShifts)),
    doc({
      type: 'string',
      default: 'keep',
      description:
        'Where an occurrence on a Saturday or Sunday is booked: `before` is Friday, `after` Monday.',
    }),
  ),
  auto_record: field(
    z.optional(flag),
    doc({ type: 'boolean', default: false, description: 'Records each occurrence on its day.' }),
  ),
  remind_days: field(
    z.optional(nullable(wholeNumber(0, 14))),
    doc('How many days ahead to remind of an occurrence; null for not at all. Stored for a later release.'),
  ),
  paused: field(
    z.optional(flag),
    doc({ type: 'boolean', default: false, description: 'A paused rule has no open occurrences.' }),
  ),
})

/** What a request may say beside the fields of the rule. */
export const recurringRequest = field(
  z.extend(newRecurring, {
    link_past: field(
      z.optional(flag),
      doc({
        type: 'boolean',
        default: false,
        description:
          'Makes the transactions of the suggestion with this `rrule` and `starts_on` its occurrences.',
      }),
    ),
  }),
  doc({ id: 'NewRecurring' }),
)
export type RecurringRequest = z.output<typeof recurringRequest>
export type NewRecurring = z.output<typeof newRecurring>

export const newRecurringKey = idempotencyKeyHeader(
  doc(
    'Makes the call safe to repeat: a repeat, with any valid body, answers with the rule of the first call, or a 422 if that has been deleted.',
  ),
)

export const recurringChanges = z.partial(newRecurring)
export type RecurringChanges = z.output<typeof recurringChanges>

export const recurringUpdate = z.extend(recurringChanges, {
  from: field(
    z.optional(nullable(date)),
    doc(
      'An occurrence from which on the changes apply: the rule ends before it, and a successor continues it. Without one, they apply to all that is not recorded.',
    ),
  ),
})
export type RecurringUpdate = z.output<typeof recurringUpdate>

const exceptionFields = {
  skip: field(z.optional(nullable(flag)), doc('True if there is no such occurrence.')),
  amount: field(z.optional(nullable(positiveMoney)), doc('Another amount.')),
  transaction_date: field(z.optional(nullable(date)), doc('Another day, at most 62 days away.')),
  description: field(z.optional(nullableText()), doc('Another description.')),
}

/** What is different in single occurrences, by date, as an upload sets it: each replaces what the date had. */
export const uploadedExceptions = field(
  z.optional(
    z
      .record(
        z.string().check(z.refine(isPossibleDate)),
        nullable(converted(z.object(exceptionFields), exceptionOf)),
        { error: invalidText },
      )
      .check(
        z.refine((all) => Object.keys(all).length <= maxKeptExceptions, {
          error: `The :field field must not have more than ${maxKeptExceptions} items.`,
        }),
      ),
  ),
  doc('What is different in single occurrences, by date, in place of what it was; null for nothing.'),
)

/** What is different in an occurrence; null removes a difference. */
export const occurrenceChanges = field(
  z.object({
    ...exceptionFields,
    transaction_id: field(
      z.optional(nullable(id)),
      doc('Alone: the transaction that is the occurrence, of the same account and type; null if none is.'),
    ),
  }),
  doc({ id: 'OccurrenceChanges' }),
)
export type OccurrenceChanges = z.output<typeof occurrenceChanges>

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

/** How many days are looked ahead, unless the client says it. */
export const defaultUpcomingDays = 30

export const upcomingQuery = z.partial(
  z.object({
    days: field(
      wholeNumber(1, 366),
      doc({ default: defaultUpcomingDays, description: 'How many days to look ahead.' }),
    ),
  }),
)
export type UpcomingQuery = z.output<typeof upcomingQuery>

/** The most occurrences in a response. */
export const maxUpcoming = 500

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
      'Of a due one: a transaction of the same account, type and amount within three days and half the interval of the rule, which may be it.',
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

/** The most characters of a suggestion's key. */
const maxKey = 200

export const dismissal = z.object({
  key: field(text(maxKey), doc('The `key` of the suggestion.')),
})
export type Dismissal = z.output<typeof dismissal>

export const dismissed = shown.object(
  'DismissedKey',
  'The suggestion that is not made again.',
  { key: z.string() },
  { key: '1 expense netfl month' },
)

/** The most suggestions in a response. */
export const maxSuggestions = 50

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
