import { sql } from 'drizzle-orm'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  type ApiResponse,
  createWorld,
  logIn,
  newPassword,
  type Person,
  type World,
} from '../fixtures/world.ts'
import { askDatabase } from '../laws/every-route.ts'

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
  await askDatabase(world, sql`update users set password_hash = null where email = 'sans@example.com'`)
})

afterEach(() => vi.restoreAllMocks())

const login = (email: string, password: string, to = world) => logIn(to, { email, password })
const post = (path: string, body: object) => world.call('POST', path, { body })

/** Every call that takes a password. */
const calls: [string, (password: string) => Promise<ApiResponse>][] = [
  ['signing in', (password) => login('with@example.com', password)],
  ['signing in with an unknown address', (password) => login('none@example.com', password)],
  ['signing in without a stored password', (password) => login('sans@example.com', password)],
  ['leaving', (password) => person.delete('/api/me', { password })],
  [
    'changing it',
    (password) => person.put('/api/me/password', { current_password: password, ...newPassword() }),
  ],
  [
    'registering',
    (password) => post('/api/register', { name: 'Eve', email: 'eve@example.com', ...newPassword(password) }),
  ],
  [
    'resetting',
    (password) => post('/api/reset-password', { token: 'x', email: person.email, ...newPassword(password) }),
  ],
]

test.each(calls)('%s never normalises a password that is longer than any can be', async (_, call) => {
  const normalize = vi.spyOn(String.prototype, 'normalize')
  expect((await call(marks)).status).toBe(422)
  const longest = Math.max(0, ...normalize.mock.contexts.map((text) => String(text).length))
  expect(longest).toBeLessThanOrEqual(2_048)
})

test.each(['with@example.com', 'none@example.com', 'sans@example.com'])(
  'a password that is too long is a wrong one, and hashed as one: %s',
  async (email) => {
    expect((await login(email, tooLong)).text).toBe((await login(email, 'wrong password')).text)
    const costly = createWorld({ TURSO_DATABASE_URL: world.databaseUrl, SCRYPT_COST: unaffordable })
    await askDatabase(
      world,
      sql`update users set password_hash = replace(password_hash, '$16$8$1$', '$131072$8$1$')`,
    )
    expect((await login(email, tooLong, costly)).status).toBe(500)
  },
)

test('a password that is too long deletes no user', async () => {
  const { body } = await person.delete('/api/me', { password: tooLong })
  expect(body.errors).toEqual({ password: ['The password is incorrect.'] })
})
