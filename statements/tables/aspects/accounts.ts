import { type Aspects, allRows } from '../../shared/aspect.ts'
import { currencyBeside, currencyCodes, isCurrencyName } from '../../shared/currencies.ts'
import { readWrittenDate } from '../../shared/date.ts'
import { cleanText, quoted } from '../../shared/text.ts'
import type { CsvField } from '../text/header-names.ts'
import { isKnown, isOfCards, maxColumns } from '../text/headers.ts'
import { amountText, type CsvRow, cellOf } from '../text/row.ts'
import type { CsvTable } from '../text/table.ts'
import { follows } from './balances.ts'
import type { Entry, RowValues } from './entry.ts'
import { currencyOfAmounts } from './foreign-amounts.ts'

/** The names that may tell accounts apart, one for each row. `isSure` if a known header says that they are the holder's. */
type Names = { names: (string | null)[]; what: string; isSure: boolean }

/** The most products and accounts of one person. A column with more holds something else. */
const [maxProducts, maxAccounts] = [10, 30]

const accountLike =
  /^'?(?:[A-Z]{2}\d{2}[A-Z0-9 ]{10,32}|[*xX•.\-\s\d]*[*xX•]{2,}[*xX•\-\s]*\d{2,6}|(?!\d+\.\d+'?$)\d[\d \-/.]{6,24}\d)'?$/

/** True for what looks like the number of an account or a card. */
export const isAccountNumber = (text: string) => accountLike.test(text)

/** The last digits of a card, behind what stands for the others. */
const cardLike = /^[-*xX•.\s]+\d{4,5}$/
/** Headers under which banks give the holder's account or that of the other party. */
const ambiguous =
  /^(?:kontonummer|konto nr|account number|account no|numero de compte|numero de cuenta|numer rachunku|cislo uctu|iban bban)$/

/**
 * Tells the holder's accounts and currencies in a file apart. Balances that run on across them prove one account; a column
 * that may name the other party's is asked about, unless the file names that elsewhere.
 */
export function settleAccounts(
  table: CsvTable,
  values: RowValues[],
  aspects: Aspects,
  isOfBank: boolean,
): Entry[] {
  const rows = values.map(({ row }) => row)
  const accounts = namesIn(table, rows, 'account')
  const all = namesIn(table, rows, 'product')
  const products = countOf(all) > 1 && countOf(all) <= maxProducts ? all : null
  const currency = currenciesOf(table, rows)
  const sources = [
    accountColumn(table, accounts, aspects, isOfBank),
    currency,
    marksBesideAmounts(rows),
    sections(rows),
    ...unknownColumns(table, rows),
    ...pots(table, values),
  ]
  const found = sources.find((one) => one !== null && countOf(one.names) > 1)
  const told = aspects.answer('statement_account')
  const isOne = told?.value === allRows && covers(aspects, found)
  if (isOne) aspects.record('statement_account', allRows, told.proof, { seen: seenIn(aspects, found) })
  const areApart = found && !isOne ? isApart(found, values, aspects) : false
  const own = areApart && found && found !== currency ? found.names : products && accounts
  const joined = values.map((_, i) => [own?.[i], products?.[i]].filter(Boolean).join('/') || null)
  // Where each account is one product, its number names it.
  const names = own && countOf(joined) === countOf(own) && !own.includes(null) ? own : joined
  const isForeign = found === currency && !areApart
  const owned = values.map((value, i) => ({
    ...value,
    own: isOne ? null : (names[i] ?? null),
    account: accounts[i] ?? null,
    currency: isOne || isForeign ? null : (currency.names[i] ?? null),
  }))
  return owned.filter((value): value is Entry => value.amount !== null)
}

/** The entries of each account and currency, in the order of the file. */
export function groupsOf(entries: Entry[]): Entry[][] {
  return [...Map.groupBy(entries, ({ own, currency }) => JSON.stringify([own, currency])).values()]
}

/** True if names tell accounts apart: no balance runs on across them, and they are known to be the holder's. */
function isApart({ names, what, isSure }: Names, values: RowValues[], aspects: Aspects): boolean {
  if (runsOn(names, values)) {
    const proof = `the balances run on across ${what}`
    aspects.record('statement_account', allRows, proof, { seen: seenIn(aspects, { names }) })
    return false
  }
  return isSure || chooseAmong({ names, what }, aspects) !== allRows
}

