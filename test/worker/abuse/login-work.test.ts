import { sql } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  type ApiResponse,
  createWorld,
  logIn,
  newPassword,
  type Person,
  type World,
} from '../fixtures/world.ts'
import { askDatabase } from '../laws/every-route.ts'

/** The failed logins that a client could tell apart if they did different work (bench/login-timing.ts). */
const failures: [kind: string, email: string][] = [
  ['a wrong password', 'with@example.com'],
  ['an unknown address', 'none@example.com'],
  ['a user without a password', 'sans@example.com'],
]
/** More memory than an isolate may use for a hash, so hashing at that cost fails. */
const unaffordable = '131072,8,1'
const tooLong = 'x'.repeat(1_025)
let world: World
let person: Person

beforeEach(async () => {
  world = createWorld()
  person = await world.register({ email: 'with@example.com' })
  await world.register({ email: 'sans@example.com' })
  await askDatabase(world, sql`update users set password_hash = null where email = 'sans@example.com'`)
})

afterEach(() => vi.restoreAllMocks())

const failToLogIn = (email: string, to = world, password = 'not the password') =>
  logIn(to, { email, password })
const costly = () => createWorld({ TURSO_DATABASE_URL: world.databaseUrl, SCRYPT_COST: unaffordable })

test('every failed login queries the database once, with one statement, and gets the same response', async () => {
  const seen = []
  for (const [kind, email] of failures) {
    await failToLogIn(email)
    for (const password of [undefined, tooLong]) {
      await world.resetDatabaseWork()
      const { status, text } = await failToLogIn(email, world, password)
      const { requests, statements, rowsRead, rowsWritten } = await world.databaseWork()
      expect([kind, status, requests, statements]).toEqual([kind, 422, 1, 1])
      seen.push({ text, rowsRead, rowsWritten })
    }
  }
  for (const { text, rowsRead, rowsWritten } of seen) {
    expect([text, rowsWritten]).toEqual([seen[0]?.text, 0])
    // The row that was found, or none.
    expect(rowsRead).toBeLessThanOrEqual(1)
  }
})

test.each(failures)(
  '%s is hashed at today’s cost, however long the password: if that cannot be paid, the login fails',
  async (_, email) => {
    // A stored hash requires the cost at which it was made.
    await askDatabase(
      world,
      sql`update users set password_hash = replace(password_hash, '$16$8$1$', '$131072$8$1$')`,
    )
    for (const password of [undefined, tooLong])
      expect((await failToLogIn(email, costly(), password)).status).toBe(500)
  },
)

test('what costs no hash is refused for its form, before any address is looked up', async () => {
  await world.resetDatabaseWork()
  for (const [, email] of failures) expect((await failToLogIn(email, costly(), '')).status).toBe(422)
  expect((await world.databaseWork()).requests).toBe(0)
})

describe('a password that is longer than any can be', () => {
  /** Normalising this took the Worker seconds: the time is quadratic in a run of combining marks. */
  const marks = `a${'\u0315'.repeat(7_000)}${'\u0316'.repeat(7_000)}`
  const post = (path: string, body: object) => world.call('POST', path, { body })

  test.each<[string, (password: string) => Promise<ApiResponse>]>([
    ...failures.map(([kind, email]): [string, (password: string) => Promise<ApiResponse>] => [
      `signing in with ${kind}`,
      (password) => failToLogIn(email, world, password),
    ]),
    ['leaving', (password) => person.delete('/api/me', { password })],
    [
      'changing it',
      (password) => person.put('/api/me/password', { current_password: password, ...newPassword() }),
    ],
    [
      'registering',
      (password) =>
        post('/api/register', { name: 'Eve', email: 'eve@example.com', ...newPassword(password) }),
    ],
    [
      'resetting',
      (password) =>
        post('/api/reset-password', { token: 'x', email: person.email, ...newPassword(password) }),
    ],
  ])('is refused without being normalised: %s', async (_, call) => {
    const normalize = vi.spyOn(String.prototype, 'normalize')
    expect((await call(marks)).status).toBe(422)
    const longest = Math.max(0, ...normalize.mock.contexts.map((text) => String(text).length))
    expect(longest).toBeLessThanOrEqual(2_048)
  })

  test('deletes no user', async () => {
    const { body } = await person.delete('/api/me', { password: tooLong })
    expect(body.errors).toEqual({ password: ['The password is incorrect.'] })
  })
})
