import { addDays, type CalendarDate } from '../dates.ts'
import { payeeStems, shareWords } from '../words.ts'
import { maxChange } from './links.ts'

/** How money moves: the accounts by their ids or keys, the amount in minor units. */
type Movement<Account> = {
  account: Account
  toAccount: Account | null
  type: string
  amount: number
  day: CalendarDate
}

/** A transaction of no rule. */
export type Unlinked<Account> = Movement<Account> & { words: string }

/** The newest transactions of a rule, so many, say what the bank calls its payee. */
export const maxPayeeTexts = 20

/** An open occurrence: how many days from its own a transaction may be it, and the texts that name its payee. */
export type OpenOccurrence<Account> = Movement<Account> & {
  within: number
  payeeTexts: () => readonly string[]
}

/**
 * Finds, for open occurrences, transactions that may be them, each once: of the same accounts, type and amount or, if they
 * name the payee, of nearly that amount; the same amount first, then the nearest, then in the order of the lists.
 */
export function possibleTransactions<
  Account,
  Open extends OpenOccurrence<Account>,
  Row extends Unlinked<Account>,
>(open: readonly Open[], rows: readonly Row[]): Map<Open, Row> {
  const placeOf = ({ account, toAccount, type }: Movement<Account>) => `${type} ${account} ${toAccount}`
  const byPlace = Map.groupBy(rows, placeOf)
  const byDay = new Map([...byPlace].map(([place, some]) => [place, Map.groupBy(some, ({ day }) => day)]))
  const candidates = open.flatMap((one) => {
    const near = byDay.get(placeOf(one))
    if (!near) return []
    return daysAway(one.within).flatMap((away) =>
      (near.get(addDays(one.day, away)) ?? [])
        .filter((row) => isLike(one, row))
        .map((row) => ({ one, row, away, isChanged: row.amount !== one.amount })),
    )
  })
  const found = new Map<Open, Row>()
  const taken = new Set<Row>()
  const inOrder = candidates.sort(
    (a, b) => Number(a.isChanged) - Number(b.isChanged) || Math.abs(a.away) - Math.abs(b.away),
  )
  for (const { one, row } of inOrder) {
    if (found.has(one) || taken.has(row)) continue
    found.set(one, row)
    taken.add(row)
  }
  return found
}

const daysAway = (within: number) => Array.from({ length: 2 * within + 1 }, (_, nth) => nth - within)

function isLike<Account>({ amount, payeeTexts }: OpenOccurrence<Account>, row: Unlinked<Account>): boolean {
  if (row.amount === amount) return true
  return Math.abs(row.amount - amount) * 100 <= amount * maxChange && namesPayee(row.words, payeeTexts())
}

/** True if a text has a word that names the payee in one of the others. */
export const namesPayee = (words: string, payeeTexts: readonly string[]): boolean =>
  shareWords(payeeStems(words), new Set(payeeTexts.flatMap((text) => [...payeeStems(text)])))
