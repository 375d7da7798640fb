import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createClient, type Ledger, memoryTokens, unwrap } from '../../../../client/index.ts'
import { recordTransaction } from '../../fixtures/world.ts'
import { fetchOf } from '../client-world.ts'
import { openDevice } from './ledger-world.ts'
import { expectTruth, refusedAccount, twoDevices } from './two-devices.ts'

const reported: unknown[] = []
beforeEach(() => {
  reported.length = 0
  vi.stubGlobal('reportError', (error: unknown) => reported.push(error))
})
afterEach(() => vi.unstubAllGlobals())

const failure = new Error('The page cannot be drawn')

/** Subscribes a listener that throws between two that count. */
function subscribeThree(ledger: Ledger) {
  const heard = { before: 0, after: 0 }
  ledger.subscribe(() => void heard.before++)
  ledger.subscribe(() => {
    throw failure
  })
  ledger.subscribe(() => void heard.after++)
  return heard
}

test('a listener that throws stops no work of a ledger, keeps nothing from other listeners, and is reported', async () => {
  const { world, person, expense, tea, one, two } = await twoDevices()
  const { ledger } = one
  const tab = await openDevice(world, person, { storage: one.storage })
  const heard = subscribeThree(ledger)
  const inTab = subscribeThree(tab.ledger)
  const change = async (amount: string, theirs: string) => {
    await ledger.update('transaction', tea, { amount })
    await two.ledger.sync()
    await two.ledger.update('transaction', tea, { amount: theirs })
    await two.ledger.sync()
    await ledger.sync()
    return ledger.conflicts()
  }
  let key = ''
  const works: Record<string, () => Promise<unknown>> = {
    create: async () => (key = await ledger.create('transaction', { ...expense, reference: 'cup' })),
    update: () => ledger.update('transaction', key, { amount: '4.00' }),
    undo: () => ledger.undo(),
    remove: () => ledger.remove('transaction', key),
    sync: async () => {
      await ledger.update('transaction', tea, { description: 'Pot' })
      await ledger.sync()
    },
    keepMine: async () => {
      for (const conflict of await change('5.00', '6.00')) await ledger.keepMine(conflict)
    },
    keepTheirs: async () => {
      for (const conflict of await change('7.00', '8.00')) await ledger.keepTheirs(conflict)
    },
    discard: async () => {
      await ledger.create('account', await refusedAccount(person))
      await ledger.sync()
      expect(ledger.rejected()).toHaveLength(1)
      for (const one of ledger.rejected()) await ledger.discard(one)
    },
    'what others have done': async () => {
      await recordTransaction(person, { ...expense, reference: 'pot' })
      await ledger.sync()
    },
    'what another tab has done': () => tab.ledger.refresh(),
  }
  for (const [what, work] of Object.entries(works)) {
    const counted = what === 'what another tab has done' ? inTab : heard
    const [before, errors] = [counted.before, reported.length]
    await expect(work(), what).resolves.not.toThrow()
    expect(counted.before, what).toBeGreaterThan(before)
    expect(counted.after, what).toBe(counted.before)
    expect(reported.length, what).toBeGreaterThan(errors)
  }
  expect(new Set(reported)).toEqual(new Set([failure]))
  await ledger.sync()
  await expectTruth(person, ledger)
})

test('a listener that is subscribed twice is called until it has been unsubscribed twice', async () => {
  const { one, tea } = await twoDevices()
  let calls = 0
  const listener = () => void calls++
  const [first, second] = [one.ledger.subscribe(listener), one.ledger.subscribe(listener)]
  first()
  first()
  await one.ledger.update('transaction', tea, { amount: 4 })
  expect(calls).toBeGreaterThan(0)
  const before = calls
  second()
  await one.ledger.update('transaction', tea, { amount: 5 })
  expect(calls).toBe(before)
})

test('an onSignedOut that throws does not replace the response of the service', async () => {
  const { world } = await twoDevices()
  const client = createClient({
    ...{ baseUrl: 'http://purse.test', fetch: fetchOf(world).fetch, tokens: memoryTokens('not a token') },
    onSignedOut: () => {
      throw failure
    },
  })
  await expect(unwrap(client.api.me.$get())).rejects.toMatchObject({ name: 'ApiError', status: 401 })
  expect(reported).toEqual([failure])
  expect(await client.tokens.get()).toBeNull()
})
