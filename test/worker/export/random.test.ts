import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { createClient, type Export, memoryTokens, RestoreError, restore } from '../../../client/index.ts'
import { addMonths } from '../../../src/shared/dates.ts'
import { perMinute } from '../../../src/shared/rate-limits.ts'
import { liveRandomly } from '../../random-history.ts'
import { fetchOf } from '../client/client-world.ts'
import { picker } from '../fixtures/picker.ts'
import { create, upload } from '../fixtures/uploads.ts'
import { createWorld, type Json, openAccount, type Person, type World } from '../fixtures/world.ts'
import { verify } from '../laws/every-route.ts'

const histories = [20_261_127, 20_261_130]

/** Calls the API as `liveRandomly` does. */
const apiOf =
  (world: World, { token }: Person) =>
  (request: string, body?: unknown) => {
    const [method = '', path] = request.split(' ')
    return world.call(method, `/api${path}`, { token, ...(body !== undefined && { body }) })
  }

async function verifiedPerson(world: World) {
  const person = await world.register()
  await verify(world, person)
  return person
}

async function withRandomHistory(seed: number) {
  const world = createWorld()
  const person = await verifiedPerson(world)
  await liveRandomly(apiOf(world, person), picker(seed), 60)
  return { world, person }
}

/** Transactions as a CSV can tell them: by names, with runs of white space as one space. */
async function rowsByNames(person: Person): Promise<string[]> {
  const { body } = await person.get('/api/transactions?per_page=500')
  return body.data
    .map(({ account, to_account, category, ...row }: Json) => {
      const { type, amount, transaction_date, description, reference } = row
      const texts = [account.name, to_account?.name, category?.name, description, reference]
      const plain = texts.map((text) => text?.replace(/\s+/g, ' ') ?? null)
      return JSON.stringify([transaction_date, type, amount, ...plain])
    })
    .sort()
}

test.each(histories)('import/store reads a CSV export back, history %i', async (seed) => {
  const { world, person } = await withRandomHistory(seed)
  const expected = await rowsByNames(person)
  expect(expected.length).toBeGreaterThan(3)
  const { text } = await person.get('/api/export?format=csv')
  const other = await verifiedPerson(world)
  for (const { name, type } of (await person.get('/api/accounts')).body)
    await other.post('/api/accounts', { name, type, starting_balance: 0 })
  const answer = await world.call('POST', '/api/import/store?match=off', {
    token: other.token,
    rawBody: text,
    headers: { 'Content-Type': 'text/csv' },
  })
  expect([answer.status, answer.body.errors]).toEqual([200, undefined])
  expect(await rowsByNames(other)).toEqual(expected)
})

/** A user's client, whose uploads of transactions fail after the first `uploads`. */
function clientOf(world: World, { token }: Person, uploads = Number.POSITIVE_INFINITY) {
  const { fetch } = fetchOf(world)
  let sent = 0
  return createClient({
    baseUrl: 'http://purse.test',
    tokens: memoryTokens(token),
    sleep: async () => undefined,
    fetch: async (url, init) => {
      if (init.method === 'POST' && ++sent > uploads) throw new Error('The network is gone')
      return fetch(url, init)
    },
  })
}

/** What a restored user has like the first: all but ids, times, versions, client ids and `is_synced`. */
function restorable({ profile, accounts, categories, transactions }: Export) {
  const { name, timezone, reminder_time } = profile
  const nameOf = (rows: { id: number; name: string }[], id: number | null) =>
    rows.find((row) => row.id === id)?.name ?? null
  return {
    profile: { name, timezone, reminder_time },
    accounts: accounts.map(({ name, type, starting_balance, balance, notes }) => [
      ...[name, type, starting_balance, balance, notes],
    ]),
    categories: categories.map(({ name, type }) => `${type} ${name}`).sort(),
    transactions: transactions.map(({ type, amount, description, reference, transaction_date, ...row }) => [
      ...[transaction_date, type, amount, description, reference, nameOf(categories, row.category_id)],
      ...[nameOf(accounts, row.account_id), nameOf(accounts, row.to_account_id)],
    ]),
  }
}

test.each(histories)('a restored export is exported again as it was, history %i', async (seed) => {
  const { world, person } = await withRandomHistory(seed)
  const { body: file } = await person.get('/api/export')
  const other = await world.register({ name: 'Somebody Else', timezone: 'Asia/Tokyo' })
  const restored = await restore(clientOf(world, other), file)
  const { accounts, categories, transactions, ...notRestored } = file.counts
  expect(restored).toEqual({ matched: true, differences: [], notRestored })
  const { body: again } = await other.get('/api/export')
  expect(restorable(again)).toEqual(restorable(file))
  // Once more, nothing happens.
  expect(await restore(clientOf(world, other), file)).toEqual(restored)
  expect((await other.get('/api/export')).body.cursor).toBe(again.cursor)
})

test('a restore that was cut off continues, and says what is not as in the file', async () => {
  const { world, person } = await withRandomHistory(7)
  const { body: file } = await person.get('/api/export')
  const other = await world.register()
  await expect(restore(clientOf(world, other, 1), file)).rejects.toThrow()
  expect(await restore(clientOf(world, other), file)).toMatchObject({ matched: true })

  const [{ id }] = (await other.get('/api/transactions')).body.data
  await other.delete(`/api/transactions/${id}`)
  const { matched, differences } = await restore(clientOf(world, other), file)
  expect(matched).toBe(false)
  expect(differences).toContainEqual({
    what: expect.stringMatching(/^create transaction export-/),
    expected: 'done',
    found: 'gone',
  })
  expect(differences.map(({ what }) => what)).toContain('number of transactions')
})

test('a restore takes far fewer requests than the file has months', async () => {
  const world = createWorld({ GENERAL_LIMIT_ENABLED: 'true', GENERAL_LIMIT: env.CHECK_EMAIL_LIMIT })
  const person = await world.register()
  const account = await openAccount(person)
  const months = Array.from({ length: 2 * perMinute.CHECK_EMAIL_LIMIT }, (_, i) => addMonths('2015-01', i))
  await upload(
    person,
    months.map((month) =>
      create('transaction', month, {
        ...{ account_id: account.id, category_id: null, type: 'expense', amount: 1 },
        transaction_date: `${month}-01`,
      }),
    ),
  )
  const { body: file } = await person.get('/api/export')
  expect(await restore(clientOf(world, await world.register()), file)).toMatchObject({ matched: true })
})

test('a file that broke off is not restored, nor any into a user who has accounts', async () => {
  const { world, person } = await withRandomHistory(8)
  const { body: file } = await person.get('/api/export')
  await expect(restore(clientOf(world, person), file)).rejects.toThrow(RestoreError)
  const other = await world.register()
  await expect(restore(clientOf(world, other), { ...file, complete: false })).rejects.toThrow(RestoreError)
  await expect(restore(clientOf(world, other), { ...file, transactions: [] })).rejects.toThrow(RestoreError)
  expect((await other.get('/api/accounts')).body).toEqual([])
})
