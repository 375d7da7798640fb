import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { LedgerError, type LedgerFilter } from '../../../../client/index.ts'
import { Dice } from '../../../dice.ts'
import { setClock, stopClock } from '../../fixtures/clock.ts'
import { openAccount, recordTransaction } from '../../fixtures/world.ts'
import { askDatabase, createHousehold, writeHistory } from '../../laws/every-route.ts'
import { edit } from './edits.ts'
import {
  allQuestions,
  given,
  newWorld,
  openDevice,
  readLedger,
  readService,
  without,
} from './ledger-world.ts'

test('what a ledger shows of a random history is what the service shows, before and after it is sent', async () => {
  stopClock()
  const world = newWorld()
  const person = await world.register()
  const { ledger, open } = await openDevice(world, person)
  expect(await ledger.sync()).toMatchObject({ stopped: null })
  const dice = new Dice(20_261_122)
  let number = 0
  for (let round = 1; round <= 3; round++) {
    const newName = () => `s${++number}`
    for (let step = 1; step <= 25; step++) await edit(ledger, dice, newName)
    // Whatever was closed, there is a row in the end; without an account, the first of these opens one.
    for (let more = 0; more < 2; more++) await edit(ledger, dice, newName, { record: 1e9 })
    const questions = allQuestions(ledger)
    const before = readLedger(ledger, questions)
    expect(before.pages[0].total).toBeGreaterThan(0)
    expect(await ledger.sync()).toMatchObject({ conflicts: 0, rejected: 0, waiting: 0, stopped: null })
    const served = await readService(person, ledger, questions)
    expect(without(given, before)).toEqual(without(given, served))
    expect(readLedger(ledger, questions)).toEqual(served)
  }
  const reopened = await open()
  expect(readLedger(reopened)).toEqual(readLedger(ledger))
  expect(readLedger((await openDevice(world, person)).ledger).accounts).toEqual([])
})

test('a search finds rows from before texts were stored in NFC, as the service does', async () => {
  const world = newWorld()
  const home = await createHousehold(world)
  await home.spend()
  const old = 'Café'.normalize('NFD')
  await askDatabase(world, sql`update transactions set description = ${old} returning id`)
  const { ledger } = await openDevice(world, home.person)
  await ledger.sync()
  for (const q of ['Café', old, 'cafÉ', 'Cafés']) {
    const { total } = (await home.person.get(`/api/transactions?${new URLSearchParams({ q })}`)).body
    expect([q, ledger.transactions({ q }).total]).toEqual([q, total])
  }
  expect(ledger.transactions({ q: 'Café' }).total).toBe(1)
})

test('a search of more rows than it looks at names the day that the service names', async () => {
  const world = newWorld()
  const home = await createHousehold(world)
  await writeHistory(home, 10_001)
  await askDatabase(world, sql`update transactions set transaction_date = '2026-10-31'`)
  const { ledger } = await openDevice(world, home.person)
  expect(await ledger.sync()).toMatchObject({ stopped: null })
  const days: { from?: string; to?: string }[] = [
    {},
    { to: '2026-10-31' },
    { from: '2026-10-31', to: '2026-10-31' },
    { to: '2026-10-30' },
  ]
  const named = { service: [] as unknown[], ledger: [] as unknown[] }
  for (const filter of days) {
    const query = new URLSearchParams(Object.entries({ q: 'hut', ...filter }))
    named.service.push((await home.person.get(`/api/transactions?${query}`)).body.searched_back_to)
    named.ledger.push(ledger.transactions({ q: 'hut', ...filter }).searched_back_to)
  }
  expect(named.service).toEqual(['2026-10-31', '2026-10-30', null, null])
  expect(named.ledger).toEqual(named.service)
})

