const hashing =
  'hashing a password is slow by design; a second way, a cheaper hash, is what attackers wish for'

/** Why some calls and ways of landing miss a goal, and the second way that was tried; by name, or how the name begins. */
const reasons: Record<string, string> = {
  'POST /api/register': hashing,
}

/** Why that misses a goal; undefined where nothing is known to stand in its way. */
export function reasonOf(name: string): string | undefined {
  return reasons[name] ?? Object.entries(reasons).find(([begin]) => name.startsWith(`${begin},`))?.[1]
}
