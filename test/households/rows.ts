import type { CalendarDate } from '../../src/domain/dates.ts'
import type { MatchKind, MatchRow } from '../../src/domain/match-row.ts'
import type { Household } from './household.ts'
import type { Place } from './life.ts'

/** A row as the service has it, the event that it records, and the day on which it arrives. */
export type Row = MatchRow & { event: number; arrives: CalendarDate; settled: MatchKind[] }

export const accountIds = { giro: 1, second: 2, cash: 3 }

/** All rows of a household: typed ones on their days, and those of files when the files arrive, overlapping ones once. */
export function rowsOf({ typed, files }: Household): Row[] {
  let id = 0
  const typedRows = typed.flatMap(({ event, account, to, type, amount, date, words }): Row[] => {
    id += 1
    const row = { id, amount, date, words, importId: null, event, arrives: date }
    const leg = (type: MatchRow['type'], place: Place): Row => ({
      ...{ ...row, type, accountId: accountIds[place] },
      settled: to === null ? [] : ['transfer'],
    })
    if (type === 'transfer' && to !== null) return [leg('expense', account), leg('income', to)]
    return type === 'transfer' ? [] : [leg(type, account)]
  })
  const known = new Set<string>()
  const fileRows = files.flatMap(({ bank, bookings, downloaded: arrives }, index): Row[] => {
    const fresh = bookings.filter(({ reference }) => !known.has(reference))
    for (const { reference } of fresh) known.add(reference)
    return fresh.map(({ event, date, amount, description, reference }) => {
      id += 1
      const type = amount < 0 ? 'expense' : 'income'
      const row = { id, accountId: accountIds[bank], type, amount: Math.abs(amount), date } as const
      return {
        ...row,
        words: `${description} ${reference}`,
        importId: index + 1,
        event,
        arrives,
        settled: [],
      }
    })
  })
  return [...typedRows, ...fileRows]
}

/** What a match of a kind is about: an event on an account, or an event. */
export function subjectOf(kind: MatchKind, { event, accountId }: Row): string {
  return kind === 'duplicate' ? `${event} on ${accountId}` : `${event}`
}

/** Everything there is to find: events both typed and booked on an account, and events with a row for each leg. */
export function truthOf(kind: MatchKind, rows: Row[]): Set<string> {
  const groups = Map.groupBy(rows, (row) => subjectOf(kind, row))
  const isTwice = kind === 'duplicate' ? isTypedAndBooked : hasBothLegs
  return new Set([...groups].filter(([, group]) => isTwice(group)).map(([subject]) => subject))
}

function isTypedAndBooked(rows: Row[]): boolean {
  return new Set(rows.map(({ importId }) => importId === null)).size === 2
}

/** A transfer that was typed as one need not be found, and one whose amounts differ by a fee is left to its owner. */
function hasBothLegs(rows: Row[]): boolean {
  const [outflows, inflows] = ['expense', 'income'].map((type) => rows.filter((row) => row.type === type))
  const isWhole = rows.some(({ settled }) => settled.length > 0)
  return !isWhole && outflows?.some((out) => inflows?.some((into) => into.amount === out.amount)) === true
}
