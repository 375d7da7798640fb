import { cleanText } from '../text.ts'
import { type CsvRow, cellOf } from './rows.ts'
import type { CsvTable } from './table.ts'
import type { ReadRow } from './values.ts'

/** More products than anybody has with one bank: the column holds something else. */
const maxProducts = 10

/** Headers that surely mean the holder's own account. Under others (Kontonummer), some banks give the other party's. */
const certain =
  /^(?:account(?: name| number| no| id| iban)?|own account|konto|compte|cuenta|conto|conta|rachunek|eigenes konto|posted account|customer account no|kliendi konto|klienta konts|(?:iban )?auftragskonto|iban auftraggeberkonto|iban kontoinhaber|iban bban|rekening|rekeningnummer|accountnum)$/

/** The account that a row names, whether or not it is the holder's. */
export function accountCell(table: CsvTable, row: CsvRow): string | null {
  return cleanText(cellOf(table, row, 'account').replace(/^'|'$/g, ''))
}

/**
 * For each row, what tells the holder's accounts in a file apart: the account, if the file has several, or else the title
 * of its table; and the product, if it has several. Null if there is only one of each.
 */
export function ownAccounts(table: CsvTable, values: ReadRow[], isMapped: boolean): (string | null)[] {
  const rows = values.map(({ row }) => row)
  const accounts = rows.map((row) => accountCell(table, row))
  const products = rows.map((row) => cleanText(cellOf(table, row, 'product')))
  const areAccounts = countOf(accounts) > 1 && (isMapped || areOwn(table, rows, accounts))
  const areProducts = countOf(products) > 1 && countOf(products) <= maxProducts
  const areSections = !areAccounts && countOf(rows.map(({ section }) => section)) > 1 && !runOn(values)
  return rows.map((_, i) => {
    const account = areSections ? rows[i]?.section : areAccounts || areProducts ? accounts[i] : null
    const parts = [account, areProducts ? products[i] : null].filter(Boolean)
    return parts.length > 0 ? parts.join('/') : null
  })
}

/** True if the balance runs on from each table to the next, whether from the top down or from the bottom up. */
function runOn(values: ReadRow[]): boolean {
  const pairs = values.map((value, i) => [values[i - 1] ?? value, value] as const)
  const breaks = pairs.filter(([above, below]) => above.row.section !== below.row.section)
  // A balance of nothing may be where any account begins.
  const follows = ({ balance: from }: ReadRow, { balance: to, amount }: ReadRow) =>
    from && amount && to !== null && Math.abs(to - from) === Math.abs(amount)
  return (
    breaks.every(([above, below]) => follows(above, below)) ||
    breaks.every(([above, below]) => follows(below, above))
  )
}

/** Under an uncertain header, an account that always comes with the same name is that of the other party. */
function areOwn(table: CsvTable, rows: CsvRow[], accounts: (string | null)[]): boolean {
  if (certain.test(table.headers[table.columns.account?.[0] ?? -1]?.name ?? '')) return true
  if (!table.columns.payee) return true
  const names = new Map<string | null, string>()
  return rows.some((row, i) => {
    const account = accounts[i] ?? null
    const name = cellOf(table, row, 'payee')
    const known = names.get(account)
    names.set(account, name)
    return account !== null && known !== undefined && known !== name
  })
}

function countOf(names: (string | null)[]): number {
  return new Set(names.filter((name) => name !== null)).size
}
