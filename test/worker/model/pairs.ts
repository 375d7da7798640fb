import { addDays, type CalendarDate, dayMs } from '../../../src/shared/dates.ts'
import type { File } from './files.ts'
import type { MatchKind, Row, State } from './state.ts'

/** The rules for which rows may be one event, as in docs/contract.md. */

/** True for two rows that can be joined. A transfer can be joined with a row that is like either of its legs. */
export function isPair(kind: MatchKind, one: Row, other: Row): boolean {
  if (one.id === other.id || one.amount !== other.amount) return false
  const areOneAccount = one.account_id === other.account_id && one.to_account_id === other.to_account_id
  const types = [one.type, other.type].sort().join()
  if (kind === 'transfer') return types === 'expense,income' && !areOneAccount
  const isLeg = (row: Row, of: Row) =>
    of.type === 'transfer' &&
    (row.type === 'expense' ? of.account_id : row.type === 'income' ? of.to_account_id : 0) === row.account_id
  return (areOneAccount && one.type === other.type) || isLeg(one, other) || isLeg(other, one)
}

/** A row as it is compared, a transfer as two of them. */
type Leg = Pick<Row, 'id' | 'account_id' | 'amount' | 'import_id'> & {
  type: 'income' | 'expense'
  day: number
  /** The account of the other leg of a transfer. */
  counterpart: number | null
  /** True if its duplicate is known. */
  isDouble: boolean
}
/** Two legs that may be one event: certainly, or depending on more than is looked at here. */
type Candidate = { kind: MatchKind; first: Leg; second: Leg; isProper: boolean; isCertain: boolean }
type Shown = { kind: MatchKind; ids: [number, number]; certainty: 'sure' | 'likely' }

function legsOf(state: State, row: Row): Leg[] {
  const { id, account_id, to_account_id, amount, type, transaction_date } = row
  const joined = state.of(state.joined, row.user_id).filter(({ survivor }) => survivor === id)
  const own = [
    ...(row.filed?.kind ? [{ ...row.filed, kind: row.filed.kind }] : []),
    ...joined.map(({ kind, row: { filed, ...gone } }) => ({
      ...gone,
      kind,
      booked_by: (filed ?? gone).booked_by,
      import_id: (filed ?? gone).import_id,
    })),
  ]
  const leg = (account_id: number, type: Leg['type'], counterpart: number | null): Leg => {
    const same = own.filter(
      (one) => one.type === 'transfer' || (one.account_id === account_id && one.type === type),
    )
    const came = same.find(({ kind }) => kind === 'transfer')?.import_id ?? row.import_id
    const isDouble =
      row.booked_by !== null || same.some((one) => one.kind === 'duplicate' || one.booked_by !== null)
    const day = Date.parse(transaction_date) / dayMs
    return {
      id,
      account_id,
      type,
      amount,
      import_id: came,
      day,
      counterpart,
      isDouble,
    }
  }
  if (type !== 'transfer') return [leg(account_id, type, null)]
  return [leg(account_id, 'expense', to_account_id), leg(to_account_id ?? 0, 'income', account_id)]
}

function candidatesOf(state: State, legs: Leg[]): Candidate[] {
  const isRejected = (kind: MatchKind, one: Leg, other: Leg) =>
    state.rejected.has(`${kind} ${Math.min(one.id, other.id)} ${Math.max(one.id, other.id)}`)
  return legs.flatMap((first) =>
    legs.flatMap((second) => {
      const days = second.day - first.day
      if (first === second || first.amount !== second.amount || days < -4 || days > 6) return []
      const areOneAccount = first.account_id === second.account_id
      const [one, other] = [first.import_id, second.import_id]
      const counterparts = [first.counterpart, second.counterpart]
      const isDuplicate =
        areOneAccount &&
        first.type === second.type &&
        other !== null &&
        (one === null || one < other) &&
        (counterparts.includes(null) || first.counterpart === second.counterpart)
      const isTransfer = !areOneAccount && first.type === 'expense' && second.type === 'income' && days <= 5
      const kind = isDuplicate ? 'duplicate' : isTransfer ? 'transfer' : undefined
      if (!kind || isRejected(kind, first, second)) return []
      // Whether two files cover both days is not looked at here.
      const isPlain = isDuplicate ? one === null : counterparts.every((one) => one === null)
      const isProper = days >= (isDuplicate ? -1 : -3)
      return [{ kind, first, second, isProper, isCertain: isProper && isPlain }]
    }),
  )
}

