import { type FieldErrors, Invalid } from './failures.ts'

/**
 * Input after its own checks, before the rules that only the database can judge.
 * Both kinds of error reach the client together, so a draft with errors is carried on, not thrown.
 */
export type Draft<T> =
  | { complete: true; values: T; errors: FieldErrors }
  | { complete: false; values: Partial<T>; errors: FieldErrors }

/** The draft with errors of something beside it, such as a header. */
export function withErrors<T>(draft: Draft<T>, errors: FieldErrors): Draft<T> {
  if (Object.keys(errors).length === 0) return draft
  return { complete: false, values: draft.values, errors: { ...draft.errors, ...errors } }
}

/** Answers the values, or throws all that is wrong with them. */
export function completed<T>(draft: Draft<T>): T {
  if (!draft.complete) throw new Invalid(draft.errors)
  return draft.values
}

/** Writes a rule's text for a field: `:field` becomes the field's name in words. */
export function messageFor(field: string, text: string): string {
  return text.replaceAll(':field', field.replaceAll('_', ' '))
}

/** Adds an error to those of a field. */
export function addError(errors: FieldErrors, field: string, text: string): void {
  const message = messageFor(field, text)
  const messages = errors[field] ?? []
  if (!messages.includes(message)) errors[field] = [...messages, message]
}
