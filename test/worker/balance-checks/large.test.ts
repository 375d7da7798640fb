import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { createWorld, type Json } from '../fixtures/world.ts'
import { askDatabase, createHousehold } from '../laws/every-route.ts'

const checks = 400

/** An account with as many checks as it may have, all of them ok once, and a log of changes before their days. */
async function createLargeAccount(entries: number) {
  const household = await createHousehold(createWorld())
  const { world, person, checking } = household
  await askDatabase(
    world,
    sql`
    insert into balance_checks (user_id, account_id, date, balance, base, after_entry, source, created_at, updated_at)
    with recursive n(i) as (select 0 union all select i + 1 from n where i < ${checks - 1})
    select ${person.id}, ${checking.id}, date('2025-10-01', '+' || i || ' days'), 10000, 0, 0, 'manual', 0, 0 from n`,
  )
  await askDatabase(
    world,
    sql`
    update balance_checks set moved = moved + part.effect
      from (with recursive n(i) as (select 1 union all select i + 1 from n where i < ${entries})
            select date('2025-10-01', '+' || (i % ${checks}) || ' days') as date, sum(1 + i % 3) as effect from n group by 1) part
     where part.date = balance_checks.date`,
  )
  await askDatabase(
    world,
    sql`
    insert into reconciliation_log (user_id, account_id, date, effect, transaction_id, op, count, by_kind, write_id, at)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${entries})
    select ${person.id}, ${checking.id}, date('2025-10-01', '+' || (i % ${checks}) || ' days'), 1 + i % 3, i, 'created', 1,
           'service', i, cast(unixepoch('subsec') * 1000 as integer)
      from n`,
  )
  /** The rows that a request or a job reads and writes, and its round trips. */
  async function workOf<T>(does: () => Promise<T>) {
    await world.resetDatabaseWork()
    const result = await does()
    const { requests, rowsRead, rowsWritten } = await world.databaseWork()
    return { result, requests, rowsRead, rowsWritten }
  }
  return { ...household, workOf }
}

test('a list of 400 checks and one of them read each change once or twice, in one round trip', async () => {
  const { world, person, workOf } = await createLargeAccount(1_000)
  const list = await workOf(() => person.get('/api/balance-checks'))
  expect(list.result.body).toHaveLength(checks)
  const one = await workOf(() => person.get(`/api/balance-checks/${list.result.body[200].id}`))
  expect(one.result.body.broken_by).toHaveLength(50)
  for (const { requests, rowsRead } of [list, one]) {
    expect(requests).toBe(1)
    expect(rowsRead).toBeLessThan(2 * 1_000 + 4 * checks)
  }
  // Each account is looked at once, and not for each of its changes.
  const trim = await workOf(() => world.runCron('* * * * *'))
  expect(trim.rowsWritten).toBe(0)
  expect(trim.rowsRead).toBeLessThan(2_500)
})

test('six thousand changes are trimmed to a thousand, and the differences stay', async () => {
  const { world, person, checking } = await createLargeAccount(6_000)
  const stated = async () =>
    (await person.get('/api/balance-checks')).body.map(({ id, state, difference }: Json) => [
      ...[id, state, difference],
    ])
  const before = await stated()
  await world.runCron('* * * * *')
  expect(await stated()).toEqual(before)
  const entries = sql`select count(*) as entries from reconciliation_log where account_id = ${checking.id}`
  expect(await askDatabase(world, entries)).toEqual([{ entries: 1_000 }])
  const [last] = before.at(-1)
  const { broken_by, difference, unexplained } = (await person.get(`/api/balance-checks/${last}`)).body
  expect(unexplained).not.toBe(0)
  const explained = broken_by.reduce((sum: number, { effect }: Json) => sum + effect, 0)
  expect(Math.round((unexplained + explained) * 100)).toBe(Math.round(difference * 100))
})
