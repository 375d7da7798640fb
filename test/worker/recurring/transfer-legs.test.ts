import { beforeEach, describe, expect, test } from 'vitest'
import { findDifferences } from '../../../src/database/check.ts'
import { noon, setClock } from '../fixtures/clock.ts'
import {
  aCategory,
  createWorld,
  type Json,
  openAccount,
  type Person,
  recordTransaction,
  registerVerified,
} from '../fixtures/world.ts'
import { openWorldDatabase } from '../laws/every-route.ts'

/*
 * A rule moves 20.00 from one account to another on the 20th of November, by itself. Its transfer is recorded by the job, or
 * comes with the file of either account, in any order.
 */

const date = '2026-11-20'
const minute = 60_000

let world: ReturnType<typeof createWorld>
let person: Person
let giro: Json
let box: Json
let rule: Json

beforeEach(async () => {
  setClock(noon)
  world = createWorld()
  person = await registerVerified(world)
  giro = await openAccount(person, { name: 'Giro' })
  box = await openAccount(person, { name: 'Box' })
  const template = { type: 'transfer', account_id: giro.id, to_account_id: box.id, amount: '20.00' }
  rule = (
    await person.post('/api/recurring', {
      ...{ ...template, description: 'Sparplan Zuber', starts_on: date, rrule: 'FREQ=MONTHLY' },
      auto_record: true,
    })
  ).body
})

const rows = async (): Promise<Json[]> => (await person.get('/api/transactions?per_page=500')).body.data
const balances = async () => {
  const accounts: Json[] = (await person.get('/api/accounts')).body
  return [giro, box].map(({ id, balance }) => accounts.find((one) => one.id === id)?.balance - balance)
}
const imports = async (account: Json, type: string, details: Json = {}) => {
  const row = { account_id: account.id, type, amount: '20.00', transaction_date: '2026-11-21' }
  const transactions = [{ ...row, description: 'SPARPLAN ZUBER 12', ...details }]
  const { status, body, text } = await person.post('/api/import/store', { transactions })
  expect(status, text).toBe(200)
  return body.import as Json
}

/** Settles every match that is listed, as a person would. */
async function settle() {
  const { occurrences } = (await person.get('/api/matches?kind=occurrence')).body
  for (const one of occurrences) {
    const path = `/api/recurring/${one.recurring_id}/occurrences/${one.occurrence_date}`
    expect((await person.put(path, { transaction_id: one.transaction.id })).status).toBe(200)
  }
  for (const { kind, ids } of (await person.get('/api/matches')).body.matches)
    expect((await person.post('/api/matches/join', { kind, ids })).status).toBe(200)
}

const steps: Record<string, (details: Json) => Promise<unknown>> = {
  job: async () => {
    setClock(Date.parse(`${date}T00:10:00Z`))
    await world.runCron('*/5 * * * *')
    setClock(noon)
  },
  'file of Giro': (details) => imports(giro, 'expense', details),
  'file of Box': (details) => imports(box, 'income', details),
}
const orders = [
  ['job'],
  ...['file of Giro', 'file of Box'].flatMap((file) => [['job', file], [file, 'job'], [file]]),
  ...['file of Giro', 'file of Box'].flatMap((one) => {
    const other = one === 'file of Giro' ? 'file of Box' : 'file of Giro'
    return [
      ['job', one, other],
      [one, 'job', other],
      [one, other, 'job'],
      [one, other],
    ]
  }),
]

test.each(
  orders.flatMap((order) => [
    [order.join(', '), 'that names the payee', order, {}],
    [order.join(', '), 'that names nothing', order, { description: 'SEPA 4711' }],
  ]) as [string, string, string[], Json][],
)('the balances of a transfer do not depend on the order: %s, a row %s', async (_, __, order, details) => {
  for (const step of order) {
    await steps[step]?.(details)
    await settle()
  }
  const [transfer, ...others] = await rows()
  expect(others).toEqual([])
  expect(transfer).toMatchObject({
    ...{ type: 'transfer', account_id: giro.id, to_account_id: box.id, amount: '20.00' },
    ...{ recurring_id: rule.id, occurrence_date: date },
  })
  expect(await balances()).toEqual([-20, 20])
  // The same files again bring nothing.
  for (const step of order) await steps[step]?.(details)
  expect(await rows()).toHaveLength(1)
  expect(await findDifferences(openWorldDatabase(world))).toEqual([])
})

