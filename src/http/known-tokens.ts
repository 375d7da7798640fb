const most = 10_000

/**
 * The keys (`Owner.tokenKey`) of the tokens that this isolate has recently seen to be valid, with the ids of their
 * users, the most recently used last.
 */
const known = new Map<string, number>()

/** True for a token that was valid when it was last used here. It may have been revoked elsewhere since. */
export function isRemembered(tokenKey: string): boolean {
  return known.has(tokenKey)
}

/** The id of the user whose token this is; undefined if the token is not known here. */
export function userOf(tokenKey: string): number | undefined {
  return known.get(tokenKey)
}

/** Remembers a token that has just proved valid, and its user. Beyond `most`, the least recently used is forgotten. */
export function remember(tokenKey: string, userId: number): void {
  known.delete(tokenKey)
  known.set(tokenKey, userId)
  const [oldest] = known.keys()
  if (known.size > most && oldest !== undefined) known.delete(oldest)
}

/** Forgets a token that could not be shown to be valid. */
export function forget(tokenKey: string): void {
  known.delete(tokenKey)
}
