import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { findDifferences } from '../../../src/database/check.ts'
import { muteLog } from '../fixtures/muted-log.ts'
import { lengthOf } from '../fixtures/random-histories.ts'
import type { Json, World } from '../fixtures/world.ts'
import { askDatabase, openWorldDatabase } from '../laws/every-route.ts'
import { type Change, createPlace, type Device, days, type Place, planChange } from './changes.ts'

const { seed: firstSeed, operations: total } = lengthOf({ seed: 20_261_128, operations: 80 })
/** The changes in one place. */
const changesInPlace = 500
/** One in this many times, two devices change something at once. */
const oneInIsTwice = 8

/** Checks that come, are corrected to what the account has, and go. Returns all. */
async function checkBalances({ person, pick, accounts }: Place, checks: Json[]): Promise<Json[]> {
  const broken = checks.filter(({ state }) => state === 'broken')
  const override = '?override_reconciled=true'
  if (checks.length > 12) await person.delete(`/api/balance-checks/${pick(...checks).id}${override}`)
  const one = pick(...broken)
  if (one)
    await person.put(`/api/balance-checks/${one.id}`, {
      balance: one.ledger_balance,
      override_reconciled: true,
    })
  const [account_id, date] = [pick(...accounts).id, pick(...days)]
  const { status, body } = await person.post('/api/balance-checks', { account_id, date, balance: 100 })
  if (status === 201)
    await person.put(`/api/balance-checks/${body.id}`, {
      balance: body.ledger_balance,
      override_reconciled: true,
    })
  return list(person)
}

const list = async ({ get }: Pick<Device, 'get'>): Promise<Json[]> => (await get('/api/balance-checks')).body

const cents = (amount: number) => Math.round(amount * 100)

/** What was done and what broke, over all places. */
const tally = {
  did: new Map<string, number>(),
  broke: new Map<string, number>(),
  refused: new Map<string, number>(),
}
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
  const responses = await act(
    place,
    done.map(([, one]) => one),
  )
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
  const [way, [response]] = [done[0]?.[1].way, responses]
  if (way === 'undo' && !isTwice) expect(response?.body?.broken_checks ?? []).toEqual(broken)
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

/**
 * Makes changes, one or two at once, and returns the responses. None may move a balance of a reconciled period. One that is
 * refused for a period is made once more with the override, and then moves one.
 */
async function act({ world, pick }: Place, changes: Change[]): Promise<Json[]> {
  const before = await readPeriods(world)
  const responses = await Promise.all(changes.map(({ does }) => does(false)))
  if (!changes.some(({ isFree }) => isFree)) expect(await before.movedSince()).toEqual([])
  const [change, other] = changes
  const isRefused = (response?: Json) =>
    JSON.stringify(response?.body ?? '').includes('is reconciled through')
  if (!change || other || !isRefused(responses[0])) return responses
  count(tally.refused, change.way)
  if (!pick(true, false)) return responses
  const overridden = await change.does(true)
  expect(isRefused(overridden), change.way).toBe(false)
  if (!overridden.body?.import?.dry_run) expect(await before.movedSince(), change.way).not.toEqual([])
  return [overridden]
}

/** What moves the balances of all accounts on each day, and in which reconciled periods that changes. */
async function readPeriods(world: World) {
  const moves = sql`
    select account_id || ' ' || day as place, account_id, day, sum(effect) as effect from (
      select id as account_id, '' as day, starting_balance as effect from accounts
       union all
      select account_id, coalesce(booked_on, transaction_date), iif(type = 'income', amount, -amount) from transactions
       union all
      select to_account_id, coalesce(to_booked_on, transaction_date), amount
        from transactions where to_account_id is not null) group by account_id, day`
  const locked = sql`select id, reconciled_through from accounts where reconciled_through is not null`
  const [before, periods] = [await askDatabase(world, moves), await askDatabase(world, locked)]
  const movedSince = async () => {
    const [was, is] = [before, await askDatabase(world, moves)].map(
      (rows) => new Map(rows.map(({ place, ...row }) => [place, row])),
    )
    return [...new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])])].filter((place) => {
      const row = was?.get(place) ?? is?.get(place)
      const period = periods.find(({ id }) => id === row?.account_id)
      const isIn = period && String(row?.day) <= String(period.reconciled_through)
      return isIn && (was?.get(place)?.effect ?? 0) !== (is?.get(place)?.effect ?? 0)
    })
  }
  return { movedSince }
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
    console.info('Refused:', Object.fromEntries(tally.refused))
    expect(tally.broke.size).toBeGreaterThan(4)
    expect(tally.refused.size).toBeGreaterThan(1)
  },
  total * 3_000 + 60_000,
)