test('words are found in everything that a list shows of a row, and every type of several is', async () => {
  const { world, person, checking, cash, category, expense } = await createHousehold(newWorld())
  const rows = [
    { description: 'Grüner Tee', reference: 'R-1 (a+b)' },
    { description: 'Coffee', amount: '1234.50', category_id: null },
    { type: 'income', description: 'Back', category_id: null },
    { type: 'transfer', to_account_id: cash.id, category_id: null, description: null },
  ]
  const { ledger } = await openDevice(world, person)
  await ledger.sync()
  const create = (row: object) => ledger.create('transaction', { ...expense(), type: 'expense', ...row })
  for (const row of rows) await create(row)
  await ledger.sync()
  await create({ description: 'Pending tea' })
  const found = (filter: LedgerFilter) => ledger.transactions(filter).data.map(titleOf).sort()
  const titleOf = ({ description, type }: { description: string | null; type: string }) => description ?? type
  const all = ['Back', 'Coffee', 'Grüner Tee', 'Pending tea', 'transfer']
  for (const [words, titles] of [
    ['GRÜNER', ['Grüner Tee']],
    ['tee r-1', ['Grüner Tee']],
    ['(A+B)', ['Grüner Tee']],
    ['1234.5', ['Coffee']],
    ['234.5', []],
    ['te', ['Grüner Tee', 'Pending tea']],
    [cash.name, ['transfer']],
    [`${category.name.slice(1).toUpperCase()} 12.50`, ['Grüner Tee', 'Pending tea']],
    [`pending ${checking.name}`, ['Pending tea']],
    [
      ['back', 'coffee'],
      ['Back', 'Coffee'],
    ],
    ['tea coffee', []],
    ['', all],
    [' ', all],
    [[], all],
  ] as const)
    expect(found({ words }), String(words)).toEqual(titles)
  expect(found({ words: 'e', type: ['income', 'transfer'] })).toEqual(['Back', 'transfer'])
  expect(found({ category_id: 'none', type: ['income', 'expense'] })).toEqual(['Back', 'Coffee'])
  await ledger.update('account', cash.id, { name: 'Purse' })
  expect(found({ words: 'purse' })).toEqual(['transfer'])
  expect(found({ words: cash.name })).toEqual([])
  expect(() => ledger.transactions({ type: ['gift' as 'income'] })).toThrow(LedgerError)
})

test('what others have done is shown as the service shows it, after a pull and after a snapshot', async () => {
  stopClock()
  const world = newWorld()
  const person = await world.register()
  const { ledger } = await openDevice(world, person)
  const other = await openDevice(world, person, { limits: { operations: 500, bytes: 1e6, rows: 3 } })
  await ledger.sync()
  const dice = new Dice(7)
  let [number, opened] = [0, 0]
  for (let round = 1; round <= 3; round++) {
    for (let step = 1; step <= 12; step++) await edit(ledger, dice, () => `t${++number}`)
    await ledger.sync()
    const account = await openAccount(person, { name: `Round ${round}` })
    await recordTransaction(person, {
      ...{ account_id: account.id, type: 'expense', amount: 5, transaction_date: '2026-01-31' },
      category_id: (await person.get('/api/categories')).body[0].id,
    })
    if (round === 2) await person.delete(`/api/accounts/${opened}`)
    opened = account.id
    await ledger.sync()
    expect(await other.ledger.sync()).toMatchObject({ stopped: null })
    expect(readLedger(other.ledger)).toEqual(await readService(person, other.ledger))
    expect(readLedger(ledger)).toEqual(readLedger(other.ledger))
  }
})

test('the current month is that of the user’s time zone', async () => {
  setClock(Date.parse('2026-01-31T20:00:00.000Z'))
  const world = newWorld()
  const person = await world.register()
  const { ledger } = await openDevice(world, person)
  await ledger.sync()
  const account = await ledger.create('account', { name: 'Wallet', type: 'cash', starting_balance: '-0.05' })
  for (const [at, day] of ['2026-01-31', '2026-02-01'].entries())
    await ledger.create('transaction', {
      ...{ account_id: account, type: 'expense' as const, amount: at + 2.7 + 0.3, transaction_date: day },
      category_id: ledger.categories()[0]?.key ?? null,
    })
  await ledger.update('profile', person.id, { timezone: 'Pacific/Kiritimati' })
  expect(ledger.summary().monthly_summary.expense).toBe(4)
  expect(await ledger.sync()).toMatchObject({ sent: 4, stopped: null })
  expect(readLedger(ledger)).toEqual(await readService(person, ledger))
  await ledger.update('profile', person.id, { timezone: 'Pacific/Pago_Pago' })
  expect(ledger.summary().monthly_summary.expense).toBe(3)
})

test('a category is suggested without a network as the service suggests it', async () => {
  const world = newWorld()
  const home = await createHousehold(world)
  const { person, category, expense } = home
  for (const day of [1, 2, 3])
    await recordTransaction(person, {
      ...expense(),
      amount: day,
      transaction_date: `2026-08-0${day}`,
      description: `LIDL ${day}711 BERLIN`,
    })
  const { ledger } = await openDevice(world, person)
  await ledger.sync()
  const rows = [
    { description: 'lidl 4 berlin', type: 'expense' },
    { description: 'Aldi', type: 'expense' },
  ] as const
  const { body } = await person.post('/api/categories/suggest', { items: rows })
  expect(body.suggestions[0].id).toBe(category.id)
  const suggested = rows.map(({ description, type }) => ledger.suggestCategory(description, type))
  expect(suggested.map((one) => one?.category.id ?? null)).toEqual([category.id, null])
  expect(suggested[0]?.because).toBe(body.suggestions[0].because)
})
