import type { CalendarDate } from '../../../src/domain/dates.ts'
import type { Minor } from '../../../src/domain/money.ts'
import type { SignConvention } from '../../shared/options.ts'
import type { Balance } from '../../shared/statement.ts'

/** The amount of a row, and its balance if the file has one. A date that cannot be read is null. */
type Balanced = { date: CalendarDate | null; amount: Minor; balance: Minor | null }

/** A row whose fee may have been charged besides its amount. */
type Charged = Balanced & { fee: Minor | null }

/** True if the amount, whatever its sign, with or without its fee, leads from one balance to the next. */
export function follows(from: Stated | undefined, { amount, fee, balance }: Stated): boolean {
  if (typeof from?.balance !== 'number' || balance === null || amount === null) return false
  const step = Math.abs(balance - from.balance)
  return [0, fee ?? 0, -(fee ?? 0)].some((part) => step === Math.abs(amount + part))
}

type Stated = { amount: number | null; fee: number | null; balance: number | null }

/** How many steps from one balance to the next equal the amount between them, its opposite, or neither. */
type Steps = { same: number; opposite: number; other: number }

/** One way to read balances: the rows from the oldest, and whether a balance is that after its amount or before it. */
type Reading<T> = { rows: T[]; isBefore: boolean; steps: Steps }

/** Which way amounts go according to the running balances; null if these do not follow one way only. */
export function signsByBalances(rows: Balanced[]): SignConvention | null {
  const verdicts = bestReadings(rows).map(({ isBefore, steps: { same, opposite, other } }) => {
    const explained = same + opposite
    if (explained === 0 || (same > 0 && opposite > 0) || other * 3 > explained) return null
    // Balances also look like this if the rows are in the wrong order.
    if (isBefore && same === 0) return null
    return same > 0 ? 'as_written' : 'inverted'
  })
  return verdicts.every((verdict) => verdict === verdicts[0]) ? (verdicts[0] ?? null) : null
}

/** True if balances contradict the amounts as they are: some steps equal them, others their opposite. */
export function areMixed(rows: Balanced[]): boolean {
  return bestReadings(rows).every(
    ({ steps: { same, opposite, other } }) => same > 0 && opposite > 0 && other <= (same + opposite) / 2,
  )
}

/**
 * The balance after the latest row, if most balances follow from amounts of known directions: negative if it is what is owed,
 * which spending raises. Null if they do not follow, or if both orders hold and contradict each other.
 */
export function closingBalance(rows: Balanced[]): Balance | null {
  const found = bestReadings(rows).flatMap(({ rows: ordered, isBefore, steps }) => {
    const last = ordered.findLastIndex(({ balance }) => balance !== null)
    const explained = steps.same + steps.opposite
    // Where a row may be missing, the balance shows it.
    if (last < 0 || steps.other * 2 > explained || (steps.same > 0 && steps.opposite > 0)) return []
    const later = ordered.slice(isBefore ? last : last + 1).reduce((sum, { amount }) => sum + amount, 0)
    const date = ordered.at(-1)?.date ?? null
    const balance = (ordered[last]?.balance ?? 0) * (steps.opposite > 0 ? -1 : 1)
    const isProved = explained > 0 || balance <= 0
    return date === null ? [] : [{ date, amount: (balance + later) as Minor, isProved }]
  })
  return found.every(({ amount }) => amount === found[0]?.amount) ? (found[0] ?? null) : null
}

/** Rows without a balance that the others follow without, and rows whose balance is more or less than the rows lead to. */
type Gaps<T> = { passed: T[]; gaps: { entry: T; missing: number }[] }

/**
 * What balances that follow in most rows do not explain. Rows after the last balance are passed over too, unless some before it
 * have none either.
 */
export function gapsIn<T extends Balanced>(rows: T[]): Gaps<T> {
  const [reading, ...others] = bestReadings(rows)
  const { same = 0, opposite = 0, other = 0 } = reading?.steps ?? {}
  const explained = same + opposite
  const isClear = explained > minSteps && (same === 0 || opposite === 0) && other * 2 <= explained
  if (!reading || !isClear || reading.isBefore || others.some(({ steps }) => steps.other < other))
    return { passed: [], gaps: [] }
  const sign = same > 0 ? 1 : -1
  const found: Gaps<T> = { passed: [], gaps: [] }
  let last: number | null = null
  let blank: T[] = []
  let counted = 0
  for (const row of reading.rows) {
    if (row.balance === null) blank.push(row)
    else {
      const change = (row.balance - (last ?? 0)) * sign
      const moved = [...blank, row].reduce((sum, { amount }) => sum + amount, 0)
      if (last === null || change === moved) counted += last === null ? 0 : blank.length
      else if (change === row.amount) found.passed.push(...blank)
      else found.gaps.push({ entry: row, missing: (change - moved) * sign })
      last = row.balance
      blank = []
    }
  }
  if (counted === 0) found.passed.push(...blank)
  return found
}

