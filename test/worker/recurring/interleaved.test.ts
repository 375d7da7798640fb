import { beforeEach, describe, expect, test } from 'vitest'
import { findDifferences } from '../../../src/database/check.ts'
import { createFaultyWorld, type FaultyWorld } from '../faults/faulty-world.ts'
import { noon, setClock } from '../fixtures/clock.ts'
import { holdDatabase } from '../fixtures/held-requests.ts'
import { muteLog } from '../fixtures/muted-log.ts'
import { aCategory, type Json, openAccount, type Person } from '../fixtures/world.ts'
import { openWorldDatabase } from '../laws/every-route.ts'

const cron = '*/5 * * * *'
const dayMs = 86_400_000
/** More requests than a run makes: it finds rules, records, schedules, and looks for more; the reminders before it make one. */
const requests = [1, 2, 3, 4, 5, 6]

let world: FaultyWorld
let person: Person
let account: Json
let rules: Json[]

beforeEach(() => muteLog())

/** Two rules that have not been looked at for twenty days, in a world of their own. */
async function begin(): Promise<void> {
  setClock(noon)
  world = createFaultyWorld()
  person = await world.register()
  account = await openAccount(person)
  rules = [await create('FREQ=DAILY'), await create('FREQ=WEEKLY')]
  setClock(noon + 20 * dayMs)
}

async function create(rrule: string): Promise<Json> {
  const category_id = (await aCategory(person)).id
  const template = { account_id: account.id, category_id, type: 'expense', amount: '1.00', auto_record: true }
  return (await person.post('/api/recurring', { ...template, starts_on: '2026-11-20', rrule })).body
}

/** The dates of the recorded occurrences of each rule. */
async function recorded(): Promise<Record<number, string[]>> {
  const { body } = await person.get('/api/transactions?per_page=500')
  const linked = body.data.filter(({ recurring_id }: Json) => recurring_id !== null)
  const dates: Record<number, string[]> = {}
  for (const { recurring_id, occurrence_date } of linked)
    dates[recurring_id] = [...(dates[recurring_id] ?? []), occurrence_date].sort()
  return dates
}

const days = (count: number, step = 1) =>
  Array.from({ length: count }, (_, nth) => new Date(noon + nth * step * dayMs).toISOString().slice(0, 10))

const all = () => ({ [rules[0]?.id]: days(21), [rules[1]?.id]: days(3, 7) })

async function expectRecorded(expected: Record<number, string[]>): Promise<void> {
  await world.runCron(cron)
  expect(await recorded()).toEqual(expected)
  expect(await findDifferences(openWorldDatabase(world))).toEqual([])
}

/** Does something after a run of the job has sent that many requests, before it gets the response to the last of them. */
async function afterRequest(nth: number, does: () => Promise<unknown>): Promise<void> {
  const { release, areHeld } = holdDatabase(1, nth - 1)
  const run = world.runCron(cron)
  await Promise.race([run.then(release), areHeld()])
  await does()
  release()
  await run
}

describe.each(requests)('at request %i of a run', (nth) => {
  test('being killed loses nothing and records nothing twice, alone or beside another run', async () => {
    for (const executed of [false, true])
      for (const runs of [1, 2]) {
        await begin()
        await world.whileBroken({ gets: 'cut', executed, only: nth }, () =>
          Promise.allSettled(Array.from({ length: runs }, () => world.runCron(cron))),
        )
        await expectRecorded(all())
      }
  })

  test('another run, whole or killed, loses nothing and records nothing twice', async () => {
    await begin()
    await afterRequest(nth, () => world.runCron(cron))
    await expectRecorded(all())
    // Together these are all pairs of the same request, and of one and the next.
    for (const only of [nth, 1 + (nth % requests.length)]) {
      await begin()
      await afterRequest(nth, () =>
        world.whileBroken({ gets: 'cut', executed: true, only }, () =>
          Promise.allSettled([world.runCron(cron)]),
        ),
      )
      await expectRecorded(all())
    }
  })

  test('a change of a rule is what is recorded from then on', async () => {
    const path = () => `/api/recurring/${rules[0]?.id}`
    await begin()
    await afterRequest(nth, () => person.put(path(), { amount: 2 }))
    await expectRecorded(all())
    await begin()
    await afterRequest(nth, () => person.put(path(), { paused: true }))
    const before = await recorded()
    expect([undefined, 21]).toContain(before[rules[0]?.id]?.length)
    await expectRecorded({ ...before, [rules[1]?.id]: days(3, 7) })
    await begin()
    await afterRequest(nth, () => person.put(path(), { from: '2026-12-01', amount: 2 }))
    const { successor_id } = (await person.get(path())).body
    await expectRecorded({
      [rules[0]?.id]: days(11),
      [rules[1]?.id]: days(3, 7),
      [successor_id]: days(21).slice(11),
    })
  })

  test('a skipped occurrence and a deleted transaction do not come back', async () => {
    await begin()
    let isSkipped = false
    await afterRequest(nth, async () => {
      const path = `/api/recurring/${rules[0]?.id}/occurrences/2026-11-25`
      isSkipped = (await person.put(path, { skip: true })).status === 200
      const { body } = await person.post(`/api/recurring/${rules[1]?.id}/occurrences/2026-11-27/record`)
      await person.delete(`/api/transactions/${body.id}`)
    })
    await expectRecorded({
      [rules[0]?.id]: days(21).filter((day) => !isSkipped || day !== '2026-11-25'),
      [rules[1]?.id]: ['2026-11-20', '2026-12-04'],
    })
  })

  test('deleting the account, the rule or the user ends all recording', async () => {
    await begin()
    await afterRequest(nth, () => person.delete(`/api/accounts/${account.id}`))
    await expectRecorded({})
    await world.removeDeleted()
    await expectRecorded({})
    await begin()
    await afterRequest(nth, () => person.delete(`/api/recurring/${rules[0]?.id}`))
    await expectRecorded({ [rules[1]?.id]: days(3, 7) })
    await begin()
    await afterRequest(nth, () => person.delete('/api/me', { password: person.password }))
    await world.removeDeleted()
    await world.runCron(cron)
    expect(await findDifferences(openWorldDatabase(world))).toEqual([])
  })
})
