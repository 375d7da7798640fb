import { beforeEach, expect, test } from 'vitest'
import { openDevice } from '../client/ledger/ledger-world.ts'
import { createWorld, expectInvalid, type Json } from '../fixtures/world.ts'
import { createHousehold, type Household } from '../laws/every-route.ts'
import { sendFile } from './send-file.ts'

let household: Household
beforeEach(async () => {
  household = await createHousehold(createWorld())
})

const csv = `date,type,amount,account,category
2026-11-01,income,500,Checking,Salary
2026-11-02,expense,30,Checking,
2026-11-03,expense,4,Cash,
`

async function uploadForm(name: string, query = '') {
  const { world, person } = household
  const form = new FormData()
  form.set('file', new File([csv], name))
  const request = new Request('http://purse.test', { method: 'POST', body: form })
  const headers = { 'Content-Type': request.headers.get('Content-Type') ?? '' }
  const rawBody = await request.bytes()
  return world.call('POST', `/api/import/store${query}`, { token: person.token, rawBody, headers })
}

test('imports are listed with the name of their file, from the form, or null', async () => {
  const { person } = household
  await uploadForm(' November\u00a02026 — e\u0301t\u00e9.csv ')
  await sendFile(household, 'store', csv)
  const { body } = await person.get('/api/imports')
  expect(body).toMatchObject([{ file_name: null }, { file_name: 'November\u00a02026 — \u00e9t\u00e9.csv' }])
  expect((await person.get(`/api/imports/${body[1].id}`)).body.file_name).toBe(body[1].file_name)
  const long = await uploadForm(`${'x'.repeat(300)}.csv`, '?reimport_deleted=true')
  expect((await person.get(`/api/imports/${long.body.import.id}`)).body.file_name).toHaveLength(255)
})

test('transactions are listed by their import, in the API and on the device', async () => {
  const { person, world, expense } = household
  await person.post('/api/transactions', expense())
  const { id } = (await uploadForm('a.csv')).body.import
  const device = await openDevice(world, person)
  await device.ledger.sync()
  const list = async (query: string) => (await person.get(`/api/transactions?${query}`)).body
  const days = ({ data }: Json) => data.map((row: Json) => row.transaction_date)
  const filters = [
    [{ import_id: id }, ['2026-11-03', '2026-11-02', '2026-11-01']],
    [{ import_id: id, category_id: 'none' as const }, ['2026-11-03', '2026-11-02']],
    [{ import_id: id, from: '2026-11-02', type: 'expense' as const, per_page: 1 }, ['2026-11-03']],
    [{ import_id: id, q: 'x' }, []],
    [{ import_id: id + 1 }, []],
  ] as const
  for (const [filter, expected] of filters) {
    const query = Object.entries(filter)
      .map(([name, value]) => `${name}=${value}`)
      .join('&')
    const page = await list(query)
    expect([query, days(page)]).toEqual([query, expected])
    const local = device.ledger.transactions(filter)
    expect([days(local), local.total]).toEqual([expected, page.total])
  }
  expect((await list(`import_id=${id}`)).data[0]).toMatchObject({ import_id: id })
  expectInvalid(await person.get('/api/transactions?import_id=x'), {
    import_id: ['The import id field must be an integer.'],
  })
  const stranger = await world.register()
  expect((await stranger.get(`/api/transactions?import_id=${id}`)).body.total).toBe(0)
})

test('what remains of an import that is undone says so on the devices', async () => {
  const { person, world } = household
  const { id } = (await uploadForm('a.csv')).body.import
  const [row] = (await person.get(`/api/transactions?import_id=${id}`)).body.data
  await person.put(`/api/transactions/${row.id}`, { description: 'mine' })
  const device = await openDevice(world, person)
  await device.ledger.sync()
  expect(device.ledger.transactions({ import_id: id }).total).toBe(3)
  await person.delete(`/api/imports/${id}`)
  await device.ledger.sync()
  expect(device.ledger.transactions().data).toMatchObject([{ description: 'mine', import_id: null }])
  expect((await person.get(`/api/transactions/${row.id}`)).body.import_id).toBe(null)
})
