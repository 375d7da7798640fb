import { expect, test } from 'vitest'
import { findDifferences } from '../../../src/database/check.ts'
import { noon, setClock } from '../fixtures/clock.ts'
import { create, createLedger, remove, update } from '../fixtures/uploads.ts'
import { createWorld, type Json, logIn, type Person } from '../fixtures/world.ts'
import { openWorldDatabase } from '../laws/every-route.ts'

/** Uploads of each device. */
const uploads = 30
const dayMs = 86_400_000

/** Does something again and again until `isOver`. */
async function withoutPause(isOver: () => boolean, does: (nth: number) => Promise<unknown>): Promise<number> {
  let nth = 0
  while (!isOver()) await does(nth++)
  return nth
}

test('uploads of two devices beside a script that posts without a pause, and the job, are all done', async () => {
  setClock(noon)
  const { world, person, fields, cash } = await createLedger(createWorld())
  const phone = world.as((await logIn(world, person)).body.access_token)
  const daily = { ...fields, amount: 1, starts_on: '2026-11-20', rrule: 'FREQ=DAILY', auto_record: true }
  const { transaction_date: _, ...rule } = daily
  const { id } = (await person.post('/api/recurring', rule)).body
  setClock(noon + 20 * dayMs)

  let running = 2
  const device = async (of: Pick<Person, 'post'>, name: string) => {
    const found: string[][] = []
    for (let nth = 0; nth < uploads; nth++) {
      const ops = [
        create('transaction', `${name}-${nth}`, { ...fields, amount: 2 }),
        ...(nth > 0 ? [update('transaction', `${name}-${nth - 1}`, { amount: 3 }, { amount: 2 })] : []),
        ...(nth > 1 ? [remove('transaction', `${name}-${nth - 2}`, { amount: 3 })] : []),
        ...(nth % 10 === 9 ? [update('account', cash.id, { notes: `${name}-${nth}` })] : []),
      ]
      const { status, body } = await of.post('/api/changes', { ops })
      expect([name, nth, status]).toEqual([name, nth, 200])
      found.push(body.results.map(({ outcome }: Json) => outcome))
    }
    running -= 1
    return found
  }
  const isOver = () => running === 0
  const [first, second, posted] = await Promise.all([
    device(person, 'laptop'),
    device(phone, 'phone'),
    withoutPause(isOver, (nth) =>
      person.post('/api/transactions', { ...fields, amount: nth + 10, force: true }),
    ),
    withoutPause(isOver, () => world.runCron('*/5 * * * *')),
  ])
  expect(new Set([...first, ...second].flat())).toEqual(new Set(['created', 'updated', 'deleted']))

  const { body } = await person.get('/api/transactions?per_page=500')
  const recorded = body.data.filter(({ recurring_id }: Json) => recurring_id === id)
  expect(new Set(recorded.map(({ occurrence_date }: Json) => occurrence_date)).size).toBe(recorded.length)
  expect(recorded).toHaveLength(21)
  // Two rows of each device are left.
  expect(body.total).toBe(1 + 21 + posted + 4)
  expect(await findDifferences(openWorldDatabase(world))).toEqual([])
})

test('two uploads at once with the same client ids create one row each', async () => {
  const { world, person, fields } = await createLedger(createWorld())
  const phone = world.as((await logIn(world, person)).body.access_token)
  const ops = [
    create('account', 'a1', { name: 'Wallet', type: 'cash', starting_balance: 1 }),
    create('category', 'c1', { name: 'Coffee', type: 'expense' }),
    ...Array.from({ length: 20 }, (_, nth) =>
      create('transaction', `t${nth}`, { ...fields, account_id: '#a1', category_id: '#c1' }),
    ),
  ]
  const responses = await Promise.all(
    [person, phone, person, phone].map((device) => device.post('/api/changes', { ops })),
  )
  const all = responses.map(({ body }) => new Set(body.results.map(({ outcome }: Json) => outcome)))
  expect(all.filter((outcomes) => outcomes.has('created'))).toEqual([new Set(['created'])])
  expect(all.filter((outcomes) => outcomes.has('duplicate'))).toEqual(Array(3).fill(new Set(['duplicate'])))
  expect((await person.get('/api/transactions')).body.total).toBe(21)
  expect(await findDifferences(openWorldDatabase(world))).toEqual([])
})
