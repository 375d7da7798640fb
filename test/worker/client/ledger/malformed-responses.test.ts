import { expect, test } from 'vitest'
import { recordTransaction } from '../../fixtures/world.ts'
import type { Fetch } from '../client-world.ts'
import { openDevice } from './ledger-world.ts'
import { expectTruth, twoDevices } from './two-devices.ts'

type Page = Record<string, unknown> & { changes: { data: Record<string, unknown> | null }[] }

/** What may come in place of a response to an upload or a pull, with status 200. */
const others: Record<string, (response: Page) => unknown> = {
  'a sign-in page': () => '<!doctype html><title>Welcome to our Wi-Fi</title>',
  null: () => null,
  'half of it': (response) => JSON.stringify(response).slice(0, -40),
  'no cursor': ({ cursor, ...response }) => response,
  'an empty cursor': (response) => ({ ...response, cursor: '' }),
  'a list of nothing': (response) => ({ ...response, changes: [null] }),
  'rows without fields': (response) => ({
    ...response,
    changes: response.changes.map((one) => ({ ...one, data: {} })),
  }),
  'rows left out': (response) => ({ ...response, changes: response.changes.map(({ data, ...one }) => one) }),
  'amounts that are none': (response) => ({
    ...response,
    changes: response.changes.map((one) => ({ ...one, data: { ...one.data, amount: 'much' } })),
  }),
  'ids that do not fit': (response) => ({
    ...response,
    changes: response.changes.map((one) => ({ ...one, data: { ...one.data, id: 1e9 } })),
  }),
  'no balances': ({ balances, ...response }) => response,
  'more for ever': (response) => ({ ...response, changes: [], has_more: true, cursor: 'WzEsMSwxXQ' }),
}

/** What may come in place of a response to an upload alone. */
const otherResults: typeof others = {
  'other results': (response) => ({ ...response, results: [{ index: 0, outcome: 'perhaps' }] }),
  'a list of no results': (response) => ({ ...response, results: [null] }),
}

test.each([...Object.entries(others), ...Object.entries(otherResults)])(
  '%s in place of a response changes nothing',
  async (name, replace) => {
    const { world, person, tea, expense, one } = await twoDevices()
    const fresh = await openDevice(world, person)
    await recordTransaction(person, { ...expense, reference: 'elsewhere', force: true })
    await one.ledger.create('transaction', { ...expense, reference: 'waits' })
    await one.ledger.update('transaction', tea, { amount: 4 })
    for (const device of name in others ? [one, fresh] : [one]) {
      const { network } = device
      const { fetch } = network
      const garbling: Fetch = async (url, init) => {
        const response = await fetch(url, init)
        if (!url.includes('/changes')) return response
        const other = replace(await response.json())
        return new Response(typeof other === 'string' ? other : JSON.stringify(other))
      }
      network.fetch = garbling
      const shown = device.ledger.transactions()
      network.calls.length = 0
      expect(await device.ledger.sync()).toMatchObject({ sent: 0, stopped: { reason: 'offline' } })
      expect(network.calls.length).toBeLessThan(9)
      expect(device.ledger.transactions()).toEqual(shown)
      network.fetch = fetch
      const ledger = await device.open()
      expect(ledger.transactions()).toEqual(shown)
      expect(await ledger.sync()).toMatchObject({ conflicts: 0, rejected: 0, waiting: 0, stopped: null })
      await expectTruth(person, ledger)
    }
  },
)

test('a service that refuses every cursor ends a run, and pending operations stay', async () => {
  const { person, tea, one } = await twoDevices()
  const { ledger, network } = one
  await ledger.update('transaction', tea, { amount: 4 })
  const { fetch } = network
  const expired = { message: 'The cursor is no longer valid.', code: 'cursor_expired' }
  for (const refused of ['upload', 'pull']) {
    network.fetch = (url, init) =>
      url.includes('/changes') && String(init.body).includes('"ops":[]') === (refused === 'pull')
        ? Promise.resolve(Response.json(expired, { status: 410 }))
        : fetch(url, init)
    network.calls.length = 0
    const report = await ledger.sync()
    expect(network.calls.length).toBeLessThan(9)
    if (refused === 'upload') expect(report).toMatchObject({ waiting: 1, stopped: { reason: 'refused' } })
  }
  network.fetch = fetch
  expect(await ledger.sync()).toMatchObject({ conflicts: 0, waiting: 0, stopped: null })
  await expectTruth(person, ledger)
})

test('rows that do not add up to the balances, even when they are read again, are reported', async () => {
  const { world, person } = await twoDevices()
  const { ledger, network } = await openDevice(world, person)
  const { fetch } = network
  network.fetch = async (url, init) => {
    const response = await fetch(url, init)
    return url.includes('/changes')
      ? Response.json({ ...(await response.json<object>()), changes: [] })
      : response
  }
  expect(await ledger.sync()).toMatchObject({ stopped: { reason: 'refused', error: expect.any(Error) } })
  network.fetch = fetch
  expect(await ledger.sync()).toMatchObject({ stopped: null })
  await expectTruth(person, ledger)
})

/** In turn, one for each request of a run. */
const refusals = [
  { status: 401, reason: 'signed-out' },
  { status: 500, reason: 'refused' },
  { status: 410, reason: null },
]

test('a revoked token, a failure or an expired cursor in the middle of a run loses nothing, and does nothing twice', async () => {
  const limits = { operations: 2, bytes: 1_000_000, rows: 2 }
  for (let nth = 1, isOver = false; !isOver; nth++) {
    const { status, reason } = refusals[nth % refusals.length] as (typeof refusals)[number]
    const { world, person, tea, expense, one } = await twoDevices()
    const { ledger, network, tokens } = await openDevice(world, person, { limits })
    await ledger.sync()
    for (const reference of ['theirs', 'others'])
      await recordTransaction(person, { ...expense, reference, force: true })
    const account_id = await ledger.create('account', { name: 'Wallet', type: 'cash', starting_balance: 1 })
    const category_id = await ledger.create('category', { name: 'Leaves', type: 'expense' })
    for (const reference of ['a', 'b', 'c'])
      await ledger.create('transaction', { ...expense, account_id, category_id, reference })
    await ledger.update('transaction', tea, { amount: 4 })
    const { fetch } = network
    let left = nth
    network.fetch = async (url, init) => {
      const real = await fetch(url, init)
      // Whether it has been done or not is unknown.
      return url.includes('/changes') && --left === 0 ? Response.json({ message: 'No.' }, { status }) : real
    }
    const { stopped } = await ledger.sync()
    isOver = left > 0
    if (!isOver) expect(stopped?.reason ?? null).toBe(reason)
    network.fetch = fetch
    await tokens.set(person.token)
    expect(await ledger.sync()).toMatchObject({ conflicts: 0, rejected: 0, waiting: 0, stopped: null })
    await expectTruth(person, ledger)
    const references = ledger.transactions().data.map(({ reference }) => reference ?? 'tea')
    expect(references.sort()).toEqual(['a', 'b', 'c', 'others', 'tea', 'theirs'])
    await one.ledger.sync()
    await expectTruth(person, one.ledger)
  }
})
