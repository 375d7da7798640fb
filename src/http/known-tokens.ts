const most = 10_000

/** The tokens that this isolate has recently seen to be valid, the most recently used last. */
const known = new Set<string>()

/** True for a token that was valid when it was last used here. It may have been revoked elsewhere since. */
export function isKnown(token: string): boolean {
  return known.has(token)
}

/** Remembers a token that has just proved valid. Once there are too many, the least recently used is forgotten. */
export function remember(token: string): void {
  known.delete(token)
  known.add(token)
  const [oldest] = known
  if (known.size > most && oldest !== undefined) known.delete(oldest)
}

/** Forgets a token that is no longer valid. */
export function forget(token: string): void {
  known.delete(token)
}