/** Fewer balances may follow by chance. */
const minSteps = 1

/** The balance after the last row of each day, and the first row of all, where the dates show which rows these are. */
export function balancesOfDays<T extends Balanced>(
  rows: T[],
): { first: T | null; days: Map<CalendarDate, Minor> } {
  const isUp = isReversed(rows)
  const ordered = isUp === null ? [] : isUp ? rows.toReversed() : rows
  const days = ordered.flatMap(({ date, balance }) =>
    date !== null && balance !== null ? [[date, balance] as const] : [],
  )
  return { first: ordered[0] ?? null, days: new Map(days) }
}

/**
 * For amounts without signs, the direction of each that the balances show: 1 or -1, or null where they show nothing. The
 * oldest follows from one of the `openings`, or from an account that began with nothing.
 */
export function directionsByBalances(rows: Charged[], openings: number[]): (1 | -1 | null)[] {
  const [first = [], second = first] = [...orders(rows)].map((ordered) => {
    const found = directionsFrom(ordered, openings)
    return ordered === rows ? found : found.toReversed()
  })
  return first.map((direction, i) => (direction === second[i] ? direction : null))
}

function directionsFrom(rows: Charged[], openings: number[]): (1 | -1 | null)[] {
  const found = rows.map(({ amount, balance, fee }, i): 1 | -1 | null | undefined => {
    if (balance === null) return null
    const before = i === 0 ? [...openings, 0] : [rows[i - 1]?.balance ?? null]
    const [shown] = before.flatMap((from) =>
      from === null ? [] : (directionOf(balance - from, amount, fee) ?? []),
    )
    if (shown) return shown
    return i === 0 || rows[i - 1]?.balance === null ? null : undefined
  })
  // One step that the amount does not explain leaves them all in doubt.
  return found.map((direction) => (found.includes(undefined) ? null : (direction ?? null)))
}

/** The direction of an amount that changes the balance so, perhaps together with a fee. */
function directionOf(change: number, amount: Minor, fee: Minor | null): 1 | -1 | null {
  const changes = [change, change + (fee ?? 0)]
  if (changes.includes(amount)) return 1
  return changes.includes(-amount) ? -1 : null
}

/** The readings that explain most steps. Where the dates do not show the order, a balance is that after its amount. */
function bestReadings<T extends Balanced>(rows: T[]): Reading<T>[] {
  const isUp = isReversed(rows)
  const all = [...orders(rows), ...(isUp ? [daysReversed(rows)] : [])].map(withDayBalances)
  const readings = all.flatMap((ordered) => {
    const after = { rows: ordered, isBefore: false, steps: stepsOf(ordered, false) }
    if (isUp === null) return [after]
    const before = { rows: ordered, isBefore: true, steps: stepsOf(ordered, true) }
    return explainedBy(before) > explainedBy(after) ? [before] : [after]
  })
  const most = Math.max(...readings.map(explainedBy))
  return readings.filter((reading) => explainedBy(reading) === most)
}

/** Some banks repeat the balance of a day in each of its rows: it is that after the last of them. */
function withDayBalances<T extends Balanced>(rows: T[]): T[] {
  return rows.map((row, i) => {
    const next = rows[i + 1]
    return next && next.date === row.date && next.balance === row.balance ? { ...row, balance: null } : row
  })
}

const explainedBy = ({ steps: { same, opposite } }: Reading<unknown>) => same + opposite

/** The rows from the oldest, or both ways if the dates do not show which end that is. */
function* orders<T extends Balanced>(rows: T[]): Generator<T[]> {
  const isUp = isReversed(rows)
  if (!isUp) yield rows
  if (isUp ?? true) yield rows.toReversed()
}

/** Rows from the oldest, where only the days run upwards in the file. */
const daysReversed = <T extends Balanced>(rows: T[]) =>
  [...Map.groupBy(rows, ({ date }) => date).values()].toReversed().flat()

/** True if the file begins with its latest row; null if the dates do not show it. */
function isReversed(rows: Balanced[]): boolean | null {
  const [first, last] = [rows[0]?.date, rows.at(-1)?.date]
  return first && last && first !== last ? first > last : null
}

function stepsOf(rows: Balanced[], isBefore: boolean): Steps {
  const steps = { same: 0, opposite: 0, other: 0 }
  let last: number | null = null
  let moved = 0
  for (const { amount, balance } of rows) {
    if (!isBefore) moved += amount
    if (balance !== null) {
      const change = balance - (last ?? 0)
      if (last !== null && (moved !== 0 || change !== 0))
        steps[change === moved ? 'same' : change === -moved ? 'opposite' : 'other'] += 1
      last = balance
      moved = 0
    }
    if (isBefore) moved += amount
  }
  return steps
}