/** The name whose rows are meant, or `allRows`, by the request, by an earlier import with these names, or by a question. */
export function chooseAmong({ names, what }: Pick<Names, 'names' | 'what'>, aspects: Aspects): string {
  const found = [...new Set(names)].filter((name) => name !== null)
  const asked = {
    question: `The file has several ${what}: ${found.slice(0, 10).map(quoted).join(', ')}${found.length > 10 ? ' …' : ''}. Choose one of them, or ${allRows} if all rows are of one account.`,
    options: [
      { value: allRows, label: 'all rows are of one account' },
      ...found.map((value) => ({ value, label: `only the rows of ${quoted(value)}` })),
    ],
  }
  const settled = covers(aspects, { names })
    ? aspects.settle('statement_account', () => asked)
    : aspects.ask('statement_account', asked.question, asked.options)
  const { proof } = aspects.settled.statement_account ?? {}
  if (proof && settled === allRows)
    aspects.record('statement_account', allRows, proof, { seen: seenIn(aspects, { names }) })
  return settled
}

/** The names of accounts that earlier files had when all rows were of one; null if that is unknown. */
const seenBefore = ({ kept }: Aspects) => kept?.values.statement_accounts?.split('\n') ?? null

/** False if all rows of earlier files were of one account, but these did not have some of the names. */
function covers(aspects: Aspects, found: Pick<Names, 'names'> | null | undefined): boolean {
  const { told, kept } = aspects
  if (told.statement_account !== undefined || kept?.values.statement_account !== allRows) return true
  const seen = seenBefore(aspects)
  return !found || seen === null || found.names.every((name) => name === null || seen.includes(name))
}

function seenIn(aspects: Aspects, found: Pick<Names, 'names'> | null | undefined): string[] {
  const names = found?.names.filter((name) => name !== null) ?? []
  return [...new Set([...(seenBefore(aspects) ?? []), ...names])].sort()
}

/** The column of accounts. Beside one of the other party's accounts, it is surely the holder's. */
function accountColumn(
  table: CsvTable,
  names: (string | null)[],
  aspects: Aspects,
  isOfBank: boolean,
): Names | null {
  const [column] = table.columns.account ?? []
  if (column === undefined) return null
  const header = table.headers[column]
  if (ambiguous.test(header?.name ?? '') && hasOneAccount(table, names.length, column)) return null
  const isTold = aspects.told['mapping.account'] !== undefined
  // Several cards may be on one bill.
  const areCards = names.every((name) => name !== null && cardLike.test(name))
  // An account of its own for each row is more likely that of the other party.
  const isOther = isOfBank && names.length > 2 && countOf(names) === names.length
  const isNamed = !ambiguous.test(header?.name ?? '') && !areCards && !isOther
  const isSure = isTold || Boolean(table.columns.counter_account) || isNamed
  if (!isSure && (names.includes(null) || countOf(names) > maxAccounts)) return null
  return { names, what: `values of ${quoted(header?.text ?? '')}`, isSure }
}

/** True if a column other than this one has the same account number in all rows: the holder's. */
function hasOneAccount({ headers, body }: CsvTable, rows: number, except: number): boolean {
  return headers.slice(0, maxColumns).some((header, column) => {
    if (column === except || /referen/.test(header.name)) return false
    const cells = body.flatMap(({ cells }) => cells[column]?.trim() || [])
    return (
      cells.length >= rows &&
      cells.length > 1 &&
      cells.every((cell) => cell === cells[0]) &&
      isAccountNumber(cells[0] ?? '')
    )
  })
}

/** The tables of a file with several headers, by the lines above each. */
function sections(rows: CsvRow[]): Names {
  return { names: rows.map(({ section }) => section), what: 'tables', isSure: false }
}

/** Columns under unknown headers that hold an account number or a currency in every row. */
function unknownColumns(table: CsvTable, rows: CsvRow[]): Names[] {
  const used = new Set(Object.values(table.columns).flat())
  const hasOwn = Boolean(table.columns.account) || hasOneAccount(table, rows.length, -1)
  return table.headers.slice(0, maxColumns).flatMap((header, column) => {
    if (isKnown(header) || used.has(column) || /referen/.test(header.name)) return []
    const cells = rows.map(({ cells }) => cells[column]?.trim() ?? '')
    const isAccount = (cell: string) =>
      (accountLike.test(cell) && readWrittenDate(cell) === null) ||
      (isOfCards(header) && /^\d{4}$/.test(cell))
    const isCurrency = !table.columns.currency && cells.every((cell) => currencyCodes.has(cell))
    if (!isCurrency && (hasOwn || !cells.every(isAccount))) return []
    const names = cells.map((cell) => cell.replace(/^'|'$/g, ''))
    // Each row of three or more has another number: these are ids.
    const areIds = countOf(names) === names.length && names.length > 2 && !isOfCards(header)
    return areIds || countOf(names) > maxAccounts
      ? []
      : [{ names, what: `values of ${quoted(header.text) || `column ${column + 1}`}`, isSure: false }]
  })
}

