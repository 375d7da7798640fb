import * as fc from 'fast-check'
import { pathOf, queuedMail, randomClientAddress } from '../world.ts'
import {
  type Call,
  type Caller,
  invalid,
  type Outcome,
  operation,
  type Planned,
  seldom,
  type Verdict,
} from './calls.ts'
import type { State, User } from './state.ts'

/** Hours from UTC, of zones without daylight saving: the month of the summary is not the same in all of them. */
export const zones: Record<string, number> = {
  UTC: 0,
  'Asia/Tokyo': 9,
  'Pacific/Kiritimati': 14,
  'America/Lima': -5,
}

/** One less than may be requested in a minute. */
const mostResets = 5
const fewestUsers = 2
const mostUsers = 4
const loginLimitKey = () => ({ 'CF-Connecting-IP': randomClientAddress() })

const withUser = (state: State, user: User) => state.after((next) => next.users.set(user.id, user))

const withoutTokens = (state: State, isRevoked: (token: string, userId: number) => boolean) =>
  state.after((next) => {
    for (const [token, userId] of state.tokens) if (isRevoked(token, userId)) next.tokens.delete(token)
  })

/** A call without a token, about somebody. */
function open(
  caller: Caller,
  text: string,
  send: Call['send'],
  expect: (state: State, user: User | undefined, outcome: Outcome) => Verdict,
): Planned {
  const { userId } = caller
  return {
    text: `user ${userId}: ${text}`,
    userId,
    send,
    expect: (state: State, outcome: Outcome) => expect(state, state.users.get(userId), outcome),
  }
}

/** What a user has at first, according to the first answers. */
export function newcomer(state: State, user: User, token: string, categories: State['categories']): State {
  return state.after((next) => {
    next.users.set(user.id, user)
    next.tokens.set(token, user.id)
    for (const [id, category] of categories) next.categories.set(id, category)
  })
}

