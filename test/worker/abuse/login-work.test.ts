import { sql } from 'drizzle-orm'
import { beforeEach, expect, test } from 'vitest'
import { createWorld, logIn, type World } from '../fixtures/world.ts'
import { askDatabase } from '../laws/every-route.ts'

/** The failed logins that a client could tell apart if they did different work (bench/login-timing.ts). */
const failures: [kind: string, email: string][] = [
  ['a wrong password', 'with@example.com'],
  ['an unknown address', 'none@example.com'],
  ['a user without a password', 'sans@example.com'],
]
/** More memory than an isolate may use for a hash, so hashing at that cost fails. */
const unaffordable = '131072,8,1'
let world: World

beforeEach(async () => {
  world = createWorld()
  await world.register({ email: 'with@example.com' })
  await world.register({ email: 'sans@example.com' })
  await askDatabase(world, sql`update users set password_hash = null where email = 'sans@example.com'`)
})

const failToLogIn = (email: string, to = world) => logIn(to, { email, password: 'not the password' })

test('every failed login asks the database once, with one statement, and gets the same response', async () => {
  const seen = []
  for (const [kind, email] of failures) {
    await failToLogIn(email)
    await world.resetDatabaseWork()
    const { status, text } = await failToLogIn(email)
    const { requests, statements, rowsRead, rowsWritten } = await world.databaseWork()
    expect([kind, status, requests, statements]).toEqual([kind, 422, 1, 1])
    seen.push({ text, rowsRead, rowsWritten })
  }
  const [first] = seen
  for (const { text, rowsRead, rowsWritten } of seen) {
    expect([text, rowsWritten]).toEqual([first?.text, 0])
    // The row that was found, or none.
    expect(rowsRead).toBeLessThanOrEqual(1)
  }
})

test.each(failures)(
  '%s is hashed at today’s cost: if that cannot be paid, the login fails',
  async (_, email) => {
    const costly = createWorld({ TURSO_DATABASE_URL: world.databaseUrl, SCRYPT_COST: unaffordable })
    // A stored hash requires the cost at which it was made.
    await askDatabase(
      world,
      sql`update users set password_hash = replace(password_hash, '$16$8$1$', '$131072$8$1$')`,
    )
    expect((await failToLogIn(email, costly)).status).toBe(500)
  },
)

test('what costs no hash is refused for its form, before any address is looked up', async () => {
  const costly = createWorld({ TURSO_DATABASE_URL: world.databaseUrl, SCRYPT_COST: unaffordable })
  await world.resetDatabaseWork()
  for (const [, email] of failures)
    expect((await costly.call('POST', '/api/login', { body: { email, password: '' } })).status).toBe(422)
  expect((await world.databaseWork()).requests).toBe(0)
})
