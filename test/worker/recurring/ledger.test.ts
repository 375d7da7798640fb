import { expect, test, vi } from 'vitest'
import { Dice } from '../../dice.ts'
import { openDevice } from '../client/ledger/ledger-world.ts'
import { createWorld, type Json } from '../fixtures/world.ts'
import { createHousehold } from '../laws/every-route.ts'

vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-20T12:00:00Z') })

async function createHome() {
  const home = await createHousehold(createWorld())
  const { world, person, checking, cash, category } = home
  const template = {
    account_id: checking.id,
    category_id: category.id,
    type: 'expense' as const,
    amount: '950.00',
    description: 'Rent',
    starts_on: '2026-10-31',
    rrule: 'FREQ=MONTHLY',
  }
  const { ledger } = await openDevice(world, person)
  await ledger.sync()
  type Device = typeof ledger
  /** Expects reads of the ledger to equal the API's, but for what only the ledger knows. */
  async function expectEqual(device: Device = ledger) {
    const paths = [
      '/api/recurring',
      '/api/recurring/upcoming?days=100',
      '/api/reports/forecast?to=2027-06-30&every=week',
    ]
    const [rules, upcoming, forecast] = await Promise.all(
      paths.map(async (path) => (await person.get(path)).body),
    )
    expect(shownOf(device)).toEqual({
      rules: rules.map(({ client_id: _, ...rule }: Json) => rule),
      upcoming,
      forecast,
    })
  }
  const other = (await openDevice(world, person)).ledger
  return { ...home, cash, template, ledger, other, expectEqual }
}

/** What a ledger shows of rules and their occurrences, as the API does. */
function shownOf(ledger: Json): Json {
  const shown = {
    rules: ledger.recurring(),
    upcoming: ledger.upcoming({ days: 100 }),
    forecast: ledger.forecast({ to: '2027-06-30', every: 'week' }),
  }
  const local = /^(key|\w+_key|waits|account|to_account|category)$/
  return JSON.parse(JSON.stringify(shown), (name, value) => (local.test(name) ? undefined : value))
}

test('a device creates, changes, skips and records offline, and then shows what the API shows', async () => {
  const { person, template, ledger, expectEqual, cash, checking } = await createHome()
  const rent = await ledger.create('recurring', template)
  const salary = await ledger.create('recurring', {
    ...{
      ...template,
      type: 'income',
      amount: 2100,
      starts_on: '2026-11-27',
      rrule: 'FREQ=MONTHLY;BYDAY=-1FR',
    },
  })
  await ledger.create('recurring', {
    ...{ type: 'transfer', account_id: checking.id, to_account_id: cash.id, amount: 40 },
    ...{ starts_on: '2026-11-22', rrule: 'FREQ=WEEKLY', weekend: 'after' },
  })
  await ledger.skipOccurrence(rent, '2026-12-31')
  await ledger.changeOccurrence(rent, '2027-01-31', { amount: 980, transaction_date: '2027-01-30' })
  await ledger.changeOccurrence(salary, '2026-12-25', { description: 'With the bonus', amount: '3000' })
  const key = await ledger.recordOccurrence(rent, '2026-11-30')
  expect(await ledger.recordOccurrence(rent, '2026-11-30')).toBe(key)
  expect(ledger.transaction(key)).toMatchObject({
    ...{
      amount: '950.00',
      transaction_date: '2026-11-30',
      occurrence_date: '2026-11-30',
      recurring_key: rent,
    },
    waits: 'waiting',
  })
  const offline = shownOf(ledger)
  expect(offline.rules[0]).toMatchObject({
    id: null,
    next: '2027-01-31',
    open_from: '2026-11-20',
    version: 0,
  })
  expect(await ledger.sync()).toMatchObject({ stopped: null, rejected: 0, conflicts: 0, waiting: 0 })
  await expectEqual()
  // Nothing but ids and versions was unknown.
  const known = (shown: Json) =>
    JSON.parse(JSON.stringify(shown), (name, value) =>
      /^(id|\w+_id|version|possible)$/.test(name) ? undefined : value,
    )
  expect(known(offline)).toEqual(known(shownOf(ledger)))
  await ledger.remove('transaction', key)
  await ledger.update('recurring', salary, { amount: 2200, auto_record: true })
  await ledger.update('recurring', rent, { paused: true })
  expect(ledger.recurring()[0]?.exceptions).toMatchObject({ '2026-11-30': { skip: true } })
  await ledger.sync()
  await expectEqual()
  await ledger.update('recurring', rent, { paused: false })
  await ledger.changeOccurrence(rent, '2026-11-30', { skip: null })
  await ledger.remove('recurring', salary)
  await ledger.sync()
  await expectEqual()
  expect((await person.get('/api/recurring')).body).toHaveLength(2)
})

