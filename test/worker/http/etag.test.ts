import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { beforeAll, expect, test, vi } from 'vitest'
import { dayMs } from '../../../src/domain/dates.ts'
import { Dice } from '../../dice.ts'
import { actRandomly } from '../../random-history.ts'
import { noon, setClock } from '../fixtures/clock.ts'
import { apiOf, createWorld, type Json, logIn } from '../fixtures/world.ts'
import {
  askDatabase,
  createHousehold,
  goodCall,
  type Household,
  protectedRoutes,
} from '../laws/every-route.ts'

/** The reads that carry a tag, for a user with these rows. */
const taggedReads = ({ checking, category }: Household, spent: Json) => [
  '/api/me',
  '/api/accounts',
  `/api/accounts/${checking.id}`,
  '/api/categories',
  `/api/categories/${category.id}`,
  '/api/summary',
  '/api/summary?month=2026-11',
  '/api/summary?from=2020-01-01',
  '/api/summary?daily=true&month=2026-11',
  '/api/reports/monthly',
  '/api/reports/monthly?from=2020-01&to=2020-02',
  '/api/reports/balances?every=month',
  '/api/reports/balances?from=2019-12-31&to=2020-01-31',
  '/api/transactions',
  '/api/transactions?q=coffee&per_page=10',
  `/api/transactions/${spent.id}`,
]

/** A user with a transaction, and the paths of their tagged reads. */
async function given(world = createWorld()) {
  const household = await createHousehold(world)
  const paths = taggedReads(household, await household.spend())
  const { token } = household.person
  const read = (path: string, tags?: string, as = token) =>
    world.call('GET', path, { token: as, ...(tags !== undefined && { headers: { 'If-None-Match': tags } }) })
  const tagOf = async (path: string) => (await read(path)).headers.get('ETag') ?? ''
  return { ...household, household, paths, read, tagOf }
}

let shared: Awaited<ReturnType<typeof given>>
beforeAll(async () => {
  shared = await given()
})

/** The status line and all headers, as HTTP/1.1 writes them. */
const bytesOf = ({ headers, text }: { headers: Headers; text: string }) =>
  'HTTP/1.1 304 Not Modified\r\n\r\n'.length +
  [...headers].reduce((sum, [name, value]) => sum + `${name}: ${value}\r\n`.length, text.length)

test('what has not changed is a 304 of no more than 550 bytes, in one round trip', async () => {
  const { world, person, paths, read } = shared
  for (const path of paths) {
    const first = await read(path)
    const tag = first.headers.get('ETag') ?? ''
    expect(tag).toMatch(/^W\/"[\w-]+"$/)
    await world.resetDatabaseWork()
    const origin = { Origin: env.FRONTEND_URL }
    const again = await world.call('GET', path, {
      token: person.token,
      headers: { 'If-None-Match': tag, ...origin },
    })
    expect([path, again.status, again.text, again.headers.get('ETag')]).toEqual([path, 304, '', tag])
    for (const { headers } of [first, again]) {
      expect(headers.get('Cache-Control')).toBe('private, no-cache')
      expect(headers.get('Vary')).toBe('Authorization, Origin')
    }
    expect(again.headers.get('Access-Control-Allow-Origin')).toBe(env.FRONTEND_URL)
    // A script that sends the tag itself gets the 304, and may only read what this names.
    const exposed = again.headers.get('Access-Control-Expose-Headers')
    expect(exposed).toBe(first.headers.get('Access-Control-Expose-Headers'))
    expect(bytesOf(again)).toBeLessThanOrEqual(550)
    expect((await world.databaseWork()).requests).toBe(1)
  }
})

test('an unchanged read reads at most twenty rows, and a stale tag adds at most twelve', async () => {
  const { world, paths, spend, read, tagOf } = await given()
  for (const path of paths) {
    const stale = await tagOf(path)
    await spend()
    const rowsOf = async (tag?: string) => {
      await world.resetDatabaseWork()
      expect((await read(path, tag)).status).toBe(200)
      return (await world.databaseWork()).rowsRead
    }
    const without = await rowsOf()
    expect((await rowsOf(stale)) - without).toBeLessThanOrEqual(12)
    const current = await tagOf(path)
    await world.resetDatabaseWork()
    expect((await read(path, current)).status).toBe(304)
    expect((await world.databaseWork()).rowsRead).toBeLessThanOrEqual(20)
  }
})

