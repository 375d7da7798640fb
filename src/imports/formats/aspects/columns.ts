import { type Contents, contentsOf, hundredths } from '../csv/contents.ts'
import type { CsvField } from '../csv/header-names.ts'
import {
  type Columns,
  columnNamed,
  columnsNamed,
  columnsOf,
  type Header,
  isKnown,
  listed,
  maxTwins,
  nameOf,
} from '../csv/headers.ts'
import { type Layout, layoutOf } from '../csv/layouts.ts'
import type { CsvRecord } from '../csv/records.ts'
import type { Problems } from '../problems.ts'
import { quoted } from '../text.ts'
import { isBlankAmount } from '../written/amount.ts'
import type { Aspects } from './aspect.ts'

/** The meanings of a table's columns, and what these hold. */
export type FoundColumns = {
  columns: Columns
  dateColumns: number[]
  layout: Layout | null
  contents: Contents
}

/** The most options of a question, and of columns of numbers that are compared with balances. */
const maxOptions = 8
/** The most unknown fields of a mapping that errors name. */
const unknownListed = 3

const money = ['amount', 'debit', 'credit'] as const

/**
 * Settles what each column means: by the request or an earlier import, a published layout, known headers, the only column
 * that can be meant, or balances that lead from row to row.
 */
export function settleColumns(
  headers: Header[],
  body: CsvRecord[],
  fields: readonly CsvField[],
  aspects: Aspects,
  problems: Problems,
): FoundColumns {
  const layout = layoutOf(headers)
  const proofs = new Map<CsvField, string>()
  const columns: Columns = { ...columnsOf(headers, fields) }
  for (const field of fields) if (columns[field]) proofs.set(field, 'a known header')
  for (const [field, name] of Object.entries(layout?.columns ?? {}) as [CsvField, string][]) {
    const column = columnNamed(headers, name)
    if (name === '') delete columns[field]
    else if (column !== null) columns[field] = [column]
    proofs.set(field, `the layout of ${layout?.name}`)
  }
  applyMapping({ headers, columns, proofs }, fields, aspects, problems)
  const contents = contentsOf(body.map(({ cells }) => cells))
  const table = { headers, body, columns, proofs, contents }
  settleDate(table, aspects, problems)
  settleMoney(table, aspects, problems)
  if (!columns.balance && !proofs.has('balance')) findBalance(table)
  const isDescribed =
    columns.description ?? columns.payee ?? columns.posting_text ?? proofs.get('description')
  if (!isDescribed) chooseDescription(table)
  for (const [field, found = []] of Object.entries(columns) as [CsvField, number[]][])
    if (found[0] !== undefined && !aspects.isAsked(`mapping.${field}`))
      aspects.prove(`mapping.${field}`, nameOf(headers, found[0]), proofs.get(field) ?? 'a known header')
  const dateColumns = [...new Set([...(columns.date ?? []), ...columnsNamed(headers, 'date')])].slice(
    0,
    maxTwins,
  )
  return { columns, dateColumns, layout, contents }
}

type Table = {
  headers: Header[]
  body: CsvRecord[]
  columns: Columns
  /** For each field, why its column is meant, or why it has none. */
  proofs: Map<CsvField, string>
  contents: ReturnType<typeof contentsOf>
}

/** Applies the mapping, which gives a field the header or the number of its column; an empty one means no column. */
function applyMapping(
  { headers, columns, proofs }: Pick<Table, 'headers' | 'columns' | 'proofs'>,
  fields: readonly CsvField[],
  aspects: Aspects,
  problems: Problems,
): void {
  const unknown = Object.keys(aspects.told).flatMap((name) => {
    const [option, field = ''] = name.split(/\.(.*)/s)
    return option === 'mapping' && !(fields as readonly string[]).includes(field) ? [field] : []
  })
  for (const field of unknown.slice(0, unknownListed))
    problems.add('mapping', `The :field field ${quoted(field)} is unknown; use one of ${fields.join(', ')}.`)
  // A mapping of the amount excludes debits and credits that happen to be in the file, and vice versa.
  const mapped = (field: CsvField) => Boolean(aspects.answer(`mapping.${field}`)?.value.trim())
  if (mapped('amount') && !mapped('debit') && !mapped('credit'))
    for (const one of ['debit', 'credit', 'net'] as const) delete columns[one]
  if (!mapped('amount') && (mapped('debit') || mapped('credit'))) delete columns.amount
  for (const field of fields) {
    const answer = aspects.answer(`mapping.${field}`)
    if (!answer) continue
    const header = answer.value
    const column = columnNamed(headers, header)
    const isTold = aspects.told[`mapping.${field}`] !== undefined
    const [debit = 0, credit = 0] = /^\d{1,3},\d{1,3}$/.test(header) ? header.split(',').map(Number) : []
    if (header.trim() === '') delete columns[field]
    else if (field === 'amount' && credit > 0) setAmount(columns, [debit - 1, credit - 1])
    else if (column !== null) columns[field] = [column]
    else if (isTold)
      problems.add('mapping', `The file has no column ${quoted(header)}; it has ${listed(headers)}.`)
    proofs.set(field, answer.proof)
  }
}

