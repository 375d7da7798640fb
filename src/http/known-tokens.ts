const maxTokens = 10_000

/** Cache of valid tokens (`Owner.tokenKey`) and the ids of their users, in the order of their last use. */
const users = new Map<string, number>()

/** True for a token that was valid when this isolate last used it. It may have been revoked since. */
export function isKnownToken(tokenKey: string): boolean {
  return users.has(tokenKey)
}

/** The id of the user of a known token. */
export function userOfKnownToken(tokenKey: string): number | undefined {
  return users.get(tokenKey)
}

/** Adds a valid token. If there are too many, the least recently used is removed. */
export function addKnownToken(tokenKey: string, userId: number): void {
  users.delete(tokenKey)
  users.set(tokenKey, userId)
  const [oldest] = users.keys()
  if (users.size > maxTokens && oldest !== undefined) users.delete(oldest)
}

/** Removes a token that has not been validated. */
export function removeKnownToken(tokenKey: string): void {
  users.delete(tokenKey)
}
