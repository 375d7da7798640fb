import { type Call, difference, type Response } from './calls.ts'
import type { State } from './state.ts'

export type Exchange = { call: Call; response: Response }

/**
 * The states in which the service can be after concurrent calls: each must have taken effect in one moment, so there is
 * an order in which the model gives every response. There are several states if the responses leave it open; none if
 * they contradict each other, and then `problems` says why. Orders that lead to the same state with the same calls left
 * are continued as one, since even a handful of calls has too many orders to try each.
 */
export function explain(states: State[], exchanges: Exchange[], problems: Set<string>): State[] {
  // States by the calls that have taken effect, a bit for each.
  let reached = new Map([[0, states]])
  for (const _ of exchanges) {
    const next = new Map<number, State[]>()
    for (const [done, states] of reached)
      for (const state of states)
        for (const [bit, after] of oneMore(state, exchanges, done, problems))
          next.set(done | bit, withState(next.get(done | bit) ?? [], after))
    reached = next
  }
  return [...reached.values()].flat()
}

/** The states after one more of the calls, each with the bit of that call. */
function oneMore(state: State, exchanges: Exchange[], done: number, problems: Set<string>) {
  const found: [bit: number, state: State][] = []
  for (const [nth, { call, response }] of exchanges.entries()) {
    const bit = 1 << nth
    if (done & bit) continue
    const { status, body, next } = call.expect(state, response)
    const problem =
      difference(status, response.status, 'the status') ??
      (body === undefined ? undefined : difference(body, response.body))
    if (problem) problems.add(`${call.text} responds ${response.status}, but ${problem}`)
    // A call that changes nothing may as well have come first: no other order finds more.
    else if (!next) return [[bit, state] as const]
    else found.push([bit, next])
  }
  return found
}

function withState(states: State[], added: State): State[] {
  return states.some((state) => areEqual(state, added)) ? states : [...states, added]
}

/** True if two states that come from one have the same content; what neither has changed is the same object in both. */
function areEqual(one: State, other: State): boolean {
  const isSame = <T>(some: Map<unknown, T>, others: Map<unknown, T>) =>
    some.size === others.size &&
    [...some].every(([key, value]) => value === others.get(key) || textOf(value) === textOf(others.get(key)))
  return (
    isSame(one.accounts, other.accounts) &&
    isSame(one.transactions, other.transactions) &&
    isSame(one.batches, other.batches) &&
    isSame(one.checks, other.checks) &&
    one.spent.size === other.spent.size &&
    [...one.spent].every((clientId) => other.spent.has(clientId))
  )
}

const textOf = (value: unknown) =>
  JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? String(one) : one))
