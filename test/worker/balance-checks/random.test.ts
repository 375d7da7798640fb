import { sql } from 'drizzle-orm'
import { expect, inject, test } from 'vitest'
import { findDifferences } from '../../../src/database/check.ts'
import { muteLog } from '../fixtures/muted-log.ts'
import type { Json } from '../fixtures/world.ts'
import { askDatabase, openWorldDatabase } from '../laws/every-route.ts'
import { type Change, createPlace, type Device, days, type Place, planChange } from './changes.ts'

const { seed, operations } = inject('checks')
const firstSeed = Number(seed ?? 20_261_128)
const total = Number(operations ?? 160)
/** The changes in one place, which then has a log long enough to be folded. */
const changesInPlace = 500
/** One in this many times, two devices change something at once. */
const oneInIsTwice = 8

/** Checks that come, are corrected to what the account has, and go. Returns all. */
async function checkBalances({ person, pick, accounts }: Place, checks: Json[]): Promise<Json[]> {
  const broken = checks.filter(({ state }) => state === 'broken')
  if (checks.length > 12) await person.delete(`/api/balance-checks/${pick(...checks).id}`)
  const one = pick(...broken)
  if (one) await person.put(`/api/balance-checks/${one.id}`, { balance: one.ledger_balance })
  const [account_id, date] = [pick(...accounts).id, pick(...days)]
  const { status, body } = await person.post('/api/balance-checks', { account_id, date, balance: 100 })
  if (status === 201) await person.put(`/api/balance-checks/${body.id}`, { balance: body.ledger_balance })
  return list(person)
}

const list = async ({ get }: Pick<Device, 'get'>): Promise<Json[]> => (await get('/api/balance-checks')).body

const cents = (amount: number) => Math.round(amount * 100)

/** What was done and what broke, over all places. */
const tally = { did: new Map<string, number>(), broke: new Map<string, number>() }
const count = (counts: Map<string, number>, what: string) => counts.set(what, (counts.get(what) ?? 0) + 1)

/** Changes something with one device or with two at once, and expects each check that breaks to say so. */
async function change(place: Place, known: Json[]): Promise<Json[]> {
  const { person, pick, devices } = place
  const hasFew = known.filter(({ state }) => state === 'ok').length < 5
  const checks = hasFew ? await checkBalances(place, known) : known
  const before = new Map(checks.map((check) => [check.id, check]))
  const isTwice = pick(...Array.from({ length: oneInIsTwice }, (_, nth) => nth === 0))
  const acting = isTwice ? devices.slice(0, 2) : [pick(...devices)]
  const done: [Device, Change][] = []
  for (const device of acting) done.push([device, await planChange(place, device)])
  const responses = await Promise.all(done.map(([, { does }]) => does()))
  for (const [, { way }] of done) count(tally.did, isTwice ? 'two at once' : way)
  const after = await list(person)
  const broken = after.filter(({ id, state }) => before.get(id)?.state === 'ok' && state === 'broken')
  for (const { id, difference } of broken) {
    count(tally.broke, isTwice ? 'two at once' : (done[0]?.[1].way ?? ''))
    const { broken_by, broken_at } = (await person.get(`/api/balance-checks/${id}`)).body
    expect(broken_by.reduce((sum: number, { effect }: Json) => sum + cents(effect), 0)).toBe(
      cents(difference),
    )
    expect(broken_at).toBe(broken_by[0].at)
    for (const entry of broken_by) expectNamed(entry, done)
  }
  const [way, [response]] = [done[0]?.[1].way, responses as Json[]]
  if (way === 'undo' && !isTwice) expect(response.body?.broken_checks ?? []).toEqual(broken)
  const { ledger } = pick(...devices)
  await ledger.sync()
  const shown = ({ id, difference, ledger_balance, state }: Json) => ({
    id,
    difference,
    ledger_balance,
    state,
  })
  const byId = (a: Json, b: Json) => a.id - b.id
  expect(ledger.checks().map(shown).sort(byId)).toEqual(after.map(shown).sort(byId))
  return after
}

/** Expects a change to name one of the devices and what it did. */
function expectNamed(entry: Json, done: [Device, Change][]): void {
  const [, own] = done.find(([{ tokenId }]) => tokenId === entry.by.token_id) ?? []
  expect(own, JSON.stringify(entry)).toBeDefined()
  expect(entry, own?.way).toMatchObject(own?.named)
}

/** Runs the jobs, which change nothing that a check says. */
async function runJobs({ world, person }: Place): Promise<void> {
  const stated = async () =>
    (await list(person)).map(({ id, difference, broken_at, version }) => [id, difference, broken_at, version])
  const before = await stated()
  await world.runCron('* * * * *')
  await world.removeDeleted()
  expect(await stated()).toEqual(before)
}

test(
  'whatever any device does, each difference equals a recomputation, and a check that breaks names the device and what it did',
  async () => {
    muteLog(['log'])
    for (let done = 0; done < total; ) {
      const place = await createPlace(firstSeed + done)
      const { world } = place
      const isRight = async () => expect(await findDifferences(openWorldDatabase(world))).toEqual([])
      let checks: Json[] = []
      for (const end = Math.min(total, done + changesInPlace); done < end; done++) {
        checks = await change(place, checks)
        if (done % 10 === 0) await isRight()
        if (done % 40 === 0) await runJobs(place)
      }
      await isRight()
      await runJobs(place)
      await isRight()
      const former = sql`select count(*) as left from accounts where former_user_id is not null`
      expect(await askDatabase(world, former)).toEqual([{ left: 0 }])
    }
    console.info(`Seed ${firstSeed}: ${total} changes`, Object.fromEntries(tally.did))
    console.info('Broke checks:', Object.fromEntries(tally.broke))
    expect(tally.broke.size).toBeGreaterThan(8)
  },
  total * 3_000 + 60_000,
)
