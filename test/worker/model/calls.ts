import { dayInWords, reconciledText } from '../../../src/domain/reconciled-text.ts'
import type { Dice } from '../../dice.ts'
import type { ApiResponse, CallOptions, Person, World } from '../fixtures/world.ts'
import type { State } from './state.ts'

/** What a call is made from: who makes it, what exists by then, and the choices. */
export type Turn = {
  world: World
  person: Person
  state: State
  dice: Dice
  /** Amounts are so large that figures reach their bounds. */
  isRich: boolean
}

export type Response = Pick<ApiResponse, 'status' | 'body'>

/** What the model expects of a call at the moment it takes effect. */
export type Expected = {
  status: number
  /** What the body must contain; it may contain more. */
  body?: unknown
  /** The state after it; absent if nothing changed. */
  next?: State
}

export type Call = {
  /** For the message of a failure. */
  text: string
  send: () => Promise<Response>
  expect: (state: State, response: Response) => Expected
}

export type Operation = {
  name: string
  weight: number
  /** The call; undefined if there is nothing to call it for. */
  plan: (turn: Turn) => Call | undefined
}

const unknownId = 999_999

/** An id: nearly always one of the user's own, seldom another user's or one that nothing has. */
export function pick(
  { state, person, dice }: Turn,
  things: 'accounts' | 'categories' | 'transactions' | 'checks',
): number {
  if (dice.isOnceIn(100)) return unknownId
  const isOwn = !dice.isOnceIn(50)
  const ids = [...state[things].values()]
    .filter(({ user_id }) => (user_id === person.id) === isOwn)
    .map(({ id }) => id)
  return dice.of(ids) ?? unknownId
}

/** A call of the user's. */
export function request(
  { world, person }: Turn,
  method: string,
  path: string,
  options: Omit<CallOptions, 'token'>,
  expect: Call['expect'],
): Call {
  return {
    text: `user ${person.id}: ${method} ${path} ${JSON.stringify(options)}`,
    send: () => world.call(method, path, { ...options, token: person.token }),
    expect,
  }
}

/** What to expect of a path with an id: 404 if it does not exist, 403 if it is another user's. */
export function ifOwn<T extends { user_id: number }>(
  noun: string,
  thing: T | undefined,
  { person }: Turn,
  expect: (thing: T) => Expected,
): Expected {
  if (!thing) return { status: 404, body: { message: `${noun} not found.` } }
  if (thing.user_id !== person.id) return { status: 403, body: { message: 'This action is unauthorized.' } }
  return expect(thing)
}

/** The 422, with the errors where they are known. */
export function invalid(errors: Record<string, string[]> = {}): Expected {
  return { status: 422, body: { message: 'The given data was invalid.', errors } }
}

/** The end of the error text for a figure past its bounds. */
export const pastBounds = 'field would push a balance or total past 90000000000000.00.'

/** What to expect of a write that may push a figure of the user past its bounds. */
export function withinBounds(next: State, { person }: Turn, field: string, expected: Expected): Expected {
  if (next.isInBounds(person.id)) return { ...expected, next }
  return invalid({ [field]: [`The ${field.replaceAll('_', ' ')} ${pastBounds}`] })
}

/** The 422 of a change in a reconciled period. */
export function locked(last: string, field: string): Expected {
  const { status, body } = invalid({ [field]: [reconciledText(dayInWords(last))] })
  return { status, body: { ...(body as object), code: 'reconciled', reconciled_through: last } }
}

/** What to expect of a write that may change a balance of a reconciled period, and then as `withinBounds`. */
export function withinPeriod(
  state: State,
  next: State,
  turn: Turn,
  { field, override }: { field: string; override: Override },
  expected: Expected,
): Expected {
  const last = override.override_reconciled ? null : state.periodChangedBy(next)
  return last === null ? withinBounds(next, turn, field, expected) : locked(last, lockField(field))
}
const lockField = (field: string) => (field === 'amount' ? 'transaction_date' : field)

export type Override = { override_reconciled?: boolean }
/** Overrides reconciled periods in one of three writes. */
export const maybeOverride = ({ dice }: Turn): Override =>
  dice.isOnceIn(3) ? { override_reconciled: true } : {}
export const inQuery = ({ override_reconciled }: Override) =>
  override_reconciled ? '?override_reconciled=true' : ''

/** Describes the first difference between a response and what it must contain. */
export function difference(expected: unknown, actual: unknown, path = ''): string | undefined {
  if (Object.is(expected, actual)) return undefined
  if (typeof expected !== 'object' || expected === null || typeof actual !== 'object' || actual === null) {
    return `${path || 'it'} is ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`
  }
  if (Array.isArray(expected) && expected.length !== (actual as unknown[]).length) {
    return `${path} has ${(actual as unknown[]).length} entries, not ${expected.length}`
  }
  for (const [key, value] of Object.entries(expected)) {
    const found = difference(value, (actual as Record<string, unknown>)[key], path ? `${path}.${key}` : key)
    if (found) return found
  }
  return undefined
}
