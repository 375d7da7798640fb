/** Fields by their names in the contract; those that name other rows have ids. */
export type Values = Record<string, unknown>

type Compared = {
  /** The values of the row. */
  now: Values
  /** What the client saw. */
  was: Values
  /** What an update sets; undefined for a deletion. */
  set?: Values
}

/**
 * The fields that conflict: those whose value is neither what the client saw nor what the update sets. Of a deletion, those
 * whose value is not what the client saw. So `was` may hold the whole row. The fields that go together are compared as one.
 */
export function conflictsIn(
  fields: readonly string[],
  { now, was, set }: Compared,
  together: readonly string[] = [],
): string[] {
  return fields.filter((field) => {
    if (!(field in was) || (set && !(field in set))) return false
    const group = together.includes(field) ? together : [field]
    return !isAs(now, was, group) && !(set && isAs(now, set, group))
  })
}

/** True if a row has these values. */
export function isAs(now: Values, values: Values, fields: readonly string[] = Object.keys(values)): boolean {
  return fields.every((field) => (now[field] ?? null) === (values[field] ?? null))
}
