import { expect, test } from 'vitest'
import type { Fetch } from '../client-world.ts'
import { openDevice } from './ledger-world.ts'
import { syncOver, twoDevices } from './two-devices.ts'

/** The preflights that a browser on another origin sends: one for each URL and method, which it keeps for two hours. */
function countingPreflights() {
  const kept = new Set<string>()
  const counts = { preflights: 0, requests: 0 }
  const count = (fetch: Fetch): Fetch => {
    return (url, init) => {
      const preflight = `${init.method} ${url}`
      counts.preflights += kept.has(preflight) ? 0 : 1
      counts.requests += 1
      kept.add(preflight)
      return fetch(url, init)
    }
  }
  return { count, counts }
}

test('after the first, a sync is one request, and so is an upload with its pull, without a preflight', async () => {
  const { expense, tea, one, two } = await twoDevices()
  const { count, counts } = countingPreflights()
  await syncOver(count, one)
  const quiet = async () => undefined
  const receive = async () => {
    await two.ledger.update('transaction', tea, { amount: 4 })
    await two.ledger.sync()
  }
  const send = async () => {
    await one.ledger.create('transaction', { ...expense, reference: `cup ${counts.requests}` })
  }
  const sendAndReceive = async () => {
    await two.ledger.update('transaction', tea, { description: 'Pot' })
    await two.ledger.sync()
    await send()
  }
  for (const prepare of [quiet, receive, send, sendAndReceive]) {
    await prepare()
    Object.assign(counts, { preflights: 0, requests: 0 })
    await syncOver(count, one)
    expect(counts, prepare.name).toEqual({ preflights: 0, requests: 1 })
    expect(one.ledger.waiting()).toEqual([])
  }
})

test('a first copy has two URLs, however many pages it has', async () => {
  const { world, person } = await twoDevices()
  const { count, counts } = countingPreflights()
  const limits = { operations: 500, bytes: 1_000_000, rows: 3 }
  const device = await openDevice(world, person, { limits })
  await syncOver(count, device)
  expect(counts.preflights).toBe(2)
  expect(counts.requests).toBeGreaterThan(5)
})
