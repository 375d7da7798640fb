import * as z from 'zod/mini'
import { categoryNameKey } from '../../src/domain/category-name-key.ts'
import { monthOf } from '../../src/domain/dates.ts'
import {
  addError,
  filterErrors,
  invalidText,
  notAfterToday,
  otherBalanceText,
  takenText,
} from '../../src/domain/field-errors.ts'
import { idOrReference, longestClientId, oneOf, text } from '../../src/domain/fields.ts'
import { formatMoney, type Minor } from '../../src/domain/money.ts'
import { addDayErrors, addRuleErrors } from '../../src/domain/recurrence/field-rules.ts'
import { exceptionOf } from '../../src/domain/recurrence/occurrences.ts'
import { isBlank } from '../../src/domain/texts.ts'
import { transactionTypes } from '../../src/domain/types.ts'
import { occurrenceChanges, upcomingQuery } from '../../src/recurring/contract.ts'
import {
  balancesErrors,
  balancesQuery,
  forecastErrors,
  forecastQuery,
  monthlyErrors,
  monthlyQuery,
} from '../../src/reports/contract.ts'
import { period, periodErrors } from '../../src/summary/contract.ts'
import { transactionQuery } from '../../src/transactions/contract.ts'
import { withRuleErrors } from '../../src/transactions/contract-rules.ts'
import { fieldsOfNoun } from '../../src/upload/fields-contract.ts'
import { changedElsewhere } from '../../src/users/contract.ts'
import type { FieldErrors } from '../api.ts'
import type { Copy } from './copy.ts'
import { type Creatable, type Entered, type EnteredChanges, invalid } from './entered.ts'
import { readException, textOfException } from './exceptions.ts'
import { fieldsOf } from './fields.ts'
import type { FindKey } from './keys.ts'
import type { Fields, Value } from './pending.ts'
import { type Key, type Noun, nounOf } from './rows.ts'
import type { LedgerFilter, LedgerMonths, LedgerPeriod, LedgerRange, ReadFilter } from './search.ts'
import type { View } from './view.ts'

type Draft = { values: Record<string, unknown>; errors: FieldErrors }

const newIds = z.object({ client_id: text(longestClientId) })

/** Validates input by the contract's schemas and rules, and throws LedgerError with the API's errors. */
export function validatorOf({ view, stored, pending }: Copy, keyOf: FindKey, today: () => string) {
  /** True for a row that is shown. Until all rows have been received, any other may exist as well. */
  const exists = (noun: Noun, key: Key) =>
    view().get(noun, key) !== undefined || stored().meta.cursor === null

  /** The entered values in the form in which the service returns them. */
  function fieldsOfDraft(noun: Noun, { values }: Draft): Fields {
    const entered = fieldsOf(noun).filter((field) => field in values)
    return Object.fromEntries(entered.map((field) => [field, toShown(field, values[field])]))
  }

  function toShown(field: string, value: unknown): Value {
    if (['amount', 'starting_balance', 'balance'].includes(field)) return formatMoney(value as Minor)
    const noun = nounOf(field)
    return noun && value !== null ? keyOf(noun, value as Key | number) : (value as Value)
  }

  /** Adds the errors of the rules across fields and rows; `key` is undefined for a new row. */
  function withRules(noun: Noun, next: Fields, errors: FieldErrors, key?: Key): FieldErrors {
    if (noun === 'category' && !('name' in errors) && isNameTaken(next, key))
      return withError(errors, 'name', takenText)
    if (noun === 'balance_check')
      return withCheckRules(next, errors, key, { view: view(), exists, today: today() })
    if (noun === 'recurring') addRuleErrors(errors, next)
    if (noun !== 'transaction' && noun !== 'recurring') return errors
    const isThere = (of: Noun, value: Value) => exists(of, String(value))
    // As in an operation, a null says that there is no category.
    const isNew = key === undefined && next.category_id !== null
    return withRuleErrors(next, { exists: isThere, isNew, errors })
  }

  function isNameTaken({ name, type }: Fields, own: Key | undefined): boolean {
    const nameKey = categoryNameKey(String(name))
    return [...view().all('category').values()].some(
      (row) => row.key !== own && row.type === type && categoryNameKey(row.name) === nameKey,
    )
  }

  return {
    /** Returns the key of a new row. Two rows of one noun must not have the same id. */
    newKey(noun: Creatable, client_id: string): Key {
      const { values, errors } = readFields(newIds, { client_id })
      const key = `#${values.client_id}`
      const isTaken = pending.has(`${noun} ${key}`) || stored().rows.get(noun, key) !== undefined
      refuse(isTaken ? withError(errors, 'client_id', takenText) : errors)
      return key
    },

    /** Returns the fields of a new row. */
    create<N extends Creatable>(noun: N, entered: Entered[N]): Fields {
      const draft = readFields(fieldsOfNoun[noun].create, entered)
      const fields = fieldsOfDraft(noun, draft)
      refuse(withRules(noun, fields, draft.errors))
      return fields
    },

    /** Returns the key of the check that has this balance already. */
    sameCheck(entered: Entered['balance_check']): Key | undefined {
      const draft = readFields(fieldsOfNoun.balance_check.create, entered)
      const { account_id, date, balance } = fieldsOfDraft('balance_check', draft)
      return [...view().all('balance_check').values()].find(
        (row) => row.account_id === account_id && row.date === date && row.balance === balance,
      )?.key
    },

    /** Returns the fields that a change of a row sets. */
    update<N extends Noun>(noun: N, row: Fields & { key: Key }, entered: EnteredChanges<N>): Fields {
      const draft = readFields(fieldsOfNoun[noun].update, entered)
      const fields = fieldsOfDraft(noun, draft)
      if (noun === 'profile' && draft.values.email && draft.values.email !== row.email)
        addError(draft.errors, 'email', changedElsewhere)
      // Only a transfer has a destination.
      if ((noun === 'transaction' || noun === 'recurring') && 'type' in fields && fields.type !== 'transfer')
        if (!('to_account_id' in draft.errors)) fields.to_account_id ??= null
      // A category that has been deleted is none.
      const { category_id: category } = row
      const lost = typeof category === 'string' && !exists('category', category) && { category_id: null }
      refuse(withRules(noun, { ...row, ...lost, ...fields }, draft.errors, row.key))
      return fields
    },
  }
}