describe.each([
  ['outflow', () => giro, 'expense', [-20, 0]],
  ['inflow', () => box, 'income', [0, 20]],
] as const)('a leg that becomes a transfer: an %s', (_, accountOf, type, before) => {
  const path = () => `/api/recurring/${rule.id}/occurrences/${date}`
  const link = (transaction_id: number | null, details = {}) =>
    person.put(path(), { transaction_id, ...details })
  const typed = async () =>
    recordTransaction(person, {
      ...{ account_id: accountOf().id, category_id: (await aCategory(person, type)).id, type },
      ...{ amount: '20.00', transaction_date: '2026-11-19' },
    })
  const imported = async () => {
    await imports(accountOf(), type, { description: 'SEPA 4711' })
    return (await rows())[0] as Json
  }
  const legs: Record<string, () => Promise<Json>> = {
    typed,
    imported,
    booked: async () => {
      const row = await typed()
      expect(await imports(accountOf(), type, { transaction_date: row.transaction_date })).toMatchObject({
        counts: { duplicate: 1 },
      })
      return row
    },
    edited: async () => {
      const { id } = await imported()
      return (await person.put(`/api/transactions/${id}`, { transaction_date: '2026-11-18' })).body
    },
  }

  test.each(Object.entries(legs))('is the leg again, unlinked, if it was %s', async (kind, create) => {
    await person.put(`/api/recurring/${rule.id}`, { auto_record: false })
    const { id } = await create()
    const read = async () => (await person.get(`/api/transactions/${id}`)).body
    const leg = await read()
    for (const turn of [1, 2]) {
      expect((await link(id)).status).toBe(200)
      expect(await balances()).toEqual([-20, 20])
      expect((await link(null)).status).toBe(200)
      expect(await read()).toEqual({ ...leg, version: leg.version + 2 * turn })
      expect(await balances()).toEqual(before)
      expect(await findDifferences(openWorldDatabase(world))).toEqual([])
    }
    const isTyped = kind === 'typed' || kind === 'booked'
    await imports(
      accountOf(),
      type,
      isTyped ? { transaction_date: leg.transaction_date } : { description: 'SEPA 4711' },
    )
    expect(await rows()).toHaveLength(1)
  })

  test('goes with the undone import of its file, and the job records the transfer', async () => {
    const { id } = await imports(accountOf(), type)
    expect(await balances()).toEqual([-20, 20])
    await person.delete(`/api/imports/${id}`)
    expect(await balances()).toEqual([0, 0])
    setClock(noon + minute)
    await world.runCron('*/5 * * * *')
    expect(await rows()).toMatchObject([{ type: 'transfer', occurrence_date: date, import_id: null }])
    expect(await balances()).toEqual([-20, 20])
    expect(await findDifferences(openWorldDatabase(world))).toEqual([])
  })

  test('stays one if it is joined with the other leg and separated again', async () => {
    await imports(accountOf(), type)
    const [other, otherType] = type === 'expense' ? [box, 'income'] : [giro, 'expense']
    await imports(other, otherType)
    await settle()
    const [{ id }] = (await rows()) as [Json]
    expect((await person.post('/api/matches/separate', { id })).status).toBe(200)
    expect(await rows()).toHaveLength(2)
    await settle()
    expect(await balances()).toEqual([-20, 20])
    await imports(accountOf(), type)
    await imports(other, otherType)
    expect(await rows()).toHaveLength(1)
    expect(await findDifferences(openWorldDatabase(world))).toEqual([])
  })

  test('stays a leg if the other account is reconciled on its day', async () => {
    const other = type === 'expense' ? box : giro
    const check = { account_id: other.id, date: '2026-11-22', balance: other.balance }
    setClock(Date.parse('2026-11-25T12:00:00Z'))
    expect((await person.post('/api/balance-checks', check)).status).toBe(201)
    await person.put(`/api/accounts/${other.id}`, { reconciled_through: '2026-11-22' })
    await imports(accountOf(), type)
    const [leg] = (await rows()) as [Json]
    expect(leg).toMatchObject({ type, recurring_id: null })
    const refused = await link(leg.id)
    expect([refused.status, refused.body.code]).toEqual([422, 'reconciled'])
    expect(await rows()).toEqual([leg])
    expect((await link(leg.id, { override_reconciled: true })).status).toBe(200)
    expect(await balances()).toEqual([-20, 20])
    expect((await link(null)).body.code).toBe('reconciled')
    expect(await balances()).toEqual([-20, 20])
    expect((await link(null, { override_reconciled: true })).status).toBe(200)
    expect(await balances()).toEqual(before)
    expect(await findDifferences(openWorldDatabase(world))).toEqual([])
  })
})
