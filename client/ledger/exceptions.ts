import { formatMoney, parseMoney } from '../../src/domain/money.ts'
import type { Exception } from '../../src/domain/recurrence/occurrences.ts'
import type { Recurring } from '../api.ts'
import { readJson } from '../errors.ts'
import type { Fields } from './pending.ts'

/*
 * A rule has a field for each exception, such as `exceptions.2026-12-31`, so that they are changed one by one: a JSON text,
 * or null for none.
 */

type Shown = Recurring['exceptions'][string]

const prefix = 'exceptions.'
export const exceptionField = (date: string): string => `${prefix}${date}`
export const isExceptionField = (field: string): boolean => field.startsWith(prefix)
export const dateOfField = (field: string): string => field.slice(prefix.length)

/** The exception of an occurrence that is skipped. */
export const skipped = '{"skip":true}'

/** An exception as a text, the same for all that say the same; null for none. */
export function exceptionText({ skip, amount, transaction_date, description }: Shown): string | null {
  const text = JSON.stringify({ skip, amount, transaction_date, description })
  return text === '{}' ? null : text
}

/** An exception as a text, without what a change of all occurrences from that one on sets. */
export const exceptionAfter = (text: unknown, set: object): string | null =>
  exceptionText(Object.fromEntries(Object.entries(parsed(text) ?? {}).filter(([field]) => !(field in set))))

/** A rule with a field for each exception. */
export function flattened({ exceptions = {}, ...row }: { exceptions?: Recurring['exceptions'] }): object {
  const fields = Object.entries(exceptions).map(([date, one]) => [exceptionField(date), exceptionText(one)])
  return { ...Object.fromEntries(fields), ...row }
}

/** The exceptions in the fields of a rule or of a change, null for none. */
export function exceptionsIn(fields: object): [date: string, exception: Shown | null][] {
  return Object.entries(fields)
    .filter(([field]) => isExceptionField(field))
    .map(([field, text]) => [dateOfField(field), parsed(text)])
}

/** A stored change may be damaged. */
const parsed = (text: unknown): Shown | null => {
  const exception = readJson(String(text ?? ''))
  return typeof exception === 'object' ? (exception as Shown | null) : null
}

/** The fields of a change as an operation has them. */
export function nested(fields: Fields): object {
  const exceptions = Object.fromEntries(exceptionsIn(fields))
  const others = Object.entries(fields).filter(([field]) => !isExceptionField(field))
  return { ...Object.fromEntries(others), ...(Object.keys(exceptions).length > 0 && { exceptions }) }
}

/** An exception as a text, from one of the functions that compute occurrences. */
export const textOfException = (exception: Exception | null): string | null =>
  exception &&
  exceptionText({
    ...exception,
    amount: exception.amount === undefined ? undefined : formatMoney(exception.amount),
  })

/** An exception, of which null has nothing, for the functions that compute occurrences. */
export function readException(text: unknown): Exception {
  const { amount, ...rest } = parsed(text) ?? {}
  const minor = parseMoney(amount)
  return { ...rest, ...(typeof minor === 'number' && { amount: minor }) }
}
