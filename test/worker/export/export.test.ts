import { expect, onTestFinished, test, vi } from 'vitest'
import { budgets } from '../../budgets.ts'
import { rowsOf } from '../../databases/work.ts'
import { createFaultyWorld } from '../faults/faulty-world.ts'
import { setClock } from '../fixtures/clock.ts'
import { muteLog } from '../fixtures/muted-log.ts'
import { createWorld, expectInvalid, type Json, openAccount } from '../fixtures/world.ts'
import { createHousehold, type Household, writeHistory } from '../laws/every-route.ts'

/** A user with this many transactions, three of which fill a page of an export. */
async function withHistory(count: number, bindings: Partial<Env> = {}) {
  const household = await createHousehold(createWorld(bindings))
  await writeHistory(household, count)
  return household
}

/** The response to an export, before its body is read. */
const beginExport = ({ world, person }: Household, query = '') =>
  world.send('GET', `/api/export${query}`, { token: person.token })

test('an export has everything as the API shows it', async () => {
  const { person } = await withHistory(3_000)
  const { body, headers } = await person.get('/api/export')
  expect(headers.get('Content-Disposition')).toMatch(/^attachment; filename="purse-\d{4}-\d\d-\d\d\.json"$/)
  expect(headers.get('Content-Type')).toBe('application/json')
  const { body: accounts } = await person.get('/api/accounts')
  expect(body.accounts).toEqual(accounts.map((one: Json) => ({ ...one, client_id: null })))
  expect(body.profile).toMatchObject((await person.get('/api/me')).body)
  expect(body.transactions).toHaveLength(3_000)
  const { body: newest } = await person.get('/api/transactions?per_page=50')
  const last = body.transactions.slice(-50).reverse()
  expect(last.map(({ client_id, booked_by, ...row }: Json) => row)).toEqual(
    newest.data.map(({ account, to_account, category, ...row }: Json) => row),
  )
  expect((await person.get(`/api/changes?cursor=${body.cursor}`)).body).toMatchObject({ changes: [] })
  expect(body.counts).toMatchObject({ transactions: 3_000, accounts: 2 })
  expect(Object.keys(body).at(-1)).toBe('complete')
})

test('an export reads as many rows for each transaction, however many there are, in pages of 2,500', async () => {
  const workOf = async (count: number) => {
    const { world, person } = await withHistory(count)
    await world.resetDatabaseWork()
    for (const format of ['json', 'csv', 'hledger']) await person.get(`/api/export?format=${format}`)
    const work = await world.databaseWork()
    return { requests: work.requests / 3, perRow: rowsOf(work) / 3 / count }
  }
  const [few, many] = [await workOf(6_000), await workOf(12_000)]
  expect([few.requests, many.requests]).toEqual([3, 5])
  expect(many.perRow).toBeLessThanOrEqual(few.perRow)
})

test('a page is read only when the client has read the one before', async () => {
  const household = await withHistory(10_000)
  const { world } = household
  await world.resetDatabaseWork()
  const reader = (await beginExport(household)).body?.getReader()
  const parts: string[] = []
  const read = async () => parts.push(new TextDecoder().decode((await reader?.read())?.value))
  while (!parts.at(-1)?.includes('"transaction_date"')) await read()
  expect((await world.databaseWork()).requests).toBe(1)
  await read()
  expect((await world.databaseWork()).requests).toBe(2)
  await reader?.cancel()
})

/** How a complete file ends. */
const endings = {
  json: /\n"complete":true}\n$/,
  csv: /\n$/,
  hledger: /\n; complete: 6001 transactions\n$/,
}

test('a download that is cancelled while a page is read is no failure', async () => {
  const household = await withHistory(6_000)
  const reader = (await beginExport(household, '?format=csv')).body?.getReader()
  const logged = muteLog(['error'])
  // The header and the first page; the second page has to be read.
  for (let parts = 0; parts < 2; parts++) await reader?.read()
  const last = reader?.read()
  await reader?.cancel()
  expect(await last).toMatchObject({ done: true })
  // Takes longer than that page.
  expect((await household.person.get('/api/export?format=csv')).text).toMatch(endings.csv)
  expect(logged).toEqual([])
})

