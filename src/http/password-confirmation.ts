import { type Draft, withErrors } from '../failures/draft.ts'

/** Adds an error if a password and its confirmation differ. */
export function withPasswordConfirmation<T extends { password: string; password_confirmation: string }>(
  draft: Draft<T>,
) {
  const { password, password_confirmation } = draft.values
  if (password === undefined || password === password_confirmation) return draft
  return withErrors(draft, { password: ['The password field confirmation does not match.'] })
}
