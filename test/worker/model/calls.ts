import * as fc from 'fast-check'
import type { Answer, CallOptions, World } from '../world.ts'
import type { State, User } from './state.ts'

/** What the model expects of a call at the moment it takes effect. */
export type Verdict = {
  status: number
  /** What the body must contain; it may contain more. */
  body?: unknown
  /** Compared instead of the body, if that cannot be compared directly. */
  seen?: unknown
  /** The state after it; absent if nothing changed. */
  next?: State
}

/** A call as its operation describes it. */
export type Planned = Omit<Call, 'kind' | 'salt'>

/** What the service answered, and what was then looked up about its effects. */
export type Outcome = Pick<Answer, 'status' | 'body'> & { learned?: unknown }

type Thing = 'accounts' | 'categories' | 'rows' | 'imports' | 'batches'
export type Made = [thing: Thing, id: unknown]

/** One call of a history, ready to be sent. */
export type Call = {
  kind: string
  /** Identifies the step that it comes from. */
  salt: number
  /** In words, for people who read a counterexample. */
  text: string
  /** Calls of different users do not affect each other. */
  userId: number
  send: () => Promise<Outcome>
  expect: (state: State, outcome: Outcome) => Verdict
  /** True if it cannot change anything. */
  isRead?: boolean
  /** What it created: things are identified by the step that created them, since their ids differ from run to run. */
  made?: (outcome: Outcome) => Made[]
  /** Kinds of calls that must not be sent at the same time, since what this one did is looked up afterwards. */
  clashes?: string[]
}

/**
 * A call as drawn. What it refers to is chosen when its turn comes, from what exists by then. `plan` takes a user to use
 * instead of the drawn one; undefined if nothing fits.
 */
export type Step = { kind: string; drawn: object; plan: (stage: Stage, userId?: number) => Call | undefined }

/** Whose row is meant, and which of them. */
export type Draw = { nth: number; whose: 'own' | 'foreign' | 'nobody' }
type Who = { who: number; token: number; isRevoked: boolean; salt: number }

const nobodys = 999_999

/** True once in `oneIn` draws. Without bias, since fast-check would draw the ends far more often. */
export const seldom = (oneIn: number) => fc.noBias(fc.nat(oneIn - 1)).map((n) => n === oneIn - 1)
/** Without bias, since both ends of a transfer would be the same far too often. */
export const upTo = (nth: number): fc.Arbitrary<Draw> =>
  fc.noBias(
    fc.record({
      nth: fc.nat(nth),
      whose: fc.nat(99).map((n) => (n === 99 ? 'nobody' : n >= 97 ? 'foreign' : 'own')),
    }),
  )
export const anyOf = upTo(59)

const who: fc.Arbitrary<Who> = fc.noBias(
  fc.record({
    who: fc.nat(11),
    token: fc.nat(11),
    isRevoked: seldom(50),
    salt: fc.noShrink(fc.nat(2 ** 31 - 1)),
  }),
)

export type Operation = { kind: string; weight: number; step: fc.Arbitrary<Step> }

/** An operation of the histories: how often it occurs, what is drawn for it, and the call that it becomes. */
export function operation<D extends object>(
  kind: string,
  weight: number,
  draws: { [K in keyof D]: fc.Arbitrary<D[K]> },
  plan: (caller: Caller, drawn: D) => Planned | undefined,
): Operation {
  const step = fc.tuple(who, fc.record(draws) as fc.Arbitrary<D>).map(([who, drawn]) => ({
    kind,
    drawn: { ...who, ...drawn },
    plan: (stage: Stage, userId?: number) => {
      const call = plan(new Caller(stage, who, userId), drawn)
      return call && { kind, salt: who.salt, ...call }
    },
  }))
  return { kind, weight, step }
}

/** Where histories play: the service, what the model knows when a call is planned, and who held which token. */
export class Stage {
  readonly world: World
  state: State
  /** Every token that was ever issued, with its user. */
  readonly issued = new Map<string, number>()
  /** Amounts are so large that figures reach their bounds. */
  readonly isRich: boolean
  /** Client ids that were sent, by user. */
  readonly clientIds = new Map<number, string[]>()
  readonly #makers = new Map<string, string>()

  constructor(world: World, state: State, isRich: boolean) {
    this.world = world
    this.state = state
    this.isRich = isRich
  }

  /** Records what a call created. */
  note({ made, salt }: Call, outcome: Outcome): void {
    for (const [nth, [thing, id]] of (made?.(outcome) ?? []).entries()) {
      if (!this.#makers.has(`${thing} ${id}`)) this.#makers.set(`${thing} ${id}`, `${salt} ${nth}`)
    }
  }

  /** The thing that a number selects: the same one whatever else exists, so that histories can be shortened. */
  choose<Id>(thing: Thing, ids: Id[], nth: number): Id | undefined {
    return first(ids, (id) => `${nth} ${this.#makers.get(`${thing} ${id}`) ?? id}`)
  }

  /** Calls the service and records tokens in the answer. */
  async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const answer = await this.world.call(method, path, options)
    if (answer.body?.access_token) this.issued.set(answer.body.access_token, answer.body.user.id)
    return answer
  }
}

/** Somebody who makes a call. */
export class Caller {
  readonly stage: Stage
  readonly userId: number
  readonly token: string
  readonly #salt: number

