import { beforeEach, describe, expect, test } from 'vitest'
import { type Json, openAccount } from '../fixtures/world.ts'
import { createHome, type Home } from '../recurring/home.ts'
import { sendFile } from './send-file.ts'

let world: Home['world']
let person: Home['person']
let account: Home['account']
let create: (details: Json) => Promise<Json>
let rule: Json

beforeEach(async () => {
  const home = await createHome()
  ;({ world, person, account } = home)
  create = (details) => home.create({ description: 'Rent Meier', starts_on: '2026-01-20', ...details })
  rule = await create({})
})

const rentOf = (details: Json = {}) => ({
  account_id: account.id,
  type: 'expense',
  amount: '950.00',
  transaction_date: '2026-11-19',
  description: 'SEPA STANDING ORDER MEIER FLAT 4',
  ...details,
})

async function send(transactions: Json[], options = ''): Promise<Json> {
  const { status, body, text } = await person.post(`/api/import/store${options}`, { transactions })
  expect(status, text).toBe(200)
  return body.import
}

const rows = async (): Promise<Json[]> => (await person.get('/api/transactions')).body.data
const stateOn = async (date: string): Promise<string> => {
  const { body } = await person.get('/api/recurring/upcoming?days=60')
  return body.occurrences.find((one: Json) => one.occurrence_date === date)?.state
}

describe('an imported row', () => {
  test('is the occurrence whose payee it names, and due again once the import is undone', async () => {
    const { id, counts, occurrences } = await send([
      rentOf(),
      rentOf({ amount: '3.20', description: 'Bakery' }),
    ])
    expect(counts).toMatchObject({ created: 2, duplicate: 0, occurrences: 1 })
    const [row] = (await rows()).filter((one) => one.amount === '950.00')
    expect(row).toMatchObject({ recurring_id: rule.id, occurrence_date: '2026-11-20' })
    expect(occurrences).toEqual([
      { row: 0, transaction_id: row?.id, recurring_id: rule.id, occurrence_date: '2026-11-20' },
    ])
    expect(await stateOn('2026-11-20')).toBe('recorded')

    expect((await person.delete(`/api/imports/${id}`)).status).toBe(204)
    expect(await stateOn('2026-11-20')).toBe('due')
  })

  test('of a file is linked as well, whether it gives its account by id or by name', async () => {
    const csv = `date,amount,account,description\n2026-11-19,-950.00,${account.name},Meier flat\n2026-12-21,-950.00,${account.name},Meier flat\n`
    const { body } = await sendFile({ world, person }, 'store?signs=as_written', csv)
    expect(body.import.counts.occurrences).toBe(2)
    expect(body.import.occurrences.map((one: Json) => one.occurrence_date)).toEqual([
      '2026-11-20',
      '2026-12-20',
    ])
  })

  test('is not linked if the amount, the direction, the account or the payee is another, or the day too far', async () => {
    const other = await openAccount(person, { name: 'Other' })
    const { counts } = await send([
      rentOf({ amount: '950.01' }),
      rentOf({ type: 'income' }),
      rentOf({ account_id: other.id }),
      rentOf({ description: 'BAKERY' }),
      rentOf({ transaction_date: '2026-11-16' }),
      rentOf({ transaction_date: '2026-11-27' }),
    ])
    expect(counts).toMatchObject({ created: 6, occurrences: 0 })
  })

  test('is linked within the tolerance of its rule', async () => {
    await create({ amount: '60.00', amount_tolerance: 10, description: 'Stadtwerke' })
    const { counts } = await send([
      rentOf({ amount: '66.00', description: 'STADTWERKE 4711' }),
      rentOf({ amount: '66.01', description: 'STADTWERKE 4712' }),
    ])
    expect(counts.occurrences).toBe(1)
  })

  test('is not linked where two rows or two occurrences could be meant', async () => {
    expect((await send([rentOf(), rentOf({ transaction_date: '2026-11-20' })])).counts.occurrences).toBe(0)
    await create({ starts_on: '2026-01-21' })
    expect((await send([rentOf({ transaction_date: '2026-12-19' })])).counts.occurrences).toBe(0)
  })

  test('is linked by the text of an earlier occurrence', async () => {
    const [earlier] = (await send([
      rentOf({ transaction_date: '2026-10-20', description: 'IMMO GMBH 12' }),
    ]).then(rows)) as [Json]
    await person.put(`/api/recurring/${rule.id}/occurrences/2026-10-20`, { transaction_id: earlier.id })
    expect((await send([rentOf({ description: 'IMMO GMBH 13' })])).counts.occurrences).toBe(1)
  })

  test('is neither linked with match=off nor if its occurrence is recorded or skipped', async () => {
    expect((await send([rentOf()], '?match=off')).counts.occurrences).toBe(0)
    await person.post(`/api/recurring/${rule.id}/occurrences/2026-12-20/record`)
    await person.put(`/api/recurring/${rule.id}/occurrences/2027-01-20`, { skip: true })
    const { counts } = await send([
      rentOf({ transaction_date: '2026-12-22' }),
      rentOf({ transaction_date: '2027-01-20' }),
    ])
    expect(counts).toMatchObject({ created: 2, occurrences: 0, possible: 1 })
  })

  test('is shown as an occurrence by a dry run, which links nothing', async () => {
    const { counts, occurrences } = await send([rentOf()], '?dry_run=true')
    expect(counts.occurrences).toBe(1)
    expect(occurrences).toEqual([
      { row: 0, transaction_id: null, recurring_id: rule.id, occurrence_date: '2026-11-20' },
    ])
    expect(await stateOn('2026-11-20')).toBe('due')
  })

  test('is linked once, and a repeat of the request or the file says so and links nothing', async () => {
    const repeat = () =>
      world.call('POST', '/api/import/store', {
        token: person.token,
        body: { transactions: [rentOf()] },
        headers: { 'Idempotency-Key': 'november' },
      })
    const first = (await repeat()).body.import
    expect(first.counts.occurrences).toBe(1)
    expect((await repeat()).body.import).toEqual(first)
    expect((await send([rentOf()])).counts).toMatchObject({ created: 0, duplicate: 1, occurrences: 0 })
    expect(await rows()).toHaveLength(1)
  })

  test('takes the occurrence from one side of a transfer', async () => {
    const savings = await openAccount(person, { name: 'Savings' })
    const move = await create({
      type: 'transfer',
      to_account_id: savings.id,
      category_id: null,
      amount: '200',
      description: 'Savings plan',
    })
    const { counts, occurrences } = await send([
      rentOf({ account_id: savings.id, type: 'income', amount: '200', description: 'SAVINGS PLAN' }),
    ])
    expect(counts.occurrences).toBe(1)
    expect(occurrences[0].recurring_id).toBe(move.id)
  })
})

test('a user with recurring transactions takes one round trip more to import JSON, and none more to import a file', async () => {
  const requests = async (call: () => Promise<unknown>) => {
    await world.resetDatabaseWork()
    await call()
    return (await world.databaseWork()).requests
  }
  expect(await requests(() => send([rentOf()]))).toBe(2)
  expect(await requests(() => send([rentOf({ amount: 1 })], '?match=off'))).toBe(1)
  const csv = 'date,amount\n2026-11-20,-5\n'
  const to = `store?account_id=${account.id}&signs=as_written`
  expect(await requests(() => sendFile({ world, person }, to, csv))).toBe(2)
  await person.delete(`/api/recurring/${rule.id}`)
  expect(await requests(() => send([rentOf({ amount: 2 })]))).toBe(1)
})
