const most = 10_000

/** The tokens that this isolate has recently seen to be valid, with the ids of their users, the most recently used last. */
const known = new Map<string, number>()

/** True for a token that was valid when it was last used here. It may have been revoked elsewhere since. */
export function isRemembered(token: string): boolean {
  return known.has(token)
}

/** The id of the user whose token this is; undefined if the token is not known here. */
export function userOf(token: string): number | undefined {
  return known.get(token)
}

/** Remembers a user's token that has just proved valid. Once there are too many, the least recently used is forgotten. */
export function remember(token: string, userId: number): void {
  known.delete(token)
  known.set(token, userId)
  const [oldest] = known.keys()
  if (known.size > most && oldest !== undefined) known.delete(oldest)
}

/** Forgets a token that could not be shown to be valid. */
export function forget(token: string): void {
  known.delete(token)
}
