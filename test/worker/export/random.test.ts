import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { createClient, type Export, memoryTokens, RestoreError, restore } from '../../../client/index.ts'
import { addMonths } from '../../../src/domain/dates.ts'
import { perMinute } from '../../../src/failures/limits.ts'
import { Dice } from '../../dice.ts'
import { liveRandomly } from '../../random-history.ts'
import { fetchOf } from '../client/client-world.ts'
import { create, upload } from '../fixtures/uploads.ts'
import {
  apiOf,
  createWorld,
  type Json,
  openAccount,
  type Person,
  registerVerified,
} from '../fixtures/world.ts'

const histories = [20_261_127, 20_261_130]

const world = createWorld()

async function withRandomHistory(seed: number) {
  const person = await registerVerified(world)
  await liveRandomly(apiOf(world, person.token), new Dice(seed), 60)
  return person
}

/** Transactions as a CSV can tell them: by names. */
async function rowsByNames(person: Person): Promise<string[]> {
  const { body } = await person.get('/api/transactions?per_page=500')
  return body.data
    .map(({ account, to_account, category, ...row }: Json) => {
      const { type, amount, transaction_date, description, reference } = row
      const names = [account.name, to_account?.name, category?.name]
      return JSON.stringify([transaction_date, type, amount, ...names, description, reference])
    })
    .sort()
}

/** A user's client, whose uploads of transactions fail after the first `uploads`. */
function clientOf({ token }: Person, { uploads = Number.POSITIVE_INFINITY, of = world } = {}) {
  const { fetch } = fetchOf(of)
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

/** What a restored user has like the first: all but ids, times, versions, imports and `is_synced`. */
function restorable({ profile, accounts, categories, transactions }: Export) {
  const { email, email_verified_at, ...settings } = profile
  const nameOf = (rows: { id: number; name: string }[], id: number | null) =>
    rows.find((row) => row.id === id)?.name ?? null
  return {
    profile: ownFields(settings),
    accounts: accounts.map(ownFields),
    categories: categories.map(({ name, type }) => `${type} ${name}`).sort(),
    transactions: transactions.map(
      ({ account_id, to_account_id, category_id, is_synced, import_id, booked_by, ...row }) => [
        ...[ownFields(row), nameOf(categories, category_id)],
        ...[nameOf(accounts, account_id), nameOf(accounts, to_account_id)],
      ],
    ),
  }
}

const ownFields = (row: object) =>
  Object.entries(row).filter(([name]) => !/^(id|user_id|client_id|version)$|_at$/.test(name))

describe.each(histories)('history %i', (seed) => {
  let person: Person
  beforeAll(async () => {
    person = await withRandomHistory(seed)
  })

  test('is read back by import/store from a CSV export', async () => {
    const expected = await rowsByNames(person)
    expect(expected.length).toBeGreaterThan(3)
    const { text } = await person.get('/api/export?format=csv')
    const other = await registerVerified(world)
    for (const { name, type } of (await person.get('/api/accounts')).body)
      await other.post('/api/accounts', { name, type, starting_balance: 0 })
    const { status, body } = await world.call('POST', '/api/import/store?match=off', {
      token: other.token,
      rawBody: text,
      headers: { 'Content-Type': 'text/csv' },
    })
    expect([status, body.errors]).toEqual([200, undefined])
    expect(await rowsByNames(other)).toEqual(expected)
  })

  test('is exported again as it was once it is restored', async () => {
    const { body: file } = await person.get('/api/export')
    const other = await world.register({ name: 'Somebody Else', timezone: 'Asia/Tokyo' })
    const restored = await restore(clientOf(other), file)
    const { accounts, categories, recurring, transactions, balance_checks, ...notRestored } = file.counts
    expect(restored).toEqual({ matched: true, differences: [], notRestored })
    const { body: again } = await other.get('/api/export')
    expect(restorable(again)).toEqual(restorable(file))
    // Once more, nothing happens.
    expect(await restore(clientOf(other), file)).toEqual(restored)
    expect((await other.get('/api/export')).body.cursor).toBe(again.cursor)
  })

  test('is not restored if the file broke off, nor into a user who has accounts', async () => {
    const { body: file } = await person.get('/api/export')
    await expect(restore(clientOf(person), file)).rejects.toThrow(RestoreError)
    const other = await world.register()
    const broken = [{ complete: false }, { transactions: [] }, { profile: null }, { exported_at: 'today' }]
    const noExports = [
      null,
      undefined,
      'text',
      7,
      [],
      {},
      ...broken.map((fields) => ({ ...file, ...fields })),
    ]
    for (const no of noExports) await expect(restore(clientOf(other), no)).rejects.toThrow(RestoreError)
    expect((await other.get('/api/accounts')).body).toEqual([])
  })

  test('is restored by a restore that was cut off and continues, which says what is not as in the file', async () => {
    const { body: file } = await person.get('/api/export')
    const other = await world.register()
    await expect(restore(clientOf(other, { uploads: 1 }), file)).rejects.toThrow()
    expect(await restore(clientOf(other), file)).toMatchObject({ matched: true })

    const [{ id }] = (await other.get('/api/transactions')).body.data
    await other.delete(`/api/transactions/${id}`)
    const { matched, differences } = await restore(clientOf(other), file)
    expect(matched).toBe(false)
    expect(differences).toContainEqual({
      what: expect.stringMatching(/^create transaction export-/),
      expected: 'done',
      found: 'gone',
    })
    expect(differences.map(({ what }) => what)).toContain('number of transactions')
  })

  test('is restored again and again into a user whose accounts and categories were all deleted', async () => {
    const { body: file } = await person.get('/api/export')
    const other = await world.register()
    for (const uploads of [Number.POSITIVE_INFINITY, 1, Number.POSITIVE_INFINITY]) {
      const client = clientOf(other, { uploads })
      if (uploads < Number.POSITIVE_INFINITY) await expect(restore(client, file)).rejects.toThrow()
      else expect(await restore(client, file)).toMatchObject({ matched: true, differences: [] })
      for (const noun of ['accounts', 'categories'])
        for (const { id } of (await other.get(`/api/${noun}`)).body)
          expect((await other.delete(`/api/${noun}/${id}`)).status).toBe(204)
    }
    await restore(clientOf(other), file)
    expect(restorable((await other.get('/api/export')).body)).toEqual(restorable(file))
  })
})

test('a restore takes far fewer requests than the file has months', async () => {
  const limited = createWorld({ GENERAL_LIMIT_ENABLED: 'true', GENERAL_LIMIT: env.CHECK_EMAIL_LIMIT })
  const person = await limited.register()
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
  expect(await restore(clientOf(await limited.register(), { of: limited }), file)).toMatchObject({
    matched: true,
  })
})
