import { sql } from 'drizzle-orm'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type ApiResponse, createWorld, type Person, type World } from '../fixtures/world.ts'
import { openWorldDatabase } from '../laws/every-route.ts'

/** Normalising this took the Worker seconds: the time is quadratic in a run of combining marks. */
const marks = `a${'\u0315'.repeat(7_000)}${'\u0316'.repeat(7_000)}`
const tooLong = 'x'.repeat(1_025)
/** More memory than an isolate may use for a hash, so hashing at that cost fails. */
const unaffordable = '131072,8,1'

let world: World
let person: Person

beforeEach(async () => {
  world = createWorld()
  person = await world.register({ email: 'with@example.com' })
  await world.register({ email: 'sans@example.com' })
  await run(sql`update users set password_hash = null where email = 'sans@example.com'`)
})

afterEach(() => vi.restoreAllMocks())

async function run(statement: ReturnType<typeof sql>): Promise<void> {
  const db = openWorldDatabase(world)
  await db.batch([db.run(statement)])
}

const login = (email: string, password: string, to = world) =>
  to.call('POST', '/api/login', { body: { email, password } })
const chosen = (password: string) => ({ password, password_confirmation: password })
const reset = { token: 'x', email: 'with@example.com' }

/** Every call that takes a password, with its response to one that is too long. */
const calls: [string, number, (password: string) => Promise<ApiResponse>][] = [
  ['signing in', 422, (password) => login('with@example.com', password)],
  ['signing in with an unknown address', 422, (password) => login('none@example.com', password)],
  ['signing in without a stored password', 422, (password) => login('sans@example.com', password)],
  ['leaving', 422, (password) => person.delete('/api/me', { password })],
  [
    'changing it',
    422,
    (password) => person.put('/api/me/password', { current_password: password, ...chosen('a new password') }),
  ],
  [
    'registering',
    422,
    (password) =>
      world.call('POST', '/api/register', {
        body: { name: 'Eve', email: 'eve@example.com', ...chosen(password) },
      }),
  ],
  [
    'resetting',
    422,
    (password) => world.call('POST', '/api/reset-password', { body: { ...reset, ...chosen(password) } }),
  ],
]

test.each(calls)('%s never normalises a password that is longer than any can be', async (_, status, call) => {
  const normalize = vi.spyOn(String.prototype, 'normalize')
  expect((await call(marks)).status).toBe(status)
  const longest = Math.max(0, ...normalize.mock.contexts.map((text) => String(text).length))
  expect(longest).toBeLessThanOrEqual(2_048)
})

test.each(['with@example.com', 'none@example.com', 'sans@example.com'])(
  'a password that is too long is a wrong one, and hashed as one: %s',
  async (email) => {
    expect((await login(email, tooLong)).text).toBe((await login(email, 'wrong password')).text)
    const costly = createWorld({ TURSO_DATABASE_URL: world.databaseUrl, SCRYPT_COST: unaffordable })
    await run(sql`update users set password_hash = replace(password_hash, '$16$8$1$', '$131072$8$1$')`)
    expect((await login(email, tooLong, costly)).status).toBe(500)
  },
)

test('a password that is too long deletes no user', async () => {
  const { body } = await person.delete('/api/me', { password: tooLong })
  expect(body.errors).toEqual({ password: ['The password is incorrect.'] })
})