/** The rest of a response that breaks off. */
async function textUntilBreak(response: Response): Promise<string> {
  const parts: string[] = []
  const read = async () => {
    for await (const part of response.body ?? []) parts.push(new TextDecoder().decode(part))
  }
  await expect(read()).rejects.toThrow()
  return parts.join('')
}

test('each page has a deadline of its own', async () => {
  const requestMs = 600_000
  const { person } = await withHistory(6_000, budgets({ requestMs }))
  const timeout = vi.spyOn(AbortSignal, 'timeout')
  onTestFinished(() => timeout.mockRestore())
  await person.get('/api/export')
  expect(timeout.mock.calls.filter(([ms]) => ms === requestMs)).toHaveLength(3)
})

test.each(Object.entries(endings))(
  'a %s export breaks off before its end if data changes while it is sent',
  async (format, ending) => {
    const household = await withHistory(6_000)
    const response = await beginExport(household, `?format=${format}`)
    await household.spend()
    const text = await textUntilBreak(response)
    expect(text).toContain('2016-11-')
    expect(text).not.toMatch(ending)
    expect((await household.person.get(`/api/export?format=${format}`)).text).toMatch(ending)
  },
)

test('an export breaks off if its token ends', async () => {
  const household = await withHistory(6_000)
  const response = await beginExport(household)
  await household.person.post('/api/logout')
  const logged = muteLog(['error'])
  expect(await textUntilBreak(response)).not.toMatch(endings.json)
  expect(logged).toEqual([])
})

test('an export breaks off if the database fails, which is logged', async () => {
  const world = createFaultyWorld()
  const household = await createHousehold(world)
  await writeHistory(household, 6_000)
  const response = await beginExport(household)
  const logged = muteLog(['error'])
  const { result } = await world.whileBroken({ gets: 'cut' }, () => textUntilBreak(response))
  expect(result).not.toMatch(endings.json)
  expect(logged.join()).toContain('DatabaseUnavailable')
})

test('days are for CSV only, and their order is checked', async () => {
  const { person } = await createHousehold(createWorld())
  const days = 'from=2026-02-01&to=2026-01-31'
  expectInvalid(await person.get(`/api/export?${days}`), {
    from: ['The from field must be empty unless format is csv.'],
    to: [
      'The to field must be empty unless format is csv.',
      'The to field must be a date after or equal to from.',
    ],
  })
  expectInvalid(await person.get(`/api/export?format=csv&${days}`), {
    to: ['The to field must be a date after or equal to from.'],
  })
  expectInvalid(await person.get('/api/export?format=xml'), { format: ['The selected format is invalid.'] })
})

test('transactions of a deleted account are left out before they are removed, and so are deleted categories', async () => {
  const household = await createHousehold(createWorld())
  const { person, spend, category, expense } = household
  const doomed = await openAccount(person, { name: 'Doomed' })
  await person.post('/api/transactions', { ...expense(), account_id: doomed.id })
  await spend()
  await person.delete(`/api/accounts/${doomed.id}`)
  await person.delete(`/api/categories/${category.id}`)
  const { body } = await person.get('/api/export')
  expect(body.transactions).toMatchObject([{ account_id: household.checking.id, category_id: null }])
  expect((await person.get('/api/export?format=csv')).text.split('\r\n')).toHaveLength(3)
})

test('the name of the file has the date of the user’s time zone', async () => {
  setClock(Date.parse('2026-11-20T11:30:00Z'))
  const { person } = await createHousehold(createWorld())
  for (const [timezone, day] of [
    ['Pacific/Kiritimati', '2026-11-21'],
    ['Pacific/Pago_Pago', '2026-11-20'],
  ]) {
    await person.patch('/api/me', { timezone })
    const { headers } = await person.get('/api/export?format=csv')
    expect(headers.get('Content-Disposition')).toBe(`attachment; filename="purse-${day}.csv"`)
  }
})
