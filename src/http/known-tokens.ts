const most = 10_000

/** The tokens that this isolate has lately seen to be good, the one used last at the end. */
const known = new Set<string>()

/** True for a token that was good when it was last used here. It may have been revoked elsewhere since. */
export function isKnown(token: string): boolean {
  return known.has(token)
}

/** Remembers a token that has just proved good; of too many the one that was not used for longest is forgotten. */
export function remember(token: string): void {
  known.delete(token)
  known.add(token)
  if (known.size <= most) return
  for (const oldest of known) {
    known.delete(oldest)
    return
  }
}

/** Forgets a token that is no good any more. */
export function forget(token: string): void {
  known.delete(token)
}
