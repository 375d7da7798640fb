import { type Call, difference, type Outcome } from './calls.ts'
import type { State } from './state.ts'

/** A call and its answer. */
export type Exchange = { call: Call; outcome: Outcome }

/**
 * The states in which the service can be after calls that were sent at once: each must have taken effect in one
 * moment, so there is an order in which the model gives every answer. There are several states if the answers leave it
 * open; none if they contradict each other, and then `problems` says why.
 */
export function explain(states: State[], exchanges: Exchange[], problems: Set<string>): State[] {
  const byUser = Map.groupBy(exchanges, ({ call }) => call.userId)
  // Users affect each other only if one names what another deletes: it is enough that one order of users fits.
  for (const parties of ordersOf([...byUser.values()])) {
    let possible = states
    for (const party of parties) possible = unique(possible.flatMap((state) => after(state, party, problems)))
    if (possible.length > 0) return possible
  }
  return []
}

/**
 * The states after calls of one user, in any order that fits their answers. Orders that lead to the same state with the
 * same calls left are continued as one: even a handful of calls has too many orders to try each.
 */
function after(start: State, exchanges: Exchange[], problems: Set<string>): State[] {
  // States by the calls that have taken effect, a bit for each.
  let reached = new Map([[0, [start]]])
  for (const _ of exchanges) {
    const next = new Map<number, State[]>()
    for (const [done, states] of reached)
      for (const state of unique(states))
        for (const [bit, after] of oneMore(state, exchanges, done, problems))
          next.set(done | bit, [...(next.get(done | bit) ?? []), after])
    reached = next
  }
  return [...reached.values()].flat()
}

/** The states after one more of the calls, each with the bit of that call. */
function oneMore(
  state: State,
  exchanges: Exchange[],
  done: number,
  problems: Set<string>,
): [number, State][] {
  const found: [number, State][] = []
  for (const [place, { call, outcome }] of exchanges.entries()) {
    const bit = 1 << place
    if (done & bit) continue
    const { status, body, seen = outcome.body, next } = call.expect(state, outcome)
    const problem =
      difference(status, outcome.status, 'the status') ??
      (body === undefined ? undefined : difference(body, seen))
    if (problem) problems.add(`${call.text} answers ${outcome.status}, but ${problem}`)
    else found.push([bit, next ?? state])
    // A call that changes nothing may as well have come first, if its answer fits: no other order finds more.
    if (!problem && !next) break
  }
  return found
}

function unique(states: State[]): State[] {
  return states.filter((state, place) => !states.slice(0, place).some((other) => isSame(state, other)))
}

function isSame(one: State, other: State): boolean {
  const others = Object.values(other) as Collection[]
  return (Object.values(one) as Collection[]).every((each, nth) => holdsSame(each, others[nth] as Collection))
}

type Collection = Map<unknown, unknown> | Set<unknown>

/** True if two collections hold the same things, in whatever order. Most are shared by all states. */
function holdsSame(one: Collection, other: Collection): boolean {
  if (one.size !== other.size) return false
  for (const [key, value] of one.entries()) {
    const found = other instanceof Map ? other.get(key) : value
    if (!other.has(key) || (found !== value && textOf(found) !== textOf(value))) return false
  }
  return true
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? String(part) : part))
}

function* ordersOf<T>(things: T[]): Generator<T[]> {
  if (things.length < 2) yield things
  else
    for (const [place, thing] of things.entries())
      for (const rest of ordersOf(things.toSpliced(place, 1))) yield [thing, ...rest]
}
