import type { SuggestedCategory } from '../domain/category-learning.ts'
import type { Minor } from '../domain/money.ts'
import { maxPreviewed } from './contract.ts'
import type { FoundDuplicate } from './duplicates.ts'
import type { ImportFile, ImportRow } from './import-file.ts'

type PreviewedRow = Pick<
  ImportRow,
  'line' | 'transaction_date' | 'type' | 'amount' | 'description' | 'reference'
> & {
  account: string | null
  toAccount: string | null
  category: { id: number | null; name: string; because: string | null } | null
  duplicateOf: number | null
  possible: number | null
}

/** The first rows of a file as they would be stored, with its totals. */
export type Preview = {
  rows: PreviewedRow[]
  more: number
  totalIn: Minor
  totalOut: Minor
  balanceAfter: number | null
}

/** The findings of a dry run, by the position of rows. */
type Found = {
  duplicates: FoundDuplicate[]
  possible: Map<number, number>
  suggested: Map<number, SuggestedCategory>
}

type AccountAfter = { id: number; name: string; balance: number | null }

export function previewOf({ rows }: ImportFile, found: Found, accounts: AccountAfter[]): Preview {
  const names = new Map(accounts.map(({ id, name }) => [id, name]))
  const nameOf = (account: ImportRow['account']) =>
    typeof account === 'number' ? (names.get(account) ?? null) : account
  const duplicates = new Map(found.duplicates.map(({ position, id }) => [position, id]))
  const total = (isIn: boolean) =>
    rows.reduce((sum, { type, amount }) => ((type === 'income') === isIn ? sum + amount : sum), 0) as Minor
  return {
    rows: rows.slice(0, maxPreviewed).map((row, position) => ({
      ...row,
      account: nameOf(row.account),
      toAccount: nameOf(row.to_account),
      category: categoryOf(row, found.suggested.get(position)),
      duplicateOf: duplicates.get(position) ?? null,
      possible: found.possible.get(position) ?? null,
    })),
    more: Math.max(0, rows.length - maxPreviewed),
    totalIn: total(true),
    totalOut: total(false),
    balanceAfter: accounts.find(({ balance }) => balance !== null)?.balance ?? null,
  }
}

function categoryOf({ category }: ImportRow, suggested: SuggestedCategory | undefined) {
  if (suggested) return suggested
  return typeof category === 'string' ? { id: null, name: category, because: null } : null
}