test('what transactions may be is the same offline: of random rules and rows of nearly the same days and amounts', async () => {
  const { person, ledger, template, cash, expectEqual } = await createHome()
  const dice = new Dice(20_261_129)
  const names = ['Rent Meier', 'MEIER', 'Parking', 'SEPA 4711']
  const days = ['2026-11-17', '2026-11-19', '2026-11-20', '2026-11-22', '2026-11-27', '2026-12-01']
  const random = () => ({
    ...{ account_id: template.account_id, category_id: template.category_id, type: 'expense' as const },
    ...{ amount: dice.oneOf(['10.00', '10.00', '11.00', '15.00', '15.01']), description: dice.oneOf(names) },
    ...(dice.happens(0.2) && { type: 'transfer' as const, to_account_id: cash.id, category_id: null }),
  })
  let [named, expected] = [0, 0]
  for (let turn = 0; turn < 12; turn++) {
    for (let nth = 0; nth < 2; nth++) {
      const row = { ...random(), transaction_date: dice.oneOf(days), force: true }
      expect((await person.post('/api/transactions', row)).status).toBe(201)
    }
    const rrule = dice.oneOf(['FREQ=WEEKLY', 'FREQ=MONTHLY', 'FREQ=DAILY;INTERVAL=3'])
    const rule = { ...random(), starts_on: dice.oneOf(days), rrule }
    expect((await person.post('/api/recurring', rule)).status).toBe(201)
    await ledger.sync()
    const { occurrences } = ledger.upcoming({ days: 100 })
    const linked = occurrences.find(({ possible }) => possible !== null)
    if (linked && dice.happens(0.5)) {
      const path = `/api/recurring/${linked.recurring_id}/occurrences/${linked.occurrence_date}`
      expect((await person.put(path, { transaction_id: linked.possible })).status).toBe(200)
      await ledger.sync()
    }
    named += occurrences.filter(({ possible }) => possible !== null).length
    expected += ledger.forecast({ to: '2027-06-30' }).expected
    await expectEqual()
  }
  expect(named).toBeGreaterThan(20)
  expect(expected).toBeGreaterThan(20)
})

test('all that follows is changed offline, and recorded ahead', async () => {
  const { template, ledger, expectEqual } = await createHome()
  const rent = await ledger.create('recurring', { ...template, rrule: 'FREQ=MONTHLY;COUNT=9' })
  await ledger.recordOccurrence(rent, '2027-02-28')
  await ledger.sync()
  await ledger.skipOccurrence(rent, '2027-03-31')
  const next = await ledger.changeFollowing(rent, '2027-01-31', { amount: '990' })
  expect(ledger.recurring()).toMatchObject([
    { key: rent, rrule: 'FREQ=MONTHLY;UNTIL=20270130', successor_key: next, exceptions: {} },
    {
      ...{
        key: next,
        rrule: 'FREQ=MONTHLY;BYMONTHDAY=31;COUNT=6',
        amount: '990.00',
        starts_on: '2027-01-31',
      },
      exceptions: { '2027-03-31': { skip: true } },
    },
  ])
  await ledger.recordOccurrence(rent, '2027-01-31')
  await ledger.changeOccurrence(next, '2027-04-30', { amount: 1000 })
  const last = await ledger.changeFollowing(next, '2027-05-31', { description: 'New flat' })
  await ledger.update('recurring', rent, { reference: 'R-1' })
  const offline = shownOf(ledger)
  expect(await ledger.sync()).toMatchObject({ stopped: null, rejected: 0, conflicts: 0, waiting: 0 })
  await expectEqual()
  expect(ledger.recurring().map(({ key, amount, description }) => [key, amount, description])).toEqual([
    [rent, '950.00', 'Rent'],
    [next, '990.00', 'Rent'],
    [last, '990.00', 'New flat'],
  ])
  expect(offline.rules.map(({ rrule }: Json) => rrule)).toEqual(ledger.recurring().map(({ rrule }) => rrule))
})