const isFree = ({ kind, first, second }: Candidate) =>
  [first, second].every((leg) => (kind === 'duplicate' ? !leg.isDouble : leg.counterpart === null))

/** The candidates among the rows of some days. */
function candidatesWithin(state: State, userId: number, from: string, to: string): Candidate[] {
  const rows = state.of(state.rows, userId).filter(({ transaction_date: day }) => day >= from && day <= to)
  return candidatesOf(
    state,
    rows.flatMap((row) => legsOf(state, row)),
  )
}

/** Other candidates of the same kind for either of the rows. */
function othersOf(one: Candidate, candidates: Candidate[]): Candidate[] {
  const legs = [one.first, one.second]
  return candidates.filter(
    (other) =>
      other !== one && other.kind === one.kind && (legs.includes(other.first) || legs.includes(other.second)),
  )
}

const maybeSure = (one: Candidate, candidates: Candidate[]) =>
  one.isProper && isFree(one) && !othersOf(one, candidates).some(({ isCertain }) => isCertain)
/** True if it must be a match, whatever is not looked at here. */
const isPlain = (one: Candidate, candidates: Candidate[]) =>
  one.isCertain && isFree(one) && othersOf(one, candidates).length === 0

/** True if, in addition, neither of its rows can be in another match, by either leg. */
const isAlone = (one: Candidate, candidates: Candidate[]) =>
  isPlain(one, candidates) &&
  candidates.every(
    (other) =>
      other === one ||
      ![one.first.id, one.second.id].some((id) => [other.first.id, other.second.id].includes(id)),
  )

/** What is wrong with a list of matches among the rows of some days. */
export function problemsOf(
  state: State,
  userId: number,
  shown: Shown[],
  { kind: asked, from, to }: { kind: MatchKind | null; from: string; to: string },
): string[] {
  const candidates = candidatesWithin(state, userId, shifted(from, -12), shifted(to, 12))
  const isListed = ({ ids }: { ids: number[] }) =>
    ids.some((id) => {
      const day = state.rows.get(id)?.transaction_date ?? ''
      return from <= day && day <= to
    })
  const matched = shown.flatMap(({ ids }) => ids)
  const problems = shown.flatMap(({ kind, ids, certainty }) => {
    const found = candidates.filter(
      (one) => one.kind === kind && one.first.id === ids[0] && one.second.id === ids[1],
    )
    const isRight = found.some((one) =>
      certainty === 'sure'
        ? maybeSure(one, candidates)
        : one.isProper && isFree(one) && (kind === 'transfer' || !isPlain(one, candidates)),
    )
    return isRight && isListed({ ids }) && (asked === null || asked === kind)
      ? []
      : [`${kind} ${ids} is not ${certainty}`]
  })
  if (new Set(matched).size < matched.length) problems.push('a row is in two matches')
  for (const one of candidates) {
    const ids = [one.first.id, one.second.id]
    if ((asked && asked !== one.kind) || !isListed({ ids }) || !isPlain(one, candidates)) continue
    // The second of a row's two matches waits for the first, which may not be listed, and a transfer for the duplicates
    // of its legs.
    const isWaiting = candidates.some(
      ({ kind, first, second }) =>
        (ids.includes(first.id) || ids.includes(second.id)) &&
        ((one.kind === 'transfer' && kind === 'duplicate') || !isListed({ ids: [first.id, second.id] })),
    )
    if (!isWaiting && !ids.some((id) => matched.includes(id))) problems.push(`${one.kind} ${ids} is missing`)
  }
  return problems
}

type Imported = { id: number; file: File; counts: { possible: number } }

/** What is wrong with what an import said about matches. */
export function problemsOfImport(
  state: State,
  userId: number,
  { id, file: { rows, match }, counts: { possible } }: Imported,
): string[] {
  if (match === 'off') return possible > 0 ? [`${possible} matches are found`] : []
  const days = rows.map(({ transaction_date }) => transaction_date).sort()
  const candidates = candidatesWithin(state, userId, shifted(days.at(0), -12), shifted(days.at(-1), 12))
  const own = candidates.filter(
    ({ first, second }) =>
      state.rows.get(first.id)?.import_id === id || state.rows.get(second.id)?.import_id === id,
  )
  const plain = own.filter((one) => isAlone(one, candidates))
  const most = own.filter((one) => one.isProper && isFree(one)).length
  const problems = possible > most ? [`${possible} matches are found among ${most}`] : []
  if (plain.length > 0 && possible === 0) problems.push(`${plain.length} matches are not found`)
  return problems
}

const shifted = (day = '', days: number) => addDays(day as CalendarDate, days)
