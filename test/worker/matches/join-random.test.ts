import { expect, test } from 'vitest'
import { findDifferences } from '../../../src/database/check.ts'
import { Dice, picker } from '../../dice.ts'
import { actOnRows } from '../../random-history.ts'
import { randomTransaction } from '../../random-transaction.ts'
import { expectWhole, FeedCopy } from '../fixtures/feed-copy.ts'
import { create, upload } from '../fixtures/uploads.ts'
import { apiOf, createWorld, type Json, openAccount, type World } from '../fixtures/world.ts'
import { sendFile } from '../imports/send-file.ts'
import { createHousehold, openWorldDatabase } from '../laws/every-route.ts'

/** Few amounts on few days, so that many rows are alike. */
const partsOf = (dice: Dice) => ({
  days: ['2026-11-10', '2026-11-11', '2026-11-12', '2026-11-13', '2026-11-14'],
  amount: () => dice.oneOf(['5.00', '5.00', '7.00']),
  text: () => dice.oneOf(['Coffee', null]),
})

/** A user who typed some of what the files of two banks contain. */
async function createPerson(world: World, dice: Dice) {
  const { person, checking, category } = await createHousehold(world)
  const accounts = [checking, await openAccount(person, { name: 'Nestegg' })]
  const rowsOf = ({ id }: Json) =>
    Array.from({ length: 5 }, () =>
      randomTransaction(dice, { accounts: [id], categories: [category.id], ...partsOf(dice) }),
    )
  const files = [...accounts, ...accounts].map(rowsOf)
  const typed = accounts.flatMap(rowsOf).map((fields, nth) => create('transaction', `typed-${nth}`, fields))
  const uploaded = await upload(person, typed)
  const rows = async (): Promise<Json[]> => {
    const { body } = await person.get('/api/transactions?per_page=500')
    return body.data.sort((a: Json, b: Json) => a.id - b.id)
  }
  const importAll = async (options = '') => {
    const counts: Json[] = []
    for (const transactions of files) {
      const { status, body } = await person.post(`/api/import/store?match=off${options}`, { transactions })
      expect([status, body.errors]).toEqual([200, undefined])
      counts.push(body.import.counts)
    }
    return counts
  }
  await importAll()
  const gone: number[] = []
  const post = async (path: string, body: object) => {
    const response = await person.post(`/api/matches/${path}`, body)
    expect([path, body, [200, 204, 422].includes(response.status)]).toEqual([path, body, true])
    return response
  }
  /** Undoes all joins, the last ones of each row first. */
  const separateAll = async () => {
    for (const { id } of await rows())
      for (let status = 200; status === 200; ) {
        const response = await post('separate', { id })
        status = response.status
        const back = response.body.transactions?.[1].id
        while (back && (await post('separate', { id: back })).status === 200);
      }
  }
  const ids = uploaded.map(({ id }) => id as number)
  return { person, rows, importAll, gone, typed: ids, post, separateAll, dice, copy: new FeedCopy(person) }
}
type Person = Awaited<ReturnType<typeof createPerson>>

/** Tries to join, separate or reject any two rows, now and then twice at once, or with a stranger's. */
async function match(me: Person, stranger: Person) {
  const { rows, dice, post, gone } = me
  const pick = <T>(...choices: T[]): T => dice.oneOf(choices)
  const all = await rows()
  const [one, other, third] = [pick(...all), pick(...all), pick(...all)]
  const kind = pick('duplicate', 'transfer')
  const theirs = pick(...stranger.typed)
  const alike = all.filter((row) => row.amount === one.amount && row.id !== one.id)
  const ids = [one.id, pick(...alike, other).id]
  const done = await pick<() => Promise<{ status: number }[]>>(
    () => Promise.all([post('join', { kind, ids })]),
    () => Promise.all([post('join', { kind, ids })]),
    () =>
      Promise.all([
        post('join', { kind, ids }),
        post('join', { kind, ids: [ids[1], pick(...alike, third).id] }),
      ]),
    () => Promise.all([post('join', { kind, ids }), post('join', { kind, ids: ids.toReversed() })]),
    () => Promise.all([post('separate', { id: one.id })]),
    () => Promise.all([post('reject', { kind, ids }), post('join', { kind, ids })]),
    async () => {
      const responses = [
        await post('join', { kind, ids: [one.id, theirs] }),
        await post('separate', { id: theirs }),
      ]
      expect(responses.map(({ status }) => status)).toEqual([422, 422])
      return []
    },
    async () => (gone.length ? [await post('join', { kind, ids: [one.id, pick(...gone)] })] : []),
  )()
  if (done.some(({ status }) => status === 200)) gone.push(...ids)
}

const withoutVersion = (rows: Json[]) => rows.map(({ version: _, ...row }) => row)