  constructor(stage: Stage, { who, token, isRevoked, salt }: Who, userId?: number) {
    this.stage = stage
    this.#salt = salt
    const user = first([...stage.state.users.values()], ({ email }) => `${who} ${email}`)
    this.userId = userId ?? user?.id ?? nobodys
    const live = this.liveTokens(this.userId)
    const dead = [...stage.issued].filter(
      ([one, user]) => user === this.userId && !stage.state.tokens.has(one),
    )
    const candidates =
      (isRevoked && userId === undefined) || live.length === 0 ? dead.map(([one]) => one) : live
    this.token = candidates[token % candidates.length] ?? '1|nonsense'
  }

  get user(): User {
    const user = this.stage.state.users.get(this.userId)
    if (!user) throw new Error('A user who has left makes no calls')
    return user
  }

  liveTokens(userId: number): string[] {
    return [...this.stage.state.tokens].filter(([, user]) => user === userId).map(([token]) => token)
  }

  /** The id that a draw selects, the user's own or another's; if there is none, an id that nothing has. */
  pick(kind: 'accounts' | 'categories' | 'rows' | 'imports', { nth, whose }: Draw): number {
    if (whose === 'nobody') return nobodys
    const things = this.stage.state[kind] as Map<number, { user_id: number }>
    const ids = [...things].filter(([, { user_id }]) => (user_id === this.userId) === (whose === 'own'))
    return (
      this.stage.choose(
        kind,
        ids.map(([id]) => id),
        nth,
      ) ?? nobodys
    )
  }

  /** A client id: a new one, or one that this user has sent before. */
  clientId({ nth, isNew }: { nth: number; isNew: boolean }): string {
    const used = this.stage.clientIds.get(this.userId) ?? []
    const again = isNew ? undefined : first(used, (id) => `${nth} ${id}`)
    const id = again ?? `c${this.#salt}-${nth}`
    this.stage.clientIds.set(this.userId, [...used, id])
    return id
  }

  /** A call with the token; if that is not valid, the answer is a 401 whatever the call. */
  request(
    method: string,
    path: string,
    options: Omit<CallOptions, 'token'>,
    verdict: (state: State, user: User, outcome: Outcome) => Verdict,
  ): Planned {
    const { stage, token, userId } = this
    const said = options.body ?? options.rawBody
    return {
      text: `user ${userId}, token ${token.split('|')[0]}: ${method} ${path} ${typeof said === 'string' ? said : (JSON.stringify(said) ?? '')} ${JSON.stringify(options.headers) ?? ''}`.trim(),
      userId,
      isRead: method === 'GET',
      send: () => stage.call(method, path, { ...options, token }),
      expect: (state, outcome) => {
        const user = state.users.get(state.tokens.get(token) ?? nobodys)
        return user ? verdict(state, user, outcome) : { status: 401, body: { message: 'Unauthenticated.' } }
      },
    }
  }
}

const nouns = {
  accounts: 'Account',
  categories: 'Category',
  rows: 'Transaction',
  imports: 'Import',
  batches: 'Sync batch',
} as const

/** The verdict on a path that names a row: 404 if it does not exist, 403 if it is another user's. */
export function claimed<T extends { user_id: number }>(
  kind: keyof typeof nouns,
  thing: T | undefined,
  { id }: User,
  verdict: (thing: T) => Verdict,
): Verdict {
  if (!thing) return { status: 404, body: { message: `${nouns[kind]} not found.` } }
  if (thing.user_id !== id) return { status: 403, body: { message: 'This action is unauthorized.' } }
  return verdict(thing)
}

/** An Idempotency-Key, rare enough that most requests are new ones. */
export const idempotencyKey = fc.constantFrom(null, null, null, null, 'k1', 'k2')
/** The header for a key. */
export const keyHeader = (key: string | null): Record<string, string> =>
  key === null ? {} : { 'Idempotency-Key': key }

/** The verdict on something created with a key, which the model then remembers. */
export function keyed({ next, ...verdict }: Verdict, key: string | undefined, id: number): Verdict {
  if (!next || key === undefined) return { ...verdict, ...(next && { next }) }
  return { ...verdict, next: next.after((next) => next.keys.set(key, id)) }
}

/** The 422, with the errors where they are known. */
export function invalid(errors: Record<string, string[]> = {}): Verdict {
  return { status: 422, body: { message: 'The given data was invalid.', errors } }
}

/** The refusal of a creation whose key made something that has been deleted since. */
export const keySpent = (what: string): Verdict =>
  invalid({ 'Idempotency-Key': [`The Idempotency-Key belongs to ${what} that was deleted.`] })

/** The end of the error text for a figure past its bounds. */
export const pastBounds = 'field would push a balance or total past 90000000000000.00.'

/** The verdict on a write that may push a figure of the user past its bounds. */
export function withinBounds(
  next: State | undefined,
  userId: number,
  field: string,
  verdict: Verdict,
): Verdict {
  if (next?.isInBounds(userId)) return { ...verdict, next }
  const name = field.replaceAll('_', ' ')
  return invalid({ [field]: [`The ${name} ${pastBounds}`] })
}

/** The first thing in an order that depends only on the things themselves. */
function first<T>(things: T[], keyOf: (thing: T) => string): T | undefined {
  const ranked = things.map((thing) => ({ thing, rank: scrambled(keyOf(thing)) }))
  return ranked.sort((a, b) => a.rank - b.rank)[0]?.thing
}

/** A number that looks random (FNV-1a). */
function scrambled(text: string): number {
  let hash = 0x811c9dc5
  for (const char of text) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193)
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0
}

/** Describes the first difference between actual and expected; actual objects may contain more. */
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