test('what is changed of all that follows has no difference left in the first one', async () => {
  const { template, ledger, expectEqual } = await createHome()
  const rent = await ledger.create('recurring', { ...template, starts_on: '2026-11-30' })
  const both = { amount: 980, description: 'Rent + heating' }
  for (const date of ['2026-11-30', '2026-12-30']) await ledger.changeOccurrence(rent, date, both)
  await ledger.sync()
  const next = await ledger.changeFollowing(rent, '2026-12-30', { amount: 990 })
  await ledger.changeFollowing(rent, '2026-11-30', { description: 'Flat' })
  const exceptionsOf = () =>
    Object.fromEntries(ledger.recurring().map(({ key, exceptions }) => [key, exceptions]))
  const expected = {
    [rent]: { '2026-11-30': { amount: '980.00' } },
    [next]: { '2026-12-30': { description: 'Rent + heating' } },
  }
  expect(exceptionsOf()).toEqual(expected)
  expect(await ledger.sync()).toMatchObject({ conflicts: 0, rejected: 0, waiting: 0 })
  expect(exceptionsOf()).toEqual(expected)
  await expectEqual()
})

/** A rule that two devices know. */
async function createShared() {
  const home = await createHome()
  const { ledger, other, template } = home
  const rent = await ledger.create('recurring', template)
  await ledger.sync()
  await other.sync()
  return { ...home, rent }
}

test('of two devices that record an occurrence, the second takes what the first has recorded', async () => {
  const { ledger, other, rent, expectEqual } = await createShared()
  const first = await ledger.recordOccurrence(rent, '2026-11-30')
  const second = await other.recordOccurrence(rent, '2026-11-30')
  await other.recordOccurrence(rent, '2026-12-31')
  await ledger.skipOccurrence(rent, '2026-12-31')
  await ledger.sync()
  expect(await other.sync()).toMatchObject({ stopped: null, conflicts: 0, rejected: 0, waiting: 0 })
  expect(other.transaction(second)).toBeUndefined()
  expect(other.transactions().data.map(({ key }) => key)).toEqual([first])
  await expectEqual(other)
})

test('what a device has recorded otherwise is a conflict, which the person resolves', async () => {
  const { ledger, other, rent, expectEqual } = await createShared()
  const key = await ledger.recordOccurrence(rent, '2026-11-30')
  await other.update('transaction', await other.recordOccurrence(rent, '2026-11-30'), { amount: 960 })
  await ledger.sync()
  expect(await other.sync()).toMatchObject({ conflicts: 1 })
  const [conflict] = other.conflicts()
  expect(conflict).toMatchObject({
    key,
    fields: ['amount'],
    mine: { amount: '960.00' },
    theirs: { amount: '950.00' },
  })
  if (conflict) await other.keepMine(conflict)
  await other.sync()
  expect(other.transactions().data).toMatchObject([{ key, amount: '960.00' }])
  await expectEqual(other)
})

test('of two devices that divide a rule at one date, the second changes the successor of the first', async () => {
  const { ledger, other, rent, expectEqual } = await createShared()
  const next = await ledger.changeFollowing(rent, '2026-12-31', { amount: 990 })
  const own = await other.changeFollowing(rent, '2026-12-31', { description: 'Flat', amount: 995 })
  await other.recordOccurrence(own, '2027-01-31')
  await other.skipOccurrence(rent, '2027-02-28')
  await ledger.sync()
  expect(await other.sync()).toMatchObject({ stopped: null, conflicts: 1, rejected: 0 })
  const [conflict] = other.conflicts()
  expect(conflict).toMatchObject({
    key: next,
    fields: ['amount'],
    mine: { amount: '995.00' },
    theirs: { amount: '990.00' },
  })
  if (conflict) await other.keepTheirs(conflict)
  expect(await other.sync()).toMatchObject({ stopped: null, conflicts: 0, rejected: 0, waiting: 0 })
  expect(other.recurring()).toMatchObject([
    { key: rent, amount: '950.00' },
    { key: next, amount: '990.00', description: 'Flat', exceptions: { '2027-02-28': { skip: true } } },
  ])
  expect(other.transactions().data).toMatchObject([{ recurring_key: next, occurrence_date: '2027-01-31' }])
  await expectEqual(other)
})

test('a change of an occurrence reaches the rule that continues the named one, and conflicts there', async () => {
  const { ledger, other, rent, expectEqual } = await createShared()
  const next = await ledger.changeFollowing(rent, '2026-12-31', { amount: 990 })
  await ledger.changeOccurrence(next, '2027-01-31', { amount: 1 })
  await ledger.sync()
  await other.changeOccurrence(rent, '2027-01-31', { amount: 2 })
  expect(await other.sync()).toMatchObject({ stopped: null, conflicts: 1, rejected: 0 })
  const [conflict] = other.conflicts()
  expect(conflict).toMatchObject({ key: next, fields: ['exceptions.2027-01-31'] })
  if (conflict) await other.keepMine(conflict)
  await other.changeOccurrence(rent, '2027-02-28', { skip: true })
  expect(await other.sync()).toMatchObject({ stopped: null, conflicts: 0, rejected: 0, waiting: 0 })
  expect(other.recurring()[1]?.exceptions).toEqual({
    '2027-01-31': { amount: '2.00' },
    '2027-02-28': { skip: true },
  })
  await expectEqual(other)
})

