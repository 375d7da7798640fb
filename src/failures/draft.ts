import type { FieldErrors } from '../domain/field-errors.ts'
import { Invalid } from './failures.ts'

/**
 * Input that was validated, but not yet against the database. Errors are not thrown: an invalid token or a missing row takes
 * precedence, and some responses list them together with the errors from the database (docs/contract.md, Input).
 */
export type Draft<T> =
  | { complete: true; values: T; errors: FieldErrors }
  | { complete: false; values: Partial<T>; errors: FieldErrors }

/** Adds the errors of another part of the request, such as a header. */
export function withErrors<T>(draft: Draft<T>, errors: FieldErrors): Draft<T> {
  if (Object.keys(errors).length === 0) return draft
  return { complete: false, values: draft.values, errors: { ...draft.errors, ...errors } }
}

/** Returns the values. Throws Invalid if there are errors. */
export function valuesOf<T>(draft: Draft<T>): T {
  if (!draft.complete) throw new Invalid(draft.errors)
  return draft.values
}
