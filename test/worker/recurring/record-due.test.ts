import { type SQL, sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { findDifferences } from '../../../src/database/check.ts'
import { dateIn } from '../../../src/domain/dates.ts'
import { noon, setClock } from '../fixtures/clock.ts'
import {
  aCategory,
  createWorld,
  type Json,
  openAccount,
  type Person,
  recordTransaction,
} from '../fixtures/world.ts'
import { askDatabase, openWorldDatabase } from '../laws/every-route.ts'

const dayMs = 86_400_000
const cron = '*/5 * * * *'

let world: ReturnType<typeof createWorld>
let person: Person
let account: Json
let daily: Json

beforeEach(async () => {
  setClock(noon)
  world = createWorld()
  person = await world.register()
  account = await openAccount(person)
  daily = {
    account_id: account.id,
    category_id: (await aCategory(person)).id,
    type: 'expense',
    amount: '1.00',
    starts_on: '2026-11-20',
    rrule: 'FREQ=DAILY',
    auto_record: true,
  }
})

const create = async (details: Json = {}): Promise<Json> =>
  (await person.post('/api/recurring', { ...daily, ...details })).body

async function runAt(instant: number): Promise<void> {
  setClock(instant)
  await world.runCron(cron)
}

/** The occurrences that are recorded, as rule and dates, the earliest first. */
async function recorded(): Promise<[rule: number, occurrence: string, day: string][]> {
  const rows = await askDatabase(
    world,
    sql`select recurring_id, occurrence_date, transaction_date from transactions where recurring_id is not null order by 2, 1`,
  )
  return rows.map((row) => [
    Number(row.recurring_id),
    String(row.occurrence_date),
    String(row.transaction_date),
  ])
}
const dates = async () => (await recorded()).map(([, date]) => date)

test('each occurrence is recorded on its day, once, with the balance that it leaves', async () => {
  const { id } = await create()
  await runAt(noon)
  await runAt(noon + 1)
  expect(await recorded()).toEqual([[id, '2026-11-20', '2026-11-20']])
  await runAt(Date.parse('2026-11-21T00:04:00Z'))
  expect(await dates()).toEqual(['2026-11-20'])
  await runAt(Date.parse('2026-11-21T00:05:00Z'))
  expect(await dates()).toEqual(['2026-11-20', '2026-11-21'])
  expect((await person.get(`/api/accounts/${account.id}`)).body.balance).toBe(98)
  expect((await person.get('/api/transactions')).body.data[0]).toMatchObject({
    recurring_id: id,
    is_synced: false,
    version: 1,
    category: { id: daily.category_id },
  })
  expect(await findDifferences(openWorldDatabase(world))).toEqual([])
})

/** Rules of each kind, in the first world. */
async function createSeveral(): Promise<void> {
  await create()
  await create({ rrule: 'FREQ=WEEKLY;BYDAY=MO,SA', weekend: 'before' })
  await create({ rrule: 'FREQ=MONTHLY;BYMONTHDAY=15,31', starts_on: '2026-01-31', weekend: 'after' })
}

test('an outage of 10 to 61 days records what no outage would have, and a longer one loses only what is older', async () => {
  await createSeveral()
  for (let day = 0; day <= 61; day++) await runAt(noon + day * dayMs)
  const whole = await recorded()
  expect(whole.length).toBeGreaterThan(80)
  for (const outage of [10, 31, 61]) {
    setClock(noon)
    world = createWorld()
    person = await world.register()
    account = await openAccount(person)
    daily = { ...daily, account_id: account.id, category_id: (await aCategory(person)).id }
    await createSeveral()
    for (let day = outage % 7; day <= 61; day += outage) await runAt(noon + day * dayMs)
    await runAt(noon + 61 * dayMs)
    expect(await recorded(), `an outage of ${outage} days`).toEqual(whole)
  }
  await runAt(noon + 131 * dayMs)
  const found = (await dates()).filter((day) => day > '2027-01-20')
  expect(found[0]).toBe('2027-01-28')
})

test('two jobs at once, and a clock that goes back, record nothing twice', async () => {
  for (let nth = 0; nth < 5; nth++) await create({ amount: nth + 1 })
  setClock(noon + 20 * dayMs)
  await Promise.all([world.runCron(cron), world.runCron(cron), world.runCron(cron)])
  await runAt(noon - 5 * dayMs)
  await runAt(noon + 20 * dayMs)
  expect(await recorded()).toHaveLength(5 * 21)
  expect(await findDifferences(openWorldDatabase(world))).toEqual([])
})

test('two hundred rules that fall due at once after two months are all recorded', async () => {
  const { id } = await create()
  await askDatabase(
    world,
    sql`
    insert into recurring_rules (user_id, account_id, category_id, type, amount, starts_on, rrule, weekend, auto_record,
                                 opened_at, opened_in, due_at, created_at, updated_at)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 199)
    select user_id, account_id, category_id, type, amount + i, starts_on, rrule, weekend, auto_record, opened_at, opened_in,
           0, created_at, updated_at
      from recurring_rules, n where id = ${id}`,
  )
  await runAt(noon + 61 * dayMs)
  expect(await recorded()).toHaveLength(200 * 62)
  expect(await findDifferences(openWorldDatabase(world))).toEqual([])
})

test.each([
  ['Pacific/Kiritimati', '2026-11-21T10:05:00Z'],
  ['Asia/Tokyo', '2026-11-21T15:05:00Z'],
  ['Asia/Kolkata', '2026-11-21T18:35:00Z'],
  ['UTC', '2026-11-22T00:05:00Z'],
  ['America/Los_Angeles', '2026-11-22T08:05:00Z'],
  ['Pacific/Pago_Pago', '2026-11-22T11:05:00Z'],
])('in %s, the 22nd is due at %s', async (timezone, instant) => {
  await person.put('/api/me', { timezone })
  await create({ starts_on: '2026-11-22' })
  await runAt(noon)
  await runAt(Date.parse(instant) - 60_000)
  expect(await dates()).toEqual([])
  await runAt(Date.parse(instant))
  expect(await dates()).toEqual(['2026-11-22'])
})

test('each date is due once, through changes of the clock in ten zones, and across the date line', async () => {
  setClock(Date.parse('2026-09-01T12:00:00Z'))
  await create({ starts_on: '2026-09-01' })
  // On the way, clocks change at midnight in Santiago and Cairo, by half an hour on Lord Howe, and at night elsewhere.
  const zones = [
    ...['America/Santiago', 'Europe/Paris', 'Pacific/Kiritimati', 'America/New_York', 'Pacific/Pago_Pago'],
    ...['Australia/Lord_Howe', 'Africa/Cairo', 'America/Havana', 'Asia/Kathmandu', 'Pacific/Auckland'],
  ]
  for (let hour = 0; hour < 24 * 54; hour += 8) {
    setClock(Date.parse('2026-09-01T12:07:00Z') + hour * 3_600_000)
    if (hour % 64 === 0) await person.put('/api/me', { timezone: zones[(hour / 64) % zones.length] })
    await world.runCron(cron)
    // Each time at another hour of the day.
    if (hour % 40 !== 0) continue
    const found = await dates()
    const last = found.at(-1) ?? ''
    expect(found).toEqual(
      Array.from({ length: found.length }, (_, nth) =>
        new Date(Date.parse('2026-09-01') + nth * dayMs).toISOString().slice(0, 10),
      ),
    )
    const { body } = await person.get('/api/recurring/upcoming?days=1')
    expect(body.occurrences.filter(({ state }: Json) => state === 'due')).toEqual([])
    expect(last >= dateIn(zones[Math.floor(hour / 64) % zones.length] ?? '', new Date())).toBe(true)
  }
})

test.each([
  ['America/Santiago', '2026-09-06', '2026-09-06T04:05:00Z'],
  ['Africa/Cairo', '2026-04-24', '2026-04-23T22:05:00Z'],
  ['Pacific/Apia', '2011-12-30', '2011-12-30T10:05:00Z'],
])('in %s, %s is due at %s, though its first minutes did not exist', async (timezone, date, instant) => {
  setClock(Date.parse(instant) - 3 * dayMs)
  await person.put('/api/me', { timezone })
  await create({ starts_on: date, rrule: 'FREQ=MONTHLY' })
  await world.runCron(cron)
  await runAt(Date.parse(instant) - 30 * 60_000)
  expect(await dates()).toEqual([])
  await runAt(Date.parse(instant))
  expect(await dates()).toEqual([date])
})

describe('the job leaves out', () => {
  test('what is skipped, and records what is changed as it is changed', async () => {
    const { id } = await create()
    const path = (date: string) => `/api/recurring/${id}/occurrences/${date}`
    await person.put(path('2026-11-20'), { skip: true })
    await person.put(path('2026-11-21'), { amount: 7, description: 'More', transaction_date: '2026-11-20' })
    await runAt(noon)
    expect((await person.get('/api/transactions')).body.data).toMatchObject([
      { amount: '7.00', description: 'More', transaction_date: '2026-11-20', occurrence_date: '2026-11-21' },
    ])
  })

  test('rules that are paused or record nothing by themselves, and what is before they were resumed', async () => {
    await create({ auto_record: false })
    const { id } = await create({ paused: true, starts_on: '2026-11-01' })
    await runAt(noon)
    expect(await dates()).toEqual([])
    setClock(noon + 3 * dayMs)
    await person.put(`/api/recurring/${id}`, { paused: false })
    await world.runCron(cron)
    expect(await dates()).toEqual(['2026-11-23'])
  })

  test('what a transaction of the same account, type and amount nearby may be, until that is settled', async () => {
    const { id } = await create({ rrule: 'FREQ=MONTHLY', starts_on: '2026-11-20' })
    const { auto_record: _, starts_on: __, rrule: ___, ...expense } = daily
    const typed = await recordTransaction(person, { ...expense, transaction_date: '2026-11-18' })
    await runAt(noon)
    expect(await dates()).toEqual([])
    expect((await person.get('/api/recurring/upcoming?days=40')).body.occurrences).toEqual([
      {
        recurring_id: id,
        occurrence_date: '2026-11-20',
        transaction_date: '2026-11-20',
        state: 'due',
        days_late: 0,
        amount: '1.00',
        possible: typed.id,
      },
      expect.objectContaining({ occurrence_date: '2026-12-20', state: 'upcoming', possible: null }),
    ])
    await person.put(`/api/recurring/${id}/occurrences/2026-11-20`, { transaction_id: typed.id })
    await world.runCron(cron)
    expect(await recorded()).toEqual([[id, '2026-11-20', '2026-11-18']])
  })

  test('what a payment of another amount may be that names the payee, until a person tells them apart', async () => {
    const { id } = await create({
      rrule: 'FREQ=MONTHLY',
      starts_on: '2026-11-20',
      amount: '10.00',
      description: 'Streaming',
    })
    const { auto_record: _, starts_on: __, rrule: ___, ...expense } = daily
    const paid = { ...expense, amount: '11.00', transaction_date: '2026-11-19', force: true }
    await recordTransaction(person, { ...paid, description: 'SEPA 4711' })
    const typed = await recordTransaction(person, { ...paid, description: 'STREAMING 12' })
    await runAt(noon)
    expect(await dates()).toEqual([])
    const { occurrences } = (await person.get('/api/recurring/upcoming?days=1')).body
    expect(occurrences).toMatchObject([{ recurring_id: id, state: 'due', possible: typed.id }])
    const told = { kind: 'occurrence', transaction_id: typed.id, recurring_id: id }
    await person.post('/api/matches/reject', { ...told, occurrence_date: '2026-11-20' })
    await runAt(noon + dayMs)
    expect(await dates()).toEqual(['2026-11-20'])
  })

  test('what the transaction of a deleted rule may be', async () => {
    const first = await create({ rrule: 'FREQ=MONTHLY', starts_on: '2026-11-20' })
    await runAt(noon)
    const kept = (await person.get('/api/transactions')).body.data[0]
    await person.delete(`/api/recurring/${first.id}`)
    const { id } = await create({ rrule: 'FREQ=MONTHLY', starts_on: '2026-11-20' })
    await world.runCron(cron)
    expect((await person.get('/api/transactions')).body.data).toHaveLength(1)
    expect((await person.get('/api/recurring/upcoming?days=1')).body.occurrences).toMatchObject([
      { recurring_id: id, state: 'due', possible: kept.id },
    ])
  })

  test('what was held back, until the next day on which nothing holds it back', async () => {
    await create({ rrule: 'FREQ=YEARLY' })
    const { auto_record: _, starts_on: __, rrule: ___, ...expense } = daily
    const typed = await recordTransaction(person, { ...expense, transaction_date: '2026-11-18' })
    await runAt(noon)
    await person.delete(`/api/transactions/${typed.id}`)
    await runAt(noon + dayMs)
    expect(await dates()).toEqual(['2026-11-20'])
  })

  test.each([
    ['FREQ=DAILY', ['2026-11-20', '2026-11-21', '2026-11-23', '2026-11-24'], ['2026-11-22']],
    ['FREQ=DAILY;INTERVAL=2', ['2026-11-20', '2026-11-24'], ['2026-11-22']],
    ['FREQ=WEEKLY;BYDAY=FR,TU', ['2026-11-20', '2026-11-24'], []],
    ['FREQ=WEEKLY', [], ['2026-11-20']],
  ])('with %s, what is not nearer to another occurrence', async (rrule, expected, held) => {
    const { auto_record: _, starts_on: __, rrule: ___, ...expense } = daily
    const typed = await recordTransaction(person, { ...expense, transaction_date: '2026-11-22' })
    await create({ rrule })
    await runAt(noon + 4 * dayMs)
    expect(await dates()).toEqual(expected)
    const { body } = await person.get('/api/recurring/upcoming?days=1')
    const due = body.occurrences.filter(({ state }: Json) => state === 'due')
    expect(due.map(({ occurrence_date, possible }: Json) => [occurrence_date, possible])).toEqual(
      held.map((date) => [date, typed.id]),
    )
  })

  test('an occurrence whose transaction was deleted', async () => {
    await create({ rrule: 'FREQ=MONTHLY' })
    await runAt(noon)
    const { body } = await person.get('/api/transactions')
    await person.delete(`/api/transactions/${body.data[0].id}`)
    await runAt(noon + dayMs)
    expect(await dates()).toEqual([])
  })

  test('what is due on a closed account, which stays due', async () => {
    await create({ rrule: 'FREQ=MONTHLY', starts_on: '2026-11-20' })
    await person.put(`/api/accounts/${account.id}`, { closed_on: '2026-11-19' })
    await runAt(noon)
    expect(await dates()).toEqual([])
    const { body } = await person.get('/api/recurring/upcoming?days=1')
    expect(body.occurrences).toMatchObject([{ occurrence_date: '2026-11-20', state: 'due' }])
    await person.put(`/api/accounts/${account.id}`, { closed_on: null })
    await runAt(noon + dayMs)
    expect(await dates()).toEqual(['2026-11-20'])
  })

  test('what is due in a reconciled period, which a person may record', async () => {
    const { id } = await create({ rrule: 'FREQ=MONTHLY', starts_on: '2026-11-20' })
    const date = '2026-11-20'
    const { balance } = (await person.get(`/api/accounts/${account.id}`)).body
    await person.post('/api/balance-checks', { account_id: account.id, date, balance })
    await person.put(`/api/accounts/${account.id}`, { reconciled_through: date })
    await runAt(noon)
    expect(await dates()).toEqual([])
    const record = `/api/recurring/${id}/occurrences/${date}/record`
    expect(await person.post(record)).toMatchObject({ status: 422, body: { code: 'reconciled' } })
    expect((await person.post(`${record}?override_reconciled=true`)).status).toBe(201)
    expect(await dates()).toEqual([date])
  })

  test('what is due in a period that is reconciled meanwhile, or leaves no matching check for that', async () => {
    await create({ rrule: 'FREQ=MONTHLY', starts_on: '2026-11-20' })
    const date = '2026-11-20'
    const { balance } = (await person.get(`/api/accounts/${account.id}`)).body
    await person.post('/api/balance-checks', { account_id: account.id, date, balance })
    setClock(noon)
    const [lock] = await Promise.all([
      person.put(`/api/accounts/${account.id}`, { reconciled_through: date }),
      world.runCron(cron),
    ])
    expect([200, 422]).toContain(lock.status)
    expect(await dates()).toEqual(lock.status === 200 ? [] : [date])
  })

  test('rules of a deleted account, and of a user who is gone', async () => {
    await create()
    await person.delete(`/api/accounts/${account.id}`)
    const other = await world.register()
    const theirs = await openAccount(other)
    const category = await aCategory(other)
    await other.post('/api/recurring', { ...daily, account_id: theirs.id, category_id: category.id })
    await other.delete('/api/me', { password: other.password })
    await runAt(noon)
    expect(await dates()).toEqual([])
  })

  test('a rule that cannot be read, which shows no occurrences, and records the others', async () => {
    const rules = [await create(), await create(), await create(), await create({ amount: 2 })]
    const path = (nth: number) => `/api/recurring/${rules[nth]?.id}`
    const damage = (nth: number, set: SQL) =>
      askDatabase(world, sql`update recurring_rules set ${set} where id = ${rules[nth]?.id}`)
    await damage(0, sql`rrule = 'FREQ=HOURLY'`)
    await damage(1, sql`exceptions = '{"2026'`)
    await damage(2, sql`exceptions = '{"2026-11-20": null, "2026-11-21": 7, "x": {"amount": "a"}}'`)
    await runAt(noon + dayMs)
    expect((await recorded()).map(([rule]) => rule)).toEqual([1, 2, 3, 1, 2, 3].map((nth) => rules[nth]?.id))
    expect((await person.get('/api/recurring')).body).toMatchObject([
      { rrule: 'FREQ=HOURLY', next: null },
      { exceptions: {}, next: '2026-11-22' },
      { exceptions: {}, next: '2026-11-22' },
      { next: '2026-11-22' },
    ])
    for (const read of [
      'changes',
      'recurring/upcoming',
      'matches?kind=occurrence',
      'reports/forecast',
      'export',
      'export?format=hledger',
    ])
      expect((await person.get(`/api/${read}`)).status, read).toBe(200)
    expect((await person.put(path(0), { amount: 3 })).body.errors).toEqual({
      rrule: ['The rrule field must have an occurrence on or after starts on.'],
    })
    expect((await person.put(path(0), { rrule: 'FREQ=DAILY' })).body).toMatchObject({ next: '2026-11-20' })
    expect((await person.put(`${path(1)}/occurrences/2026-11-25`, { skip: true })).body).toMatchObject({
      exceptions: { '2026-11-25': { skip: true } },
    })
  })

  test('a rule that would push a balance past its bounds, and records the others', async () => {
    const full = await openAccount(person, { name: 'Full', starting_balance: '-9999999999999.99' })
    const { id } = await create({ amount: '9999999999999.99', account_id: full.id })
    for (let nth = 0; nth < 4; nth++) await create({ amount: nth + 1 })
    await runAt(noon + 20 * dayMs)
    const found = await recorded()
    expect(found.filter(([rule]) => rule === id)).toEqual([])
    expect(found).toHaveLength(4 * 21)
    expect(await findDifferences(openWorldDatabase(world))).toEqual([])
  })
})

test('an occurrence opens again when the import whose row it was is undone, or a person unlinks it', async () => {
  await askDatabase(world, sql`update users set email_verified_at = 1 where id = ${person.id}`)
  const { id } = await create({ rrule: 'FREQ=MONTHLY' })
  const { auto_record: _, starts_on: __, rrule: ___, ...expense } = daily
  const imported = await person.post('/api/import/store', {
    transactions: [{ ...expense, amount: 2, transaction_date: '2026-11-20' }],
  })
  const { body } = await person.get('/api/transactions')
  await person.put(`/api/recurring/${id}/occurrences/2026-11-20`, { transaction_id: body.data[0].id })
  await runAt(noon)
  expect(await recorded()).toHaveLength(1)
  await person.delete(`/api/imports/${imported.body.import.id}`)
  await world.runCron(cron)
  expect((await person.get('/api/transactions')).body.data).toMatchObject([
    { amount: '1.00', recurring_id: id },
  ])
  expect((await person.get(`/api/recurring/${id}`)).body.exceptions).toEqual({})
})

test('the largest rules of a user, more than a response holds, are recorded as well', async () => {
  const large = await create()
  const exceptions = Array.from({ length: 200 }, (_, nth) => [
    new Date(noon + nth * dayMs).toISOString().slice(0, 10),
    { description: '"'.repeat(255) },
  ])
  await askDatabase(
    world,
    sql`update recurring_rules set exceptions = ${JSON.stringify(Object.fromEntries(exceptions))} where id = ${large.id}`,
  )
  const columns = sql.raw(`account_id, type, amount, amount_tolerance, description, starts_on, rrule, weekend,
      auto_record, remind_days, paused, opened_at, opened_in, exceptions, version, due_at, created_at, updated_at`)
  await askDatabase(
    world,
    sql`
      insert into recurring_rules (user_id, ${columns})
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 199)
      select user_id, ${columns} from recurring_rules, n where id = ${large.id}`,
  )
  await runAt(noon + 1000)
  expect(await recorded()).toHaveLength(200)
})
