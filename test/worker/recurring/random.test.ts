import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { findDifferences } from '../../../src/database/check.ts'
import { addDays, type CalendarDate, dateIn, dayMs, hourMs } from '../../../src/domain/dates.ts'
import type { Fault } from '../../databases/faults.ts'
import { muteLog } from '../fixtures/muted-log.ts'
import { lengthOf } from '../fixtures/random-histories.ts'
import { openWorldDatabase } from '../laws/every-route.ts'
import {
  chooseStep,
  createPlace,
  creates,
  openOf,
  type Place,
  type Row,
  type State,
  type Step,
  stateOf,
} from './steps.ts'

const { seed: firstSeed, operations: total } = lengthOf({ seed: 20_261_128, operations: 60 })
/** Few enough that sessions do not expire in one place. */
const turnsInPlace = 60
const cron = '*/5 * * * *'
/** Some minutes after an hour, so that it is past 00:05 in the zones of all offsets. */
const start = Date.parse('2026-03-01T12:07:00Z')
const statuses = [200, 201, 204, 404, 409, 412, 422, 503]

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  muteLog(['log', 'error'])
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const counts: Record<string, number> = {}
const count = (what: string) => {
  counts[what] = (counts[what] ?? 0) + 1
}

/** Moves the clock: by hours, by days, by up to two months, or back. */
function moveClock({ dice }: Place): void {
  const ways = {
    hours: dice.from(1, 40) * hourMs,
    days: dice.from(1, 5) * dayMs,
    months: dice.from(6, 61) * dayMs,
    back: -dice.from(1, 96) * hourMs,
  }
  vi.setSystemTime(Date.now() + ways[dice.weighed({ hours: 6, days: 3, months: 0.3, back: 1 })])
}

/** A connection that is cut at one of the next requests, before or after it is executed. */
const cutOf = ({ dice }: Place): Fault => ({
  gets: 'cut',
  executed: dice.happens(0.5),
  only: dice.from(1, 5),
})

/** What was done, the latest that the clock has been, and when an occurrence was last held back by a similar transaction. */
type Log = { turns: string[]; latest: number; held: Map<string, CalendarDate> }

const keyOf = ({ recurring_id, occurrence_date }: Partial<Row>) => `${recurring_id} ${occurrence_date}`

/** Lets time pass, and runs jobs, people or both at once; expects what may not change to be as it was. Returns the new state. */
async function takeTurn(place: Place, before: State, log: Log): Promise<State> {
  const { world, dice, homes } = place
  moveClock(place)
  log.latest = Math.max(log.latest, Date.now())
  const { open, held } = openOf(place, before)
  const today = dateIn('UTC', new Date())
  // A clock that goes back brings the day after the latest one no nearer.
  for (const one of held) log.held.set(keyOf(one), dateIn('UTC', new Date(log.latest)))
  const kind = dice.weighed({ job: 3, jobs: 4, people: 4, both: 4 })
  const jobs = { job: 1, jobs: 2, people: 0, both: 1 }[kind]
  const steps: Step[] = []
  for (let nth = kind === 'people' || kind === 'both' ? dice.from(1, 3) : 0; nth > 0; nth--)
    steps.push(await chooseStep(place, dice.oneOf(homes), before))
  const fault = kind !== 'job' && dice.happens(0.5) ? cutOf(place) : null
  const does = () =>
    Promise.all([
      Promise.allSettled(Array.from({ length: jobs }, () => world.runCron(cron))),
      Promise.all(steps.map(({ does }) => does())),
    ])
  const [runs, responses] = fault ? (await world.whileBroken(fault, does)).result : await does()
  const texts = steps.map(({ text }, nth) => `  ${text} → ${responses[nth]?.status}`)
  log.turns.push(
    [`${new Date().toISOString()} ${jobs} jobs ${JSON.stringify(fault) ?? ''}`, ...texts].join('\n'),
  )
  const after = await stateOf(place)
  for (const [nth, rules] of after.rules.entries()) place.seen[nth]?.push({ at: Date.now(), rules })
  for (const { status, text } of responses) expect(statuses, text).toContain(status)
  expectKept(before, after, steps)
  const [step] = steps
  if (steps.length === 1 && responses[0]?.status === 204 && step?.deletes) expectSkipped(after, step.deletes)
  if (steps.length === 1 && jobs === 0 && step?.isUndo) expectOpened(before, after)
  const isLinked = (row: Row) => row.import_id !== null && row.recurring_id !== null
  const had = new Set(before.rows.map(({ id }) => id))
  for (const _ of after.rows.filter((row) => isLinked(row) && !had.has(row.id))) count('linked by imports')
  // What was missed already may stay so when the clock goes back.
  const latest = dateIn('UTC', new Date(log.latest))
  const isDue = ({ transaction_date: day = '' }: Partial<Row>) => day > addDays(latest, -61)
  const added = after.rows.slice(before.rows.length).filter(isDue)
  // What was held back lately is looked at again on the next day.
  const must = open.filter((one) => isDue(one) && !((log.held.get(keyOf(one)) ?? '') >= addDays(today, -1)))
  if (steps.length === 0) expectRecorded({ must: fault ? [] : must, may: open.filter(isDue) }, added)
  for (const { status } of runs) count(status === 'rejected' ? 'killed jobs' : 'whole jobs')
  for (const { status } of responses) count(`${status}`)
  return after
}