function settleDate(table: Table, aspects: Aspects, problems: Problems): void {
  const { headers, columns, proofs, contents } = table
  const named = columns.date ?? []
  if (named.length === 1) return
  const candidates = named.length > 1 ? named : contents.dates
  const possible = candidates.map((column) => [column])
  if (possible.length > 1) columns.date = choose('date', possible, table, aspects)
  else if (candidates[0] !== undefined) {
    columns.date = candidates
    proofs.set('date', 'the only column with dates')
  } else requireColumn(headers, problems)
}

/** Settles the column of amounts, or those of debits and credits. */
function settleMoney(table: Table, aspects: Aspects, problems: Problems): void {
  const { headers, body, columns, proofs, contents } = table
  const twice = money.find((field) => (columns[field]?.length ?? 0) > 1)
  if (!twice && money.some((field) => columns[field])) return
  const found = (!twice && columns.net) || filledCurrencies(headers, body)
  if (found) {
    columns.amount = found
    if (found === columns.net) delete columns.net
    return
  }
  const free = contents.numbers.filter((column) => !isUsed(table, column) && !isKnown(headers[column]))
  const candidates = twice ? (columns[twice] ?? []) : free
  const balances = columns.balance ?? candidates
  const [led, ...others] = balancedColumns(contents.rows, candidates, balances)
  if (led && others.length === 0 && (!twice || led.amount)) {
    for (const field of ['amount', 'debit', 'credit', 'balance'] as const) {
      if (led[field] === undefined) continue
      columns[field] = [led[field]]
      proofs.set(field, 'it leads from balance to balance')
    }
    return
  }
  const possible = twice ? candidates.map((column) => [column]) : possibleAmounts(contents.rows, candidates)
  const [only, ...more] = possible
  // Without headers, whole numbers may count something else.
  const isNamed =
    headers.some(({ text }) => text) || only?.some((column) => hasDecimals(contents.rows, column))
  if (!only) requireColumn(headers, problems)
  else if (more.length > 0 || !isNamed)
    setAmount(columns, choose(twice ?? 'amount', possible, table, aspects), twice)
  else {
    columns.amount = only
    proofs.set('amount', 'the only column with amounts')
  }
}

/**
 * What may hold the amounts: a column that is filled in every row, or two of which each row fills one, in either order; or
 * else any column of numbers.
 */
function possibleAmounts(rows: string[][], candidates: number[]): number[][] {
  const isFilled = (cells: string[], column: number) => !isBlankAmount(cells[column] ?? '')
  const single = candidates.filter((column) => rows.every((cells) => isFilled(cells, column)))
  const sparse = candidates.filter((column) => !single.includes(column)).slice(0, maxOptions)
  const pairs = sparse.flatMap((a) =>
    sparse.flatMap((b) =>
      a !== b && rows.every((cells) => isFilled(cells, a) !== isFilled(cells, b)) ? [[a, b]] : [],
    ),
  )
  const found = [...single.map((column) => [column]), ...pairs]
  return found.length > 0 ? found : candidates.map((column) => [column])
}

function hasDecimals(rows: string[][], column: number): boolean {
  return rows.some((cells) => /[.,]\d{1,3}(?!\d)/.test(cells[column] ?? ''))
}

/** Sets the column of amounts, or those of debits and credits. */
function setAmount(columns: Columns, found: number[], field: CsvField = 'amount'): void {
  const [first = 0, credit] = found
  if (credit === undefined) columns[field] = [first]
  else {
    delete columns.amount
    Object.assign(columns, { debit: [first], credit: [credit] })
  }
}

function isUsed({ columns }: Pick<Table, 'columns'>, column: number): boolean {
  return Object.values(columns).some((used) => used.includes(column))
}

