import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { findDifferences } from '../../../src/database/check.ts'
import { picker } from '../../dice.ts'
import { create, remove, update, upload } from '../fixtures/uploads.ts'
import { createWorld, type Json, openAccount, type Person } from '../fixtures/world.ts'
import { sendFile } from '../imports/send-file.ts'
import { askDatabase, createHousehold, openWorldDatabase } from '../laws/every-route.ts'

const days = ['2026-08-31', '2026-09-10', '2026-09-30', '2026-10-15', '2026-10-31', '2026-11-05']
const amounts = ['5.00', '7.00', '11.00']

/** A user with three devices, and accounts that are checked at the ends of months and in between. */
async function createPlace(seed: number) {
  const pick = picker(seed)
  const world = createWorld({ GENERAL_LIMIT_ENABLED: 'false' })
  const household = await createHousehold(world)
  const { person, checking, cash, category } = household
  const { email, password } = person
  const signedIn = await world.call('POST', '/api/login', { body: { email, password } })
  const named = await person.post('/api/tokens', { name: 'Script', abilities: ['read', 'write'] })
  const tokens = [person.token, signedIn.body.access_token, named.body.access_token] as string[]
  const devices = tokens.map((token) => ({ ...person, ...world.as(token), token }))
  const accounts: Json[] = [checking, cash, await openAccount(person, { name: 'Savings' })]
  return { ...household, world, person, category, pick, devices, accounts, made: 0 }
}
type Place = Awaited<ReturnType<typeof createPlace>>

function fields({ pick, accounts, category }: Place) {
  const [from, to] = [pick(...accounts), pick(...accounts)]
  const isTransfer = from.id !== to.id && pick(true, false)
  return {
    type: isTransfer ? 'transfer' : pick('income', 'expense'),
    account_id: from.id,
    to_account_id: isTransfer ? to.id : null,
    category_id: category.id,
    amount: pick(...amounts),
    transaction_date: pick(...days),
    force: true,
  }
}

/** Changes something with one device, through any route. */
async function change(place: Place, device: Person): Promise<void> {
  const { world, pick, accounts } = place
  const { body } = await device.get('/api/transactions?per_page=500')
  const rows: Json[] = body.data
  const [row, other] = [pick(...rows), pick(...rows)]
  const imports: Json[] = (await device.get('/api/imports')).body
  place.made += 1
  const id = `made-${place.made}`
  const csv = () => {
    const lines = days
      .slice(0, 5)
      .map((day) => `${day},${pick('-', '')}${pick(...amounts)},${pick('Coffee', 'Rent')}`)
    return ['date,amount,description', ...lines].join('\n')
  }
  const { force: _, ...set } = fields(place)
  const ways: (() => Promise<{ status: number } | unknown>)[] = [
    () => device.post('/api/transactions', fields(place)),
    () =>
      device.post('/api/transactions/sync', {
        transactions: [{ ...fields(place), client_id: id }, fields(place)],
      }),
    async () => {
      const headers = { Prefer: 'respond-async' }
      const transactions = [{ ...fields(place), client_id: id }]
      await world.call('POST', '/api/transactions/sync', {
        body: { transactions },
        headers,
        token: device.token,
      })
      await world.deliverSyncs()
    },
    () =>
      sendFile(
        { world, person: device },
        `store?account_id=${pick(...accounts).id}&match=off${pick('', '&dry_run=true')}`,
        csv(),
      ),
    () =>
      upload(device, [
        create('transaction', id, set),
        ...(row
          ? [pick(update('transaction', row.id, { amount: pick(...amounts) }), remove('transaction', row.id))]
          : []),
      ]),
    () => device.put(`/api/accounts/${pick(...accounts).id}`, { starting_balance: pick('100.00', '105.00') }),
  ]
  if (row)
    ways.push(
      () => device.put(`/api/transactions/${row.id}`, { amount: pick(...amounts) }),
      () => device.put(`/api/transactions/${row.id}`, { transaction_date: pick(...days) }),
      () =>
        device.put(`/api/transactions/${row.id}`, {
          type: 'income',
          account_id: pick(...accounts).id,
          to_account_id: null,
        }),
      () => device.put(`/api/transactions/${row.id}`, { description: 'Words' }),
      () => device.delete(`/api/transactions/${row.id}`),
      () =>
        device.post('/api/matches/join', { kind: pick('duplicate', 'transfer'), ids: [row.id, other?.id] }),
      () => device.post('/api/matches/separate', { id: row.id }),
    )
  if (imports.length > 3) ways.push(() => device.delete(`/api/imports/${pick(...imports).id}?force=true`))
  if (pick(...Array.from({ length: 25 }, (_, nth) => nth)) === 0) {
    const gone = pick(...accounts)
    accounts.splice(accounts.indexOf(gone), 1, await openAccount(device, { name: `Account ${place.made}` }))
    ways.splice(0, ways.length, () => device.delete(`/api/accounts/${gone.id}`))
  }
  await pick(...ways)()
}

/** Checks that come, are corrected to what the account has, and go. */
async function checkBalances(place: Place): Promise<void> {
  const { person, pick, accounts } = place
  const checks: Json[] = (await person.get('/api/balance-checks')).body
  const broken = checks.filter(({ state }) => state === 'broken')
  if (checks.length > 12) await person.delete(`/api/balance-checks/${pick(...checks).id}`)
  const one = pick(...broken)
  if (one) await person.put(`/api/balance-checks/${one.id}`, { balance: one.ledger_balance })
  const [account_id, date] = [pick(...accounts).id, pick(...days)]
  const { status, body } = await person.post('/api/balance-checks', { account_id, date, balance: 100 })
  if (status === 201) await person.put(`/api/balance-checks/${body.id}`, { balance: body.ledger_balance })
}

test('whatever any device does, each difference equals a recomputation, and a check that breaks names the device', async () => {
  const place = await createPlace(20_261_128)
  const { world, person, pick, devices } = place
  const list = async (): Promise<Json[]> => (await person.get('/api/balance-checks')).body
  let broke = 0
  for (let turn = 0; turn < 100; turn++) {
    await checkBalances(place)
    const before = new Map((await list()).map((check) => [check.id, check]))
    const device = pick(...devices)
    await change(place, device)
    for (const { id, state, difference } of await list()) {
      if (before.get(id)?.state !== 'ok' || state === 'ok') continue
      broke += 1
      const { broken_by } = (await person.get(`/api/balance-checks/${id}`)).body
      const sum = broken_by.reduce((sum: number, { effect }: Json) => sum + Math.round(effect * 100), 0)
      expect(sum).toBe(Math.round(difference * 100))
      expect(new Set(broken_by.map(({ by }: Json) => by.token_id))).toEqual(
        new Set([Number(device.token.split('|')[0])]),
      )
    }
    if (turn % 10 === 0) expect(await findDifferences(openWorldDatabase(world))).toEqual([])
    if (turn % 50 === 0) await world.removeDeleted()
  }
  expect(broke).toBeGreaterThan(8)
  expect(await findDifferences(openWorldDatabase(world))).toEqual([])
  await world.removeDeleted()
  expect(await findDifferences(openWorldDatabase(world))).toEqual([])
  const former = sql`select count(*) as left from accounts where former_user_id is not null`
  expect(await askDatabase(world, former)).toEqual([{ left: 0 }])
})
