import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { createWorld } from '../fixtures/world.ts'
import { askDatabase, createHousehold, goodCall, protectedRoutes } from './every-route.ts'

/*
 * Every change on or before the day of a balance check is logged with who made it (src/database/written-by.ts). A route that
 * writes transactions in a way of its own finds out here.
 */

/** The routes whose valid calls move a balance of the household on the days of its checks. */
const logged = [
  'PUT /api/accounts/:id',
  'POST /api/transactions',
  'PUT /api/transactions/:id',
  'PATCH /api/transactions/:id',
  'DELETE /api/transactions/:id',
  'POST /api/transactions/sync',
  'POST /api/import/store',
  'POST /api/import/bank/store',
  'DELETE /api/imports/:id',
  'POST /api/changes',
  'POST /api/recurring/:id/occurrences/:date/record',
  'POST /api/matches/join',
  'POST /api/matches/separate',
]

test('every route that moves a balance before a check logs it with the token of the request', async () => {
  const world = createWorld()
  const household = await createHousehold(world)
  const { person, checking, cash } = household
  // After the days of all calls, which no request could ask for.
  await askDatabase(
    world,
    sql`
    insert into balance_checks (user_id, account_id, date, balance, base, after_entry, source, created_at, updated_at)
    select user_id, id, '2099-12-31', balance, 0, 0, 'manual', 0, 0 from accounts where id in (${checking.id}, ${cash.id})`,
  )
  const { body: named } = await person.post('/api/tokens', { name: 'Script', abilities: ['read', 'write'] })
  const script = { ...person, ...world.as(named.access_token), token: named.access_token }
  const found: string[] = []
  for (const route of protectedRoutes) {
    const { call, status } = await goodCall(route, household)
    const before = await askDatabase(world, sql`select coalesce(max(id), 0) as last from reconciliation_log`)
    const response = await call(script)
    // Some routes are for sessions only.
    if (response.status !== 403) expect(response.status, route).toBe(status)
    const entries = await askDatabase(
      world,
      sql`select by_kind, by_name, token_id = ${Number(named.access_token.split('|')[0])} as is_own
            from reconciliation_log where id > ${before[0]?.last}`,
    )
    if (entries.length > 0) found.push(route)
    for (const entry of entries)
      expect(entry, route).toEqual({ by_kind: 'token', by_name: 'Script', is_own: 1 })
  }
  expect(found.sort()).toEqual(logged.toSorted())
})