test('whatever two people join is separated again, and edits in between leave all exact', async () => {
  const world = createWorld()
  const dice = new Dice(20_261_122)
  const people = [await createPerson(world, dice), await createPerson(world, dice)] as const
  const before = await Promise.all(people.map(({ rows }) => rows()))
  const isExact = async () => {
    expect(await findDifferences(openWorldDatabase(world))).toEqual([])
    for (const { copy, person } of people) {
      await copy.pull(dice.oneOf([3, 500]))
      await expectWhole(copy, person)
    }
  }
  for (let round = 0; round < 2; round++) {
    for (let turn = 0; turn < 10; turn++) {
      await match(people[0], people[1])
      await match(people[1], people[0])
    }
    await isExact()
    for (const { importAll } of people)
      for (const { created, deleted_before } of await importAll('&dry_run=true'))
        expect({ created, deleted_before }).toEqual({ created: 0, deleted_before: 0 })
  }
  for (const [index, { rows, separateAll }] of people.entries()) {
    expect((await rows()).length).toBeLessThan(before[index]?.length ?? 0)
    await separateAll()
    expect(withoutVersion(await rows())).toEqual(withoutVersion(before[index] ?? []))
  }
  await isExact()

  for (let round = 0; round < 2; round++) {
    for (let turn = 0; turn < 5; turn++) {
      await match(people[0], people[1])
      const { person, importAll } = dice.oneOf(people)
      if (dice.isOnceIn(6)) await importAll(dice.oneOf(['', '&dry_run=true']))
      else await actOnRows(apiOf(world, person.token), dice, partsOf(dice))
      await match(people[1], people[0])
    }
    await isExact()
    for (const { importAll } of people) {
      await importAll()
      for (const { created } of await importAll()) expect(created).toBe(0)
    }
  }
  for (const { separateAll } of people) await separateAll()
  await isExact()
})

/** A coffee on some day: in the bank's file, or only typed. */
type Coffee = { day: number; isBanked: boolean }

test('equal rows, joined, separated and deleted in any order, each stand for as many rows of a file as they should', async () => {
  const world = createWorld()
  const pick = picker(20_261_123)
  for (let life = 0; life < 4; life++) {
    const { person, checking, category } = await createHousehold(world)
    const days = [10, 11]
    const coffees = new Map<number, Coffee>()
    /** What was joined into what, the last join last; and which of these were deleted. */
    const joins: { gone: number; into: number }[] = []
    const deleted = new Set<number>()
    const file = days.flatMap((day) => Array.from({ length: pick(0, 1, 2, 3) }, () => day))
    const importDays = async (all: number[], options = '') => {
      const to = `store?account_id=${checking.id}&match=off${options}`
      const rows = all.map((day) => `2026-11-${day},-3.00`)
      const response = await sendFile({ world, person }, to, ['date,amount', ...rows].join('\n'))
      expect([response.status, response.body.errors]).toEqual([200, undefined])
      return response.body.import.counts
    }
    const list = async (): Promise<Json[]> => (await person.get('/api/transactions')).body.data
    const type = async (count: number) => {
      for (let nth = 0; nth < count; nth++) {
        const day = pick(...days)
        const fields = {
          account_id: checking.id,
          category_id: category.id,
          type: 'expense',
          amount: 3,
          force: true,
        }
        const { body } = await person.post('/api/transactions', {
          ...fields,
          transaction_date: `2026-11-${day}`,
        })
        coffees.set(body.id, { day, isBanked: false })
      }
    }
    await type(pick(0, 1, 2, 3))
    const typedBefore = [...coffees.values()]
    if (file.length > 0) await importDays(file)
    for (const { id, transaction_date } of await list())
      if (!coffees.has(id)) coffees.set(id, { day: Number(transaction_date.slice(-2)), isBanked: true })
    for (const day of days)
      for (const coffee of typedBefore
        .filter((one) => one.day === day)
        .slice(0, file.filter((one) => one === day).length))
        coffee.isBanked = true
    await type(pick(0, 1, 2))

    const topOf = (id: number): number => {
      const join = joins.find(({ gone }) => gone === id)
      return join ? topOf(join.into) : id
    }
    /** How many rows of a file already exist, by day. */
    const standing = (day: number) => {
      const groups = Map.groupBy(coffees, ([id]) => topOf(id))
      const inGroup = ([top, members]: [number, [number, Coffee][]]) => {
        const banked = members.filter(([, { isBanked }]) => isBanked)
        const isHere = members.some(([, coffee]) => coffee.day === day)
        if (banked.length > 0) return banked.filter(([, coffee]) => coffee.day === day).length
        return isHere && !deleted.has(top) ? 1 : 0
      }
      return [...groups].map(inGroup).reduce((sum, count) => sum + count, 0)
    }
    for (let turn = 0; turn < 8; turn++) {
      const live = [...coffees.keys()].filter((id) => topOf(id) === id && !deleted.has(id))
      if (live.length < 2) break
      const [one, other] = [pick(...live), pick(...live)]
      const action = pick('join', 'join', 'join', 'separate', 'delete', 'import')
      if (action === 'join' && one !== other) {
        const { status, body } = await person.post('/api/matches/join', {
          kind: 'duplicate',
          ids: [one, other],
        })
        expect(status).toBe(200)
        joins.push({ gone: body.id === one ? other : one, into: body.id })
      } else if (action === 'separate') {
        const last = joins.findLastIndex(({ into }) => into === one)
        expect((await person.post('/api/matches/separate', { id: one })).status).toBe(last < 0 ? 422 : 200)
        if (last >= 0) joins.splice(last, 1)
      } else if (action === 'delete' && live.length > 2) {
        expect((await person.delete(`/api/transactions/${one}`)).status).toBe(204)
        deleted.add(one)
      } else if (action === 'import' && file.length > 0) expect((await importDays(file)).created).toBe(0)
      if (file.length > 0) expect((await importDays(file, '&dry_run=true')).created).toBe(0)
      for (const day of days) {
        const most = [...file, ...Array<number>(4).fill(day)]
        const missing = most.filter((one) => one === day).length - standing(day)
        expect([life, turn, day, (await importDays(most, '&dry_run=true')).created]).toEqual([
          life,
          turn,
          day,
          Math.max(0, missing),
        ])
      }
    }
  }
  expect(await findDifferences(openWorldDatabase(world))).toEqual([])
})