test('what is recorded of a rule that another device has deleted stays, as an ordinary transaction', async () => {
  const { ledger, other, rent, expectEqual } = await createShared()
  await ledger.remove('recurring', rent)
  await ledger.sync()
  const key = await other.recordOccurrence(rent, '2026-11-30')
  expect(await other.sync()).toMatchObject({ stopped: null, conflicts: 0, rejected: 0, waiting: 0 })
  expect(other.transaction(key)).toMatchObject({
    amount: '950.00',
    recurring_key: null,
    occurrence_date: null,
  })
  await expectEqual(other)
})

test('a recorded occurrence that is deleted is skipped, and open again if its recording is undone', async () => {
  const { ledger, rent, expectEqual } = await createShared()
  const states = () => ledger.upcoming({ days: 40 }).occurrences.map(({ state }) => state)
  await ledger.recordOccurrence(rent, '2026-11-30')
  await ledger.undo()
  expect(states()).toEqual(['upcoming'])
  await ledger.remove('transaction', await ledger.recordOccurrence(rent, '2026-11-30'))
  expect(states()).toEqual(['skipped'])
  await ledger.changeOccurrence(rent, '2026-11-30', { skip: false })
  await ledger.recordOccurrence(rent, '2026-11-30')
  await ledger.sync()
  await ledger.undo()
  expect(states()).toEqual(['upcoming'])
  expect(await ledger.sync()).toMatchObject({ stopped: null, conflicts: 0, rejected: 0, waiting: 0 })
  expect(states()).toEqual(['upcoming'])
  await expectEqual()
  const key = await ledger.recordOccurrence(rent, '2026-11-30')
  await ledger.sync()
  await ledger.remove('transaction', key)
  await ledger.changeOccurrence(rent, '2026-11-30', { skip: null })
  const again = await ledger.recordOccurrence(rent, '2026-11-30')
  expect(await ledger.sync()).toMatchObject({ stopped: null, conflicts: 0, rejected: 0, waiting: 0 })
  expect(ledger.transactions().data).toMatchObject([{ key: again, recurring_key: rent }])
  await ledger.skipOccurrence(rent, '2026-12-31')
  await ledger.undo()
  await ledger.sync()
  await expectEqual()
})

test('the ledger refuses what the API refuses', async () => {
  const { ledger, rent } = await createShared()
  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error) => error.errors,
    )
  expect(await refusal(ledger.update('recurring', rent, { rrule: 'FREQ=HOURLY' }))).toEqual({
    rrule: ['The rrule field must have a FREQ: DAILY, WEEKLY, MONTHLY, YEARLY.'],
  })
  expect(await refusal(ledger.update('recurring', rent, { auto_record: true, amount_tolerance: 5 }))).toEqual(
    {
      amount_tolerance: ['The amount tolerance field must be 0 if auto record is true.'],
    },
  )
  expect(await refusal(ledger.changeOccurrence(rent, '2026-11-30', { amount: 0 }))).toEqual({
    amount: ['The amount field must be greater than 0.'],
  })
  expect(
    await refusal(ledger.changeOccurrence(rent, '2026-11-30', { transaction_date: '2027-03-01' })),
  ).toEqual({
    transaction_date: ['The transaction date field must be within 62 days of the occurrence.'],
  })
  await ledger.skipOccurrence(rent, '2026-11-30')
  expect(await refusal(ledger.recordOccurrence(rent, '2026-11-30'))).toEqual({
    date: ['The occurrence is skipped.'],
  })
  await expect(ledger.recordOccurrence(rent, '2026-11-29')).rejects.toThrow('There is no occurrence')
  await ledger.recordOccurrence(rent, '2026-12-31')
  await expect(ledger.skipOccurrence(rent, '2026-12-31')).rejects.toThrow(
    'The occurrence is already recorded.',
  )
  expect(await refusal(ledger.changeFollowing(rent, '2027-01-31', { amount: 'much' }))).toEqual({
    amount: ['The amount field must be a number.'],
  })
})