/** Writes that no tagged read shows. */
const unseen = [
  'POST /api/logout',
  'POST /api/logout-all',
  'PUT /api/me/password',
  'PATCH /api/me/password',
  // The address is another once its link is followed.
  'PUT /api/me/email',
  'PATCH /api/me/email',
  'DELETE /api/me',
  'POST /api/tokens',
  'DELETE /api/tokens/:id',
  'POST /api/email/verification-notification',
  'POST /api/matches/reject',
  'DELETE /api/matches/reject',
  'POST /api/categories/suggest',
  'DELETE /api/imports/layouts/:id',
  'POST /api/recurring/suggestions/dismiss',
]
const writes = protectedRoutes.filter((route) => !route.startsWith('GET ') && !unseen.includes(route))

test.each(writes)('after %s the tag of every read is different', async (route) => {
  const { world, person, household, paths, read } = shared
  const { call, status } = await goodCall(route, household)
  const device = (await logIn(world, person)).body.access_token
  const before = new Map<string, string>()
  // One read of each route: those with another query are in the test below.
  for (const path of paths.filter((one) => !one.includes('?') || one.endsWith('?every=month')))
    before.set(path, (await read(path, undefined, device)).headers.get('ETag') ?? '')
  expect((await call(person)).status).toBe(status)
  await world.deliverSyncs()
  for (const [path, tag] of before) {
    const response = await read(path, tag, device)
    expect([path, response.status]).toEqual([path, 200])
    expect(response.headers.get('ETag')).not.toBe(tag)
  }
})

test.each([2, 3])('a 304 never hides a change, whatever happens (%i)', async (seed) => {
  const { world, person, paths, read } = await given()
  const dice = new Dice(seed)
  const parts = {
    days: ['2026-10-31', '2026-11-20', '2026-11-21'],
    amount: () => dice.oneOf(['1.00', '2.50']),
    text: () => dice.oneOf(['Tea', null]),
  }
  const seen = new Map<string, { tag: string; text: string }>()
  const count = { same: 0, different: 0 }
  for (let nth = 1; nth <= 45; nth += 1) {
    await actRandomly(apiOf(world, person.token), dice, parts)
    for (const path of [dice.oneOf(paths), dice.oneOf(paths)]) {
      const { status, text, headers } = await read(path)
      const tag = headers.get('ETag') ?? ''
      const before = seen.get(path)
      if (status !== 200) continue
      seen.set(path, { tag, text })
      if (!before) continue
      const response = await read(path, before.tag)
      expect([path, response.status]).toEqual([path, tag === before.tag ? 304 : 200])
      if (response.status === 304) expect(text).toBe(before.text)
      count[response.status === 304 ? 'same' : 'different'] += 1
    }
  }
  expect(count.same).toBeGreaterThan(5)
  expect(count.different).toBeGreaterThan(20)
})

test('the tag of another user, another path or other data is not valid', async () => {
  const { world, paths, read, tagOf } = await given()
  const other = await given(world)
  const tags = await Promise.all(paths.map((path) => tagOf(path)))
  // Both have made the same number of changes.
  const numbers = await askDatabase(
    world,
    sql`select max(seq) as last from (select user_id, seq from transactions union all select user_id, seq from changes) group by user_id`,
  )
  expect(new Set(numbers?.map(({ last }) => last)).size).toBe(1)
  for (const path of ['/api/me', '/api/accounts', '/api/summary', '/api/transactions']) {
    const own = paths.indexOf(path)
    expect((await other.read(path, tags[own])).status).toBe(200)
    expect((await read(path, tags.filter((_, nth) => nth !== own).join())).status).toBe(200)
    expect((await read(path, tags.join(', '))).status).toBe(304)
    const [restored, released] = [tags[own]?.replace('"1-', '"2-'), tags[own]?.replace('"1-', '"1-x')]
    expect((await read(path, restored)).status).toBe(200)
    expect((await read(path, released)).status).toBe(200)
  }
})

test('a tag never stands for a response other than a 200', async () => {
  const { world, person, paths, checking, read, tagOf } = await given()
  const other = await createHousehold({ ...world })
  const tags = (await Promise.all(paths.map((path) => tagOf(path)))).join()
  const statusOf = async (path: string, token = person.token) => {
    const { status, headers } = await read(path, `*, ${tags}`, token)
    return [status, (await read(path, '*', token)).status, headers.get('ETag')]
  }
  expect(await statusOf('/api/accounts/999999')).toEqual([404, 404, null])
  expect(await statusOf(`/api/accounts/${other.checking.id}`)).toEqual([403, 403, null])
  expect(await statusOf('/api/transactions?from=never')).toEqual([422, 422, null])
  expect(await statusOf('/api/me', `${person.token}x`)).toEqual([401, 401, null])
  await person.post('/api/logout')
  for (const path of paths) expect((await read(path, tags)).status).toBe(401)
  expect(await statusOf(`/api/accounts/${checking.id}`)).toEqual([401, 401, null])
})

