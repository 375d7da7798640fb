import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { dayMs } from '../../../src/domain/dates.ts'
import { createWorld, type World } from '../fixtures/world.ts'
import { askDatabase } from '../laws/every-route.ts'

const hourly = '17 * * * *'

const execute = (world: World, statement: string) => askDatabase(world, sql.raw(statement))
const count = async (world: World, table: string) =>
  (await askDatabase(world, sql`select 1 from ${sql.identifier(table)}`)).length

/** A number of rows, as a FROM clause. */
const numbers = (upTo: number) => `(
  with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${upTo}) select n from numbers)`

test('the hourly job removes whatever has piled up, in parts that are a transaction each', async () => {
  const world = createWorld()
  const person = await world.register()
  const longAgo = Date.now() - 100 * dayMs
  await execute(
    world,
    `insert into attempts (nonce, "key", at) select n, n, ${longAgo} from ${numbers(12_001)}`,
  )
  await execute(world, `insert into used_states (nonce, expires_at) select n, ${longAgo} from ${numbers(10)}`)
  await execute(
    world,
    `insert into failed_mails (id, kind, recipient, reason, failed_at)
     select n, 'reminder', 'a@example.com', 'refused', ${longAgo} from ${numbers(1_500)}`,
  )
  await execute(
    world,
    `insert into sync_batches (id, user_id, status, body_hash, created_at, queued_at, completed_at)
     select n, ${person.id}, 'completed', '', ${longAgo}, ${longAgo}, ${longAgo} from ${numbers(25)}`,
  )
  await world.resetDatabaseWork()
  await world.runCron(hourly)
  // Three parts each of attempts and batches, two of emails, one of sessions, resets, states and each kind of addresses; one looks for leftovers.
  expect((await world.databaseWork()).requests).toBe(14)
  for (const table of ['used_states', 'failed_mails', 'sync_batches'])
    expect(await count(world, table)).toBe(0)
  // The count of the registration email.
  expect(await count(world, 'attempts')).toBe(1)
  expect((await person.get('/api/me')).status).toBe(200)
})

test('gaps among the refused emails do not hold up the removal of the others', async () => {
  const world = createWorld()
  await execute(
    world,
    `insert into failed_mails (id, kind, recipient, reason, failed_at)
     select n, 'reminder', 'a@example.com', 'refused', ${Date.now() - 100 * dayMs} from ${numbers(5_000)}`,
  )
  await execute(world, 'delete from failed_mails where rowid % 2 = 0')
  await world.runCron(hourly)
  expect(await count(world, 'failed_mails')).toBe(0)
})

test('the newest fifty thousand refused emails are kept, for ninety days', async () => {
  const world = createWorld()
  await execute(
    world,
    `insert into failed_mails (id, kind, recipient, reason, failed_at)
     select n, 'verify_address', 'a@example.com', 'refused', ${Date.now() - 89 * dayMs} from ${numbers(52_500)}`,
  )
  await world.runCron(hourly)
  expect(await count(world, 'failed_mails')).toBe(50_000)
})