export const peopleOperations = [
  operation('log in', 3, { isWrong: seldom(5) }, (caller, { isWrong }) => {
    const { email, password: right } = caller.user
    const password = isWrong ? 'not the password' : right
    const send = () =>
      caller.stage.call('POST', '/api/login', { body: { email, password }, headers: loginLimitKey() })
    return open(caller, `log in with ${password}`, send, (state, user, { body }) =>
      user?.password === password
        ? { status: 200, next: state.after((next) => next.tokens.set(body?.access_token, user.id)) }
        : { status: 422, body: { errors: { email: ['The provided credentials are incorrect.'] } } },
    )
  }),

  operation('log out', 1, {}, (caller) =>
    caller.request('POST', '/api/logout', {}, (state) => ({
      status: 200,
      next: withoutTokens(state, (token) => token === caller.token),
    })),
  ),

  operation('log out everywhere', 1, {}, (caller) =>
    caller.request('POST', '/api/logout-all', {}, (state, user) => ({
      status: 200,
      next: withoutTokens(state, (_, userId) => userId === user.id),
    })),
  ),

  operation('revoke a token', 3, { nth: fc.nat(11), isForeign: seldom(10) }, (caller, { nth, isForeign }) => {
    const others = [...caller.stage.state.tokens].filter(([, user]) => user !== caller.userId)
    const candidates = isForeign ? others.map(([token]) => token) : caller.liveTokens(caller.userId)
    const revoked = candidates[nth % candidates.length] ?? '999999|nonsense'
    const path = `/api/tokens/${revoked.split('|')[0]}`
    return caller.request('DELETE', path, {}, (state, user) => {
      const owner = state.tokens.get(revoked)
      if (owner === undefined) return { status: 404, body: { message: 'Token not found.' } }
      if (owner !== user.id) return { status: 403 }
      return { status: 204, next: withoutTokens(state, (token) => token === revoked) }
    })
  }),

  operation('ask for a reset', 1, {}, (caller) => {
    const { email, resetsAsked } = caller.user
    if (resetsAsked >= mostResets) return
    const send = async () => {
      const answer = await caller.stage.call('POST', '/api/forgot-password', { body: { email } })
      if (answer.status !== 200) return answer
      const { url } = queuedMail(caller.stage.world, 'reset_password', email)
      return { ...answer, learned: new URL(url).searchParams.get('token') }
    }
    const asked = open(caller, 'ask for a password reset', send, (state, user, { learned }) => {
      if (!user) return invalid()
      const next = withUser(state, { ...user, resetsAsked: user.resetsAsked + 1 })
      return { status: 200, next: next.after((next) => next.resets.set(learned as string, user.id)) }
    })
    // Two simultaneous emails could not be told apart.
    return { ...asked, clashes: ['ask for a reset'] }
  }),

  operation('reset the password', 2, { nth: fc.nat(2), isWrong: seldom(8) }, (caller, { nth, isWrong }) => {
    const tokens = [...caller.stage.state.resets].filter(([, user]) => user === caller.userId)
    const token = (isWrong ? undefined : tokens[nth % tokens.length]?.[0]) ?? 'nonsense'
    const { email, resetsAsked } = caller.user
    const password = `password ${resetsAsked} ${token}`
    const body = { token, email, password, password_confirmation: password }
    const send = () => caller.stage.call('POST', '/api/reset-password', { body })
    return open(caller, `reset the password with ${token}`, send, (state, user) => {
      if (!user || state.resets.get(token) !== user.id) {
        return { status: 422, body: { errors: { email: ['This password reset token is invalid.'] } } }
      }
      const next = withUser(
        withoutTokens(state, (_, userId) => userId === user.id),
        { ...user, password },
      )
      for (const [reset, owner] of state.resets) if (owner === user.id) next.resets.delete(reset)
      return { status: 200, next }
    })
  }),

  operation('register', 1, { nth: fc.nat(7) }, (caller, { nth }) => {
    const { stage } = caller
    if (stage.state.users.size >= mostUsers) return
    const email = `latecomer${nth}@example.com`
    const password = 'correct horse battery'
    const name = `Latecomer ${nth}`
    const body = { name, email, password, password_confirmation: password }
    const send = async () => {
      const answer = await stage.call('POST', '/api/register', { body })
      if (answer.status !== 201) return answer
      const token = answer.body.access_token
      const categories = await stage.call('GET', '/api/categories', { token })
      return { ...answer, learned: categories.body }
    }
    const expect = (state: State, { body, learned }: Outcome): Verdict => {
      if ([...state.users.values()].some((user) => user.email === email)) {
        return invalid({ email: ['The email has already been taken.'] })
      }
      const id = body?.user?.id
      const user = { id, email, name, password, timezone: 'UTC', isVerified: false, resetsAsked: 0 }
      const categories = new Map(((learned ?? []) as { id: number }[]).map((one) => [one.id, one]))
      const next = newcomer(state, user, body?.access_token, categories as State['categories'])
      return { status: 201, body: { user: { email } }, next }
    }
    // Of two simultaneous calls with the same address one is refused, so users who do not exist yet count as one user.
    return { text: `register ${email}`, userId: 0, send, expect }
  }),

  operation('verify the address', 1, {}, (caller) => {
    const { world } = caller.stage
    const { email } = caller.user
    const send = async () => {
      const answer = await world.call('GET', pathOf(queuedMail(world, 'verify_address', email).url))
      return { ...answer, body: { location: answer.headers.get('Location') } }
    }
    return open(caller, 'click on the link in the mail', send, (state, user) => {
      if (!user) return { status: 404 }
      const query = user.isVerified ? 'verified=already' : 'verified=1'
      return {
        status: 302,
        body: { location: `https://app.purse.example/dashboard?${query}` },
        next: withUser(state, { ...user, isVerified: true }),
      }
    })
  }),

  operation(
    'change the profile',
    3,
    {
      changes: fc.record(
        { name: fc.constantFrom('Ada', 'Grace'), timezone: fc.constantFrom(...Object.keys(zones)) },
        { requiredKeys: [] },
      ),
    },
    (caller, { changes }) =>
      caller.request('PATCH', '/api/me', { body: changes }, (state, user) => {
        const changed = { ...user, ...changes }
        return { status: 200, body: shownUser(changed), next: withUser(state, changed) }
      }),
  ),

  operation('leave', 1, { isWrong: seldom(3) }, (caller, { isWrong }) => {
    if (caller.stage.state.users.size <= fewestUsers) return
    const password = isWrong ? 'not the password' : caller.user.password
    const call = caller.request('DELETE', '/api/me', { body: { password } }, (state, user) =>
      user.password === password
        ? { status: 204, next: state.after((next) => next.removeUser(user.id)) }
        : invalid({ password: ['The password is incorrect.'] }),
    )
    return { ...call, clashes: ['leave'] }
  }),

  // This changes nothing that anybody can see.
  operation('remove what is deleted', 4, { nth: fc.nat(9), isTwice: seldom(3) }, ({ stage }, drawn) => {
    const { world } = stage
    const message = world.queuedRemovals[drawn.nth % Math.max(world.queuedRemovals.length, 1)]
    if (!message) return
    const deliver = async () => {
      const { retryMessages } = await world.deliver([message], 'purse-removal')
      if (retryMessages.length > 0) throw new Error('The consumer wants a message again')
    }
    const send = async () => {
      world.queuedRemovals.splice(world.queuedRemovals.indexOf(message), 1)
      await Promise.all([deliver(), drawn.isTwice && deliver()])
      return { status: 200, body: {} }
    }
    const userId = message.user_id
    return { text: `remove what ${userId} has deleted`, userId, send, expect: () => ({ status: 200 }) }
  }),
]

export const readProfile = operation('read the profile', 1, {}, (caller) =>
  caller.request('GET', '/api/me', {}, (_, user) => ({ status: 200, body: shownUser(user) })),
)

export const listTokens = operation('list the tokens', 1, {}, (caller) =>
  caller.request('GET', '/api/tokens', {}, (state, user, { body }) => {
    const tokens = [...state.tokens].filter(([, userId]) => userId === user.id)
    const ids = (sessions: { id: number }[]) => sessions.map(({ id }) => id).sort((a, b) => a - b)
    const held = ids(tokens.map(([token]) => ({ id: Number(token.split('|')[0]) })))
    return { status: 200, seen: Array.isArray(body) ? ids(body) : body, body: held }
  }),
)

function shownUser({ id, name, email, timezone }: User) {
  return { id, name, email, timezone }
}