/** Expects each row to be there as it was, and each occurrence to have one at most. */
function expectKept(before: State, after: State, steps: Step[]): void {
  const rows = new Map(after.rows.map((row) => [row.id, row]))
  for (const row of before.rows) {
    const { account_id, to_account_id, type, amount, transaction_date } = row
    const found = rows.get(row.id)
    if (found) expect(found).toMatchObject({ account_id, to_account_id, type, amount, transaction_date })
    else
      expect(
        steps.some(({ removes }) => removes?.(row)),
        JSON.stringify(row),
      ).toBe(true)
  }
  const rules = after.rules.flat()
  const first = (id: number): number => {
    const earlier = rules.find(({ successor_id }) => successor_id === id)
    return earlier ? first(earlier.id) : id
  }
  const occurrences = after.rows.flatMap(({ recurring_id, occurrence_date }) =>
    recurring_id === null ? [] : [`${first(recurring_id)} ${occurrence_date}`],
  )
  expect(occurrences.filter((one, nth) => occurrences.indexOf(one) !== nth)).toEqual([])
}

/** Expects the occurrence of a deleted row to be skipped, unless its rule is gone. */
function expectSkipped({ rules }: State, { recurring_id, occurrence_date }: Row): void {
  const rule = rules.flat().find(({ id }) => id === recurring_id)
  if (rule) expect(rule.exceptions[occurrence_date ?? '']).toMatchObject({ skip: true })
}

/** Expects the occurrences of undone imports to be open again, not skipped. */
function expectOpened(before: State, after: State): void {
  const has = new Set(after.rows.map(({ id }) => id))
  for (const { id, recurring_id, occurrence_date } of before.rows) {
    if (recurring_id === null || has.has(id)) continue
    count('opened by undo')
    const ruleIn = ({ rules }: State) => rules.flat().find((rule) => rule.id === recurring_id)
    expect(ruleIn(after)?.exceptions).toEqual(ruleIn(before)?.exceptions)
    expect(after.rows.filter((row) => keyOf(row) === keyOf({ recurring_id, occurrence_date }))).toEqual([])
  }
}

/** Expects jobs to have recorded all that they must, and nothing that they may not. */
function expectRecorded({ must, may }: Record<'must' | 'may', Partial<Row>[]>, added: Row[]): void {
  const shown = ({ id: _, user_id: __, import_id: ___, ...row }: Partial<Row>) =>
    JSON.stringify(Object.entries(row).sort())
  const recorded = added.map(shown)
  expect(recorded).toEqual(expect.arrayContaining(must.map(shown)))
  expect(may.map(shown)).toEqual(expect.arrayContaining(recorded))
}

async function liveIn(place: Place, turns: number): Promise<void> {
  const log: Log = { turns: [], latest: start, held: new Map() }
  for (const home of place.homes) for (let nth = 0; nth < 3; nth++) await creates(place, home).does()
  try {
    let state = await stateOf(place)
    for (let nth = 0; nth < turns; nth++) state = await takeTurn(place, state, log)
    expect(await findDifferences(openWorldDatabase(place.world))).toEqual([])
  } catch (error) {
    const told = error instanceof Error ? error.message : String(error)
    throw new Error(`${told}\n\nThe last turns:\n${log.turns.slice(-20).join('\n')}`, { cause: error })
  }
}

test(
  'whatever people, killed jobs and clocks do, each occurrence is recorded once, and none of the last 62 days is lost',
  async () => {
    for (let done = 0; done < total; done += turnsInPlace) {
      vi.setSystemTime(start)
      await liveIn(await createPlace(firstSeed + done), Math.min(turnsInPlace, total - done))
    }
    console.info(`Seed ${firstSeed}: ${total} turns`, counts)
    for (const what of ['killed jobs', 'linked by imports']) expect(counts[what], what).toBeGreaterThan(0)
  },
  total * 3_000 + 60_000,
)
