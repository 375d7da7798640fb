const most = 10_000

/** The tokens that this isolate has lately seen to be good, the most recently used at the end. */
const known = new Set<string>()

/** True for a token that was good when it was last used here. It may have been revoked elsewhere since. */
export function isKnown(token: string): boolean {
  return known.has(token)
}

/** Remembers a token that has just proved good. Once there are too many, the one unused for longest is forgotten. */
export function remember(token: string): void {
  known.delete(token)
  known.add(token)
  const [oldest] = known
  if (known.size > most && oldest !== undefined) known.delete(oldest)
}

/** Forgets a token that is no good any more. */
export function forget(token: string): void {
  known.delete(token)
}
