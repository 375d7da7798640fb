import { type PayeeWord, payeeWords } from './words.ts'

/** How many of the user's newest rows are learned from. */
export const rowsLearnedFrom = 2_000
/** How many of the newest rows of a payee are compared. */
const maxCompared = 5
const maxDiffering = 1
const minAgreeing = 3

type Flow = 'income' | 'expense' | 'transfer'

/** A row that the user has filed under a category. Ids are numbers, or the keys of rows on a device. */
export type FiledRow<Id = number> = {
  accountId: Id
  type: Flow
  description: string | null
  category: { id: Id; name: string }
}

/** A row to be filed. Without an account, those of all accounts count. */
export type UnfiledRow<Id = number> = { type: Flow; description: string | null; accountId?: Id | null }

/** A category, and why it is suggested. */
export type SuggestedCategory<Id = number> = { id: Id; name: string; because: string }

/**
 * Learns from rows, the newest first, how the user files payees, and returns a function that suggests a category: that of
 * the last three rows of the payee, or of four of the last five; null if they do not agree. Rows with all words of the
 * payee count before those with its first words alone, and those of the account where payees differ by account.
 */
export function learnCategories<Id = number>(
  rows: FiledRow<Id>[],
): (row: UnfiledRow<Id>) => SuggestedCategory<Id> | null {
  const byPayee = new Map<string, FiledRow<Id>[]>()
  for (const row of rows)
    for (const key of keysOf(row))
      byPayee.set(key, [...(byPayee.get(key) ?? []), row].slice(0, rowsLearnedFrom))
  return (row) => {
    for (const key of keysOf(row)) {
      const filed = byPayee.get(key) ?? []
      const ofAccount = filed.filter(({ accountId }) => accountId === row.accountId)
      const found = agreed(filed) ?? agreed(ofAccount)
      if (found) return { ...found.category, because: reason(row, found) }
      // If rows with the same words disagree, rows with only the first words in common prove nothing.
      if (filed.length >= minAgreeing) return null
    }
    return null
  }
}

/** The words that name the payee: all of them, and the first alone. A transfer has no category. */
function keysOf({ type, description }: Pick<UnfiledRow, 'type' | 'description'>): string[] {
  const words = payeeWords(description ?? '')
  if (words.length === 0 || type === 'transfer') return []
  const folded = (some: PayeeWord[]) => some.map(({ folded }) => folded)
  const all = `${type} ${folded(words).sort().join(' ')}`
  const first = firstWords(words)
  return first.at(-1)?.isShared ? [all] : [all, `${type} ${folded(first).join(' ')} …`]
}

/** The first word, with those before it that many payees share; all of them if there is no other. */
function firstWords(words: PayeeWord[]): PayeeWord[] {
  const first = words.findIndex(({ isShared }) => !isShared)
  return first < 0 ? words : words.slice(0, first + 1)
}

type Agreed<Id> = { category: FiledRow<Id>['category']; times: number; of: number }

function agreed<Id>(rows: FiledRow<Id>[]): Agreed<Id> | null {
  const newest = rows.slice(0, maxCompared)
  const category = newest[0]?.category
  if (!category) return null
  const last = newest.slice(0, minAgreeing)
  const times = newest.filter((row) => row.category.id === category.id).length
  if (last.length === minAgreeing && last.every((row) => row.category.id === category.id))
    return { category, times, of: newest.length }
  const isEnough = newest.length === maxCompared && times >= maxCompared - maxDiffering
  return isEnough ? { category, times, of: newest.length } : null
}

function reason<Id>({ description }: UnfiledRow<Id>, { category, times, of }: Agreed<Id>): string {
  const payee = firstWords(payeeWords(description ?? ''))
    .map(({ written }) => written)
    .join(' ')
  return `${times} of the last ${of} from "${payee.toLowerCase()}" are in ${category.name}`
}
