import { expect } from 'vitest'
import type { Ledger } from '../../../../client/index.ts'
import type { Dice } from '../../../dice.ts'
import { stopClock } from '../../fixtures/clock.ts'
import { openAccount, type Person, recordTransaction } from '../../fixtures/world.ts'
import type { Fetch } from '../client-world.ts'
import { fewQuestions, newWorld, openDevice, readLedger, readService } from './ledger-world.ts'

/** A user with an account, a tea, and two devices that have both. */
export async function twoDevices() {
  stopClock()
  const world = newWorld()
  const person = await world.register()
  const account = await openAccount(person)
  const category = (await person.get('/api/categories')).body[0]
  const expense = {
    ...{ account_id: account.id, category_id: category.id, type: 'expense' as const },
    ...{ amount: '3.00', transaction_date: '2026-11-20', description: 'Tea' },
  }
  const tea = String((await recordTransaction(person, expense)).id)
  const [one, two] = [await openDevice(world, person), await openDevice(world, person)]
  for (const { ledger } of [one, two]) await ledger.sync()
  return { world, person, account, category, expense, tea, one, two }
}

/** Executes a request, and loses the response. */
export const losing =
  (fetch: Fetch): Fetch =>
  async (url, init) => {
    await fetch(url, init)
    throw new TypeError('The network is gone')
  }
export const offline: Fetch = () => Promise.reject(new TypeError('There is no network'))

/** Syncs a device over a faulty network. */
export async function syncOver(
  faulty: (fetch: Fetch) => Fetch,
  { ledger, network }: Awaited<ReturnType<typeof openDevice>>,
): Promise<void> {
  const { fetch } = network
  network.fetch = faulty(fetch)
  await ledger.sync()
  network.fetch = fetch
}

/** A network on which requests and responses get lost. */
export function unsteady(
  fetch: Fetch,
  dice: Dice,
  tally: { 'never sent': number; lost: number; answered: number },
): Fetch {
  return async (url, init) => {
    const mishap = dice.weighed({ 'never sent': 1, lost: 2, answered: 6 })
    tally[mishap]++
    if (mishap === 'never sent') throw new TypeError('There is no network')
    const response = await fetch(url, init)
    if (mishap === 'lost') throw new TypeError('The network is gone')
    return response
  }
}

/** Nothing is waiting, and the ledger shows what the service has. */
export async function expectTruth(person: Person, ledger: Ledger): Promise<void> {
  expect(ledger.waiting()).toEqual([])
  const questions = fewQuestions(ledger)
  expect(readLedger(ledger, questions)).toEqual(await readService(person, ledger, questions))
}

/** An account whose creation is refused from now on, since its notes and those of other accounts are too long. */
export async function refusedAccount(person: Person) {
  const fields = { type: 'bank' as const, starting_balance: 0, notes: 'x'.repeat(60_000) }
  for (const name of ['A', 'B', 'C', 'D']) await openAccount(person, { ...fields, name })
  return { ...fields, name: 'Refused' }
}
