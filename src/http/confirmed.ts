import { addError, type Draft } from '../domain/draft.ts'

/** Adds the error of a password that was not typed the same way twice. */
export function confirmed<T extends { password: string; password_confirmation: string }>(
  draft: Draft<T>,
): Draft<T> {
  const { password, password_confirmation } = draft.values
  if (password === undefined || password === password_confirmation) return draft
  const errors = { ...draft.errors }
  addError(errors, 'password', 'The :field field confirmation does not match.')
  return { complete: false, values: draft.values, errors }
}