/** Adds the errors of the rules for balance checks; `own` is undefined for a new one. */
function withCheckRules(
  { account_id, date }: Fields,
  given: FieldErrors,
  own: Key | undefined,
  { view, exists, today }: { view: View; exists: (noun: Noun, key: Key) => boolean; today: string },
): FieldErrors {
  const errors = { ...given }
  const isTaken = [...view.all('balance_check').values()].some(
    (row) => row.key !== own && row.account_id === account_id && row.date === date,
  )
  if (!('account_id' in given) && !exists('account', String(account_id)))
    addError(errors, 'account_id', invalidText)
  if (!('date' in given) && String(date) > today) addError(errors, 'date', notAfterToday)
  else if (!('date' in given) && isTaken) addError(errors, 'date', otherBalanceText)
  return errors
}

const transactionType = oneOf(transactionTypes)
const filters = z.extend(transactionQuery, {
  account_id: z.optional(idOrReference),
  category_id: z.optional(z.union([z.literal('none'), idOrReference], { error: invalidText })),
  type: z.optional(z.union([transactionType, z.array(transactionType)], { error: invalidText })),
  words: z.optional(z.union([text(), z.array(text())], { error: invalidText })),
})

const ofAccount = { account_id: z.optional(idOrReference) }
const months = z.extend(monthlyQuery, ofAccount)
const ranges = z.extend(balancesQuery, ofAccount)

/** Read queries as the service does; `today` is the latest date on earth. They throw LedgerError. */
export const readFilter = (query: LedgerFilter): ReadFilter => readQuery(filters, query)
export const readPeriod = (query: LedgerPeriod): LedgerPeriod => readFigures(period, query, periodErrors)
export const readMonths = (query: LedgerMonths, today: string): LedgerMonths =>
  readFigures(months, query, (values) => monthlyErrors(values, monthOf(today)))
export const readRange = (query: LedgerRange, today: string): LedgerRange =>
  readFigures(ranges, query, (values) => balancesErrors(values, today))

const forecasts = z.extend(forecastQuery, ofAccount)
export const readForecast = (query: Omit<LedgerRange, 'from'>, today: string): LedgerRange =>
  readFigures(forecasts, query, (values) => forecastErrors(values, today))
export const readUpcoming = (query: { days?: number | undefined }): { days?: number } =>
  readQuery(upcomingQuery, query)

const exceptions = z.omit(occurrenceChanges, { transaction_id: true })

/** Merges changes into the exception of a date, both as the texts that rules have. Throws LedgerError. */
export function mergedException(before: Value | undefined, changes: object, date: string): string | null {
  const { values, errors } = readFields(exceptions, changes)
  addDayErrors(errors, { date, day: values.transaction_date as string | null | undefined })
  refuse(errors)
  return textOfException(exceptionOf({ ...readException(before), ...values }))
}

type ErrorsOf = (values: Draft['values']) => FieldErrors

function readFigures(schema: z.ZodMiniObject, query: object, errorsOf: ErrorsOf) {
  const unsupported = filterErrors(schema.shape, present(query))
  return readQuery(schema, query, (values) => ({ ...unsupported, ...errorsOf(values) }))
}

function readQuery(schema: z.ZodMiniObject, query: object, errorsOf: ErrorsOf = () => ({})) {
  const { values, errors } = readFields(schema, present(query))
  refuse({ ...errors, ...errorsOf(values) })
  return values
}

/** The parameters of a query; an empty one counts as absent. */
function present(query: object): object {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => !isBlank(String(value ?? ''))))
}

/** Validates field by field, so that the valid values are known even if others are refused. */
function readFields(schema: z.ZodMiniObject, input: object): Draft {
  const values: Record<string, unknown> = {}
  const errors: FieldErrors = {}
  for (const [name, field] of Object.entries(schema.shape)) {
    const { data, error } = z.safeParse(field, (input as Record<string, unknown>)[name])
    if (data !== undefined) values[name] = data
    for (const issue of error?.issues ?? []) addError(errors, [name, ...issue.path].join('.'), issue.message)
  }
  return { values, errors }
}

function withError(given: FieldErrors, field: string, message: string): FieldErrors {
  const errors = { ...given }
  addError(errors, field, message)
  return errors
}

function refuse(errors: FieldErrors): void {
  if (Object.keys(errors).length > 0) throw invalid(errors)
}