/** Asks which of several columns, or pairs of debits and credits, is meant; returns the first. */
function choose(field: CsvField, possible: number[][], { headers, body }: Table, aspects: Aspects): number[] {
  const shown = possible.slice(0, maxOptions)
  const nameAt = (column: number) =>
    `${column + 1}${headers[column]?.text ? ` (${quoted(headers[column].text)})` : ''}`
  const first = body.find(({ cells }) => cells.filter((cell) => cell.trim() !== '').length > 1)?.cells ?? []
  const row = first.slice(0, 12).map((cell, i) => `${i + 1}: ${quoted(cell)}`)
  const names = [...new Set(shown.flat())].map(nameAt)
  aspects.ask(
    `mapping.${field}`,
    `The ${field} could be any of the columns ${names.join(', ')}; choose one by its number. The first row has ${row.join(', ')}.`,
    shown.map(([column = 0, credit]) =>
      credit === undefined
        ? { value: String(column + 1), label: `column ${nameAt(column)}` }
        : {
            value: `${column + 1},${credit + 1}`,
            label: `debits in column ${nameAt(column)}, credits in column ${nameAt(credit)}`,
          },
    ),
  )
  return possible[0] ?? []
}

function requireColumn(headers: Header[], problems: Problems): void {
  if (!problems.any)
    problems.add(
      'mapping',
      `The file needs a date column and an amount column (or debit and credit), but none is recognised among ${listed(headers)}; name them by header or by number: mapping={"date":"1","amount":"2"}.`,
    )
}

/** Finds a column of numbers under an unknown header that proves to be the running balance of the amounts. */
function findBalance({ headers, columns, proofs, contents }: Table): void {
  const amounts = columns.amount ?? []
  const free = contents.numbers.filter((column) => !isUsed({ columns }, column) && !isKnown(headers[column]))
  const [found, ...others] = balancedColumns(contents.rows, amounts, free)
  if (found?.balance === undefined || others.length > 0 || contents.rows.length < 3) return
  columns.balance = [found.balance]
  proofs.set('balance', 'it follows the amounts')
}

/** The currency of a column of amounts that has no other name: `CAD$` and `USD$`. */
export function currencyOfAmounts(header: string): string | null {
  return /^(CAD|USD) ?\$$/i.exec(header)?.[1]?.toUpperCase() ?? null
}

/** Where each currency has its own column of amounts and no row fills two, all that are filled; else null. */
function filledCurrencies(headers: Header[], body: CsvRecord[]): number[] | null {
  const all = headers.flatMap(({ text }, column) => (currencyOfAmounts(text) ? [column] : []))
  if (all.length < 2) return null
  const filledIn = ({ cells }: CsvRecord) => all.filter((column) => !isBlankAmount(cells[column] ?? ''))
  const used = [...new Set(body.flatMap(filledIn))]
  return used.length > 0 && body.every((record) => filledIn(record).length < 2) ? used : null
}

type Led = { balance: number; amount?: number; debit?: number; credit?: number }

/** Every choice of columns in which one or two columns account for each step of a column of running balances. */
function balancedColumns(rows: string[][], allAmounts: number[], allBalances: number[]): Led[] {
  if (rows.length < 2) return []
  const [amounts, balances] = [allAmounts.slice(0, maxOptions), allBalances.slice(0, maxOptions)]
  const columns = [...new Set([...amounts, ...balances])]
  const values = rows.map(
    (cells) => new Map(columns.map((column) => [column, hundredths(cells[column] ?? '')])),
  )
  const found: Led[] = []
  for (const balance of balances)
    for (const credit of amounts)
      for (const debit of amounts)
        if (balance !== credit && balance !== debit && leads(values, { balance, credit, debit }))
          found.push(credit === debit ? { balance, amount: credit } : { balance, debit, credit })
  return found
}

/** True if a column of amounts, or two of debits and credits, lead from each balance to the next, in either order. */
function leads(rows: Map<number, number>[], at: { balance: number; credit: number; debit: number }): boolean {
  const value = (row: Map<number, number> | undefined, column: number) => row?.get(column) ?? 0
  const isOne = at.credit === at.debit
  return [1, -1].some((step) =>
    rows.every((row, i) => {
      const [credit, debit] = [Math.abs(value(row, at.credit)), Math.abs(value(row, at.debit))]
      if (isOne ? credit === 0 : (credit === 0) === (debit === 0)) return false
      const before = rows[i - step]
      if (!before) return true
      const change = value(row, at.balance) - value(before, at.balance)
      return isOne ? Math.abs(change) === credit : change === credit - debit
    }),
  )
}

/** Without a known description, the column with the most different texts; any other can be mapped. */
function chooseDescription({ columns, proofs, contents, headers }: Table): void {
  const differing = headers.map((_, column) => {
    const texts = contents.rows.map((cells) => cells[column] ?? '').filter((cell) => /\p{L}{2}/u.test(cell))
    return isUsed({ columns }, column) || contents.dates.includes(column) ? 0 : new Set(texts).size
  })
  const most = Math.max(0, ...differing.slice(0, 64))
  if (most === 0) return
  columns.description = [differing.indexOf(most)]
  proofs.set('description', 'the column with the most different texts')
}
