import { describe, expect, test } from 'vitest'
import { matchKinds } from '../../src/domain/types.ts'
import { readStatement } from '../../statements/index.ts'
import { billedHousehold } from '../households/bills.ts'
import { measureFiling } from '../households/filing.ts'
import { householdOf } from '../households/household.ts'
import { type Measured, measureAsFilesCome, measureAtOnce, sumOf, type Tally } from '../households/measure.ts'
import { type Hits, measureLinks, measureRecorded, measureSuggestions } from '../households/occurrences.ts'

const count = Number(process.env.MATCHING_HOUSEHOLDS ?? 20)
const months = 12
const today = '2027-12-31'
const busyMonths = 3
const quiet = Array.from({ length: count }, (_, index) => householdOf(index + 1, months))
/** Ten rows a day. */
const busy = quiet.map((_, index) => householdOf(index + 1, busyMonths, 5))

const percent = (some: number, all: number) => (100 * some) / all
const shown = (some: number, all: number) => `${some} of ${all} (${percent(some, all).toFixed(2)} %)`

/** Precision of both certainties and together, and recall, of each kind. */
function report(name: string, measured: Measured): void {
  for (const kind of matchKinds) {
    const { sure, likely, toFind, solved } = measured[kind]
    const precision = ({ found, right, equal }: Tally) =>
      `${shown(right, found)}, equal rows swapped in ${equal} more`
    const together = {
      found: sure.found + likely.found,
      right: sure.right + likely.right,
      equal: sure.equal + likely.equal,
    }
    console.info(`${kind}s, ${name}
  sure      ${precision(sure)}; of all there were, ${percent(sure.right, toFind).toFixed(1)} %
  likely    ${precision(likely)}
  together  ${precision(together)}
  recall    ${shown(solved, toFind)}`)
  }
}

describe.each([
  ['as files come', quiet, measureAsFilesCome],
  ['all files at once', quiet, measureAtOnce],
  ['as files come, with ten rows a day', busy, measureAsFilesCome],
])('%s', (name, households, measure) => {
  const measured = sumOf(households.map(measure))
  report(name, measured)

  test.each(matchKinds)('at least 99.8 in 100 that are sure are right: %ss', (kind) => {
    const { found, right } = measured[kind].sure
    expect(found).toBeGreaterThan(count)
    // A single one of fewer than five hundred proves nothing.
    expect(found - right).toBeLessThanOrEqual(Math.max(1, found * 0.002))
  })

  test.each(matchKinds)('at least 94 in 100 are found: %ss', (kind) => {
    const { solved, toFind } = measured[kind]
    expect(toFind).toBeGreaterThan(5 * count)
    expect(percent(solved, toFind)).toBeGreaterThanOrEqual(94)
  })
})

const billed = quiet.map((_, index) => billedHousehold(index + 1))
const hitsOf = (measure: (household: (typeof billed)[number]) => Hits) => {
  const all = billed.map(measure)
  const total = (name: keyof Hits) => all.reduce((sum, one) => sum + one[name], 0)
  const [found, right, toFind, solved] = [total('found'), total('right'), total('toFind'), total('solved')]
  return { found, right, toFind, solved, precision: percent(right, found), recall: percent(solved, toFind) }
}

test('at least 99.5 in 100 links to occurrences are right, and 95 in 100 are found', () => {
  const { found, right, toFind, solved, precision, recall } = hitsOf((one) => measureLinks(one).links)
  const likely = hitsOf((one) => measureLinks(one).possible)
  console.info(`links to occurrences
  right     ${shown(right, found)}
  recall    ${shown(solved, toFind)}
occurrences that rows may be, which are not linked
  right     ${shown(likely.right, likely.found)}
  recall    ${shown(likely.solved, likely.toFind)}`)
  expect(toFind).toBeGreaterThan(100 * count)
  expect(precision).toBeGreaterThanOrEqual(99.5)
  expect(recall).toBeGreaterThanOrEqual(95)
})

test('at least 99.5 in 100 sure duplicates of recorded occurrences are right, and 95 in 100 are found', () => {
  const { found, right, toFind, solved, precision, recall } = hitsOf(measureRecorded)
  console.info(`duplicates of recorded occurrences
  right     ${shown(right, found)}
  recall    ${shown(solved, toFind)}`)
  expect(toFind).toBeGreaterThan(100 * count)
  expect(precision).toBeGreaterThanOrEqual(99.5)
  expect(recall).toBeGreaterThanOrEqual(95)
})

test('at least 98 in 100 suggested rules are right, and 85 in 100 are found', () => {
  const { found, right, toFind, solved, precision, recall } = hitsOf(measureSuggestions)
  console.info(`suggested rules
  right     ${shown(right, found)}
  recall    ${shown(solved, toFind)}`)
  expect(toFind).toBeGreaterThan(8 * count)
  expect(precision).toBeGreaterThanOrEqual(98)
  expect(recall).toBeGreaterThanOrEqual(85)
})

test.each([
  ['', quiet],
  [', with ten rows a day', busy],
])(
  'at least 98 in 100 suggested categories are right, and 90 in 100 are found of payees filed three times%s',
  (_, households) => {
    const all = households.map((household, index) => measureFiling(household, index + 1))
    const total = (count: keyof (typeof all)[number]) => all.reduce((sum, one) => sum + one[count], 0)
    const [suggested, right, known, found] = [
      total('suggested'),
      total('right'),
      total('known'),
      total('found'),
    ]
    console.info(`categories
  right     ${shown(right, suggested)}
  recall    ${shown(found, known)}`)
    expect(known).toBeGreaterThan(100 * count)
    expect(percent(right, suggested)).toBeGreaterThanOrEqual(98)
    expect(percent(found, known)).toBeGreaterThanOrEqual(90)
  },
)

test('the files of both banks are read as what was booked', () => {
  for (const { bookings, text } of quiet.slice(0, 3).flatMap(({ files }) => files)) {
    const { rows, balances } = readStatement(new TextEncoder().encode(text), { kind: 'bank', today })
    expect(
      rows.map(({ date, amount, description, reference }) => ({ date, amount, description, reference })),
    ).toEqual(
      bookings.map(({ date, amount, description, reference }) => ({ date, amount, description, reference })),
    )
    expect(balances.closing?.amount).toBeTypeOf('number')
  }
})