test.each([
  ['*', 304],
  ['TAG', 304],
  ['STRONG', 304],
  ['"a", TAG', 304],
  ['TAG , W/"b"', 304],
  ['TAG, TAG', 304],
  ['', 200],
  ['"*"', 200],
  ['W/""', 200],
  ['nonsense', 200],
  [`${'"x",'.repeat(2_000)}"y"`, 200],
])('If-None-Match: %s is a %i', async (header, status) => {
  const { world, person, read, tagOf } = shared
  const tag = await tagOf('/api/accounts')
  const sent = header.replaceAll('TAG', tag).replace('STRONG', tag.slice(2))
  const response = await read('/api/accounts', sent)
  expect([response.status, response.headers.get('ETag')]).toEqual([status, tag])
  const head = await world.call('HEAD', '/api/accounts', {
    token: person.token,
    headers: { 'If-None-Match': sent },
  })
  expect([head.status, head.text]).toEqual([status, ''])
})

test('a token that gets nothing but 304s does not expire as idle, but does expire with age', async () => {
  setClock(noon)
  const { world, read, tagOf } = await given()
  let tag = await tagOf('/api/accounts')
  for (let days = 1; days <= 360; days += 85) {
    for (const later of [0, 1]) {
      vi.setSystemTime(noon + (days + later) * dayMs)
      const response = await read('/api/accounts', tag)
      expect([days, response.status]).toEqual([days, 304])
      tag = response.headers.get('ETag') ?? ''
      // The use is recorded after the response.
      await vi.waitFor(async () => {
        const [token] = await askDatabase(world, sql`select last_used_at from tokens`)
        expect(token?.last_used_at).toBeGreaterThan(noon + (days + later - 1) * dayMs - 1)
      }, 30_000)
    }
  }
  vi.setSystemTime(noon + 366 * dayMs)
  expect((await read('/api/accounts', tag)).status).toBe(401)
})

test.each([
  '/api/summary',
  '/api/summary?daily=true',
  '/api/reports/monthly',
  '/api/reports/balances?every=month',
])(
  '%s has no tag while the current month can be either of two, and a different one in each',
  async (path) => {
    setClock(Date.parse('2026-11-30T09:59:00Z'))
    const { read, tagOf } = await given()
    const november = await tagOf(path)
    expect((await read(path, november)).status).toBe(304)
    for (const between of ['2026-11-30T10:00:00Z', '2026-12-01T11:59:00Z']) {
      vi.setSystemTime(Date.parse(between))
      const { status, headers } = await read(path, november)
      expect([status, headers.get('ETag'), headers.get('Cache-Control')]).toEqual([200, null, 'no-store'])
      expect(await tagOf('/api/summary?month=2026-11')).not.toBe('')
    }
    vi.setSystemTime(Date.parse('2026-12-01T12:00:00Z'))
    const december = await read(path, november)
    expect(december.status).toBe(200)
    expect(december.headers.get('ETag')).not.toBe(november)
  },
)

test('all other reads must not be stored, and have no tag', async () => {
  const { read } = shared
  for (const path of [
    '/api/reports/balances',
    '/api/tokens',
    '/api/imports',
    '/api/changes',
    '/api/email/verification-status',
  ]) {
    const { headers } = await read(path, '*')
    expect([headers.get('ETag'), headers.get('Cache-Control')]).toEqual([null, 'no-store'])
  }
})

test('writing any field of the profile, or the version of another row, changes the tags', async () => {
  const { world, person, checking, category, read, tagOf } = await given()
  const { body: profile } = await read('/api/me')
  const fields = Object.keys(profile).filter((key) => !['id', 'created_at', 'updated_at'].includes(key))
  for (const [table, path, id, columns] of [
    ['users', '/api/me', person.id, fields],
    ['accounts', `/api/accounts/${checking.id}`, checking.id, ['version']],
    ['categories', `/api/categories/${category.id}`, category.id, ['version']],
  ] as const) {
    for (const column of columns) {
      const tag = await tagOf(path)
      const [noun, name] = [sql.raw(table), sql.raw(column)]
      await askDatabase(world, sql`update ${noun} set ${name} = ${name} where id = ${id} returning id`)
      const missing = `the trigger that logs changes of ${table} does not name ${column}`
      expect(await tagOf(path), missing).not.toBe(tag)
    }
  }
})