/** Headers of columns that tell parts of one account apart. */
const potNames =
  /^(?:pots?|jars?|space|spaces|envelope|bucket|sub ?balance|pot name|jar name|topf|topfe|unterbereich|tresor|cagnotte|hucha|espacio|cofrinho|caixinha|salvadanaio|potje|sparbossa|skarbonka)$/

/** Columns of a few names in all rows that divide them as parts of an account, by their header or by balances. */
function pots({ headers, columns, layout }: CsvTable, values: RowValues[]): Names[] {
  const used = new Set(Object.values(columns).flat())
  if (layout) return []
  return headers.slice(0, maxColumns).flatMap((header, column) => {
    if (isKnown(header) || used.has(column)) return []
    const names = values.map(({ row }) => cleanText(row.cells[column] ?? ''))
    const isFew = countOf(names) > 1 && countOf(names) <= maxProducts && countOf(names) < names.length
    if (!isFew || names.includes(null)) return []
    const areParts = potNames.test(header.name) || areBalanced(names, values)
    return areParts
      ? [{ names, what: `values of ${quoted(header.text) || `column ${column + 1}`}`, isSure: false }]
      : []
  })
}

/** True if balances follow among the rows of each name, in steps of several, and not through all rows. */
function areBalanced(names: (string | null)[], values: RowValues[]): boolean {
  const groups = [...Map.groupBy(values.keys(), (i) => names[i]).values()].map((places) =>
    places.map((i) => values[i] as RowValues),
  )
  const steps = groups.reduce((sum, { length }) => sum + length - 1, 0)
  const one = (rows: RowValues[]) =>
    runsOn(
      rows.map(() => null),
      rows,
    )
  return steps > 1 && !one(values) && groups.every(one)
}

function currenciesOf(table: CsvTable, rows: CsvRow[]): Names {
  const names = rows.map((row) => {
    const name = cellOf(table, row, 'currency')
    if (isCurrencyName(name)) return /^[a-z]{3}$/i.test(name) ? name.toUpperCase() : name
    const { amount: [column, ...others] = [] } = table.columns
    const filled = [column, ...others].find((one) => row.cells[one ?? -1]?.trim())
    return others.length > 0 ? currencyOfAmounts(table.headers[filled ?? -1]?.text ?? '') : null
  })
  const { account, amount = [], balance } = table.columns
  const areApart = amount.length > 1 || Boolean(account ?? balance ?? table.layout)
  return { names: withBlanks(names), what: 'currencies', isSure: areApart }
}

/**
 * A blank currency is the only one that other rows name, unless most are blank: then it is that of the account, and the others
 * are those of purchases.
 */
function withBlanks(names: (string | null)[]): (string | null)[] {
  const [only, ...others] = new Set(names.filter((name) => name !== null))
  const blank = names.filter((name) => name === null).length
  if (only === undefined) return names
  const isOnly = others.length === 0 && blank * 2 < names.length
  return names.map((name) => name ?? (isOnly ? only : 'none'))
}

/** The currency written beside amounts. */
function marksBesideAmounts(rows: CsvRow[]): Names {
  const marks = rows.map((row) => {
    const text = amountText(row).normalize('NFKC')
    if (!/[1-9]/.test(text)) return null
    return currencyBeside(text) ?? 'none'
  })
  const first = marks.find((mark) => mark !== null) ?? null
  return { names: marks.map((mark) => mark ?? first), what: 'currencies beside amounts', isSure: false }
}

/** True if balances run on through all rows, wherever the name changes too, from the top down or from the bottom up. */
function runsOn(names: (string | null)[], values: RowValues[]): boolean {
  const named = values.map((value, i) => ({ ...value, name: names[i] }))
  return [named, named.toReversed()].some((ordered) =>
    ordered.slice(1).every((value, i) => {
      const before = ordered[i]
      // A balance of nothing may be where any account begins.
      return before && follows(before, value) && (before.name === value.name || before.balance)
    }),
  )
}

function namesIn(table: CsvTable, rows: CsvRow[], field: CsvField): (string | null)[] {
  if (!table.columns[field]) return rows.map(() => null)
  return rows.map((row) => cleanText(cellOf(table, row, field).replace(/^'|'$/g, '')))
}

function countOf(names: (string | null)[]): number {
  return new Set(names.filter((name) => name !== null)).size
}
