import { type Call, difference, type Outcome } from './calls.ts'
import type { State } from './state.ts'

/** A call, and what came back. */
export type Exchange = { call: Call; outcome: Outcome }

/**
 * The states in which the service can be after calls that were sent at once: each must have taken effect in one
 * moment, so there is an order in which the model gives every answer. Several states where answers leave it open;
 * none where they contradict each other, and `problems` says why.
 */
export function explain(states: State[], exchanges: Exchange[], problems: Set<string>): State[] {
  const byUser = Map.groupBy(exchanges, ({ call }) => call.userId)
  // Users concern each other only where one names what another deletes: it is enough that one order of users fits.
  for (const parties of ordersOf([...byUser.values()])) {
    let possible = states
    for (const party of parties) possible = unique(possible.flatMap((state) => after(state, party, problems)))
    if (possible.length > 0) return possible
  }
  return []
}

/** The states after calls of one user, in any order that fits their answers. */
function after(state: State, exchanges: Exchange[], problems: Set<string>): State[] {
  if (exchanges.length === 0) return [state]
  const found: State[] = []
  for (const [place, { call, outcome }] of exchanges.entries()) {
    const verdict = call.expect(state, outcome)
    const { status, body, seen = outcome.body } = verdict
    const problem =
      difference(status, outcome.status, 'the status') ??
      (body === undefined ? undefined : difference(body, seen))
    const rest = exchanges.toSpliced(place, 1)
    if (problem) problems.add(`${call.text} answers ${outcome.status}, but ${problem}`)
    else found.push(...after(verdict.next ?? state, rest, problems))
    // What changes nothing may as well have come first, unless it contradicts: no other order finds more.
    if (!problem && !verdict.next) break
  }
  return found
}

function unique(states: State[]): State[] {
  if (states.length < 2) return states
  return [...new Map(states.map((state) => [JSON.stringify(state, sortedText), state])).values()]
}

/** Writes collections in an order of their own, whatever came first. */
function sortedText(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  if (value instanceof Set) return [...value].sort()
  if (value instanceof Map) return [...value].sort(([a], [b]) => (a < b ? -1 : 1))
  return value
}

function* ordersOf<T>(things: T[]): Generator<T[]> {
  if (things.length < 2) yield things
  else
    for (const [place, thing] of things.entries())
      for (const rest of ordersOf(things.toSpliced(place, 1))) yield [thing, ...rest]
}
