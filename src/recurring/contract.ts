import * as z from 'zod/mini'
import { isPossibleDate } from '../domain/dates.ts'
import { doc, field } from '../domain/doc.ts'
import { invalidText } from '../domain/field-errors.ts'
import {
  clientId,
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
} from '../domain/fields.ts'
import { idempotencyKeyHeader } from '../domain/idempotency-key-header.ts'
import { overrideReconciled } from '../domain/reconciled.ts'
import { exceptionOf, maxKeptExceptions } from '../domain/recurrence/occurrences.ts'
import {
  formatRecurrenceRule,
  InvalidRecurrenceRule,
  parseRecurrenceRule,
} from '../domain/recurrence/rule.ts'
import { weekendShifts } from '../domain/types.ts'
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
    doc('How many days before an occurrence is due an email reminds of it, 0 on its day; null for never.'),
  ),
  paused: field(
    z.optional(flag),
    doc({ type: 'boolean', default: false, description: 'A paused rule has no open occurrences.' }),
  ),
})

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

/** The error of exceptions other than those of the rule, which single requests for a rule do not set. */
export const exceptionsText = 'The :field field is set by PUT /api/recurring/{id}/occurrences/{date}.'

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
    exceptions: field(
      uploadedExceptions.check(
        z.refine((all) => !all || Object.keys(all).length === 0, { error: exceptionsText }),
      ),
      doc('None: they are set one by one.'),
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
  exceptions: field(uploadedExceptions, doc('As they are: they are changed one by one.')),
  from: field(
    z.optional(nullable(date)),
    doc(
      'An occurrence from which on the changes apply: the rule ends before it, and a successor continues it. Without one, they apply to all that is not recorded.',
    ),
  ),
})
export type RecurringUpdate = z.output<typeof recurringUpdate>

/** The differences of an occurrence from its rule; null removes one. */
export const occurrenceChanges = field(
  z.object({
    ...exceptionFields,
    transaction_id: field(
      z.optional(nullable(id)),
      doc(
        'Alone: the transaction that is the occurrence, of the same account and type, or one side of a transfer, which becomes the transfer; null if none is.',
      ),
    ),
    ...overrideReconciled,
  }),
  doc({ id: 'OccurrenceChanges' }),
)
export type OccurrenceChanges = z.output<typeof occurrenceChanges>

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

/** The most characters of a suggestion's key. */
const maxKey = 200

export const dismissal = z.object({
  key: field(clientId(maxKey), doc('The `key` of the suggestion.')),
})
export type Dismissal = z.output<typeof dismissal>

/** The most suggestions in a response. */
export const maxSuggestions = 50
