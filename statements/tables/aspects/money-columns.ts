import { isBlankAmount } from '../../shared/amount.ts'
import { refuseAnswer } from '../../shared/aspect.ts'
import { hasDecimals, hundredths } from '../text/contents.ts'
import { type CsvField, moneyFields } from '../text/header-names.ts'
import {
  columnsNamed,
  type Header,
  isKnown,
  isMarkHeader,
  isOfDebt,
  maxOptions,
  mayBeBalance,
} from '../text/headers.ts'
import { markOf } from '../text/mark-words.ts'
import { type BalancedColumns, balancedColumns } from './balanced-columns.ts'
import { askForColumn, isUsed, setColumns, settleColumn, type Table } from './column-choice.ts'
import { columnsOfCurrencies, differAbroad, filledCurrencies } from './foreign-amounts.ts'

/** The proof of columns of debits and credits that only balances tell apart. */
export const sideByBalances = 'one raises the balance, the other lowers it'

/** Settles the columns of amounts, or of debits and credits, and of balances. */
export function settleMoney(table: Table): void {
  const { columns, layout, proofs } = table
  if (columns.amount?.length === 1 && !layout && !proofs.has('amount'))
    columns.amount.push(...otherAmounts(table))
  settleAmounts(table)
  preferBalanced(table)
  findBalance(table)
  findFee(table)
  askAboutOthers(table)
  addDeductions(table)
  // A net amount contains its fee.
  if (columnsNamed(table.headers, 'net').includes(columns.amount?.[0] ?? -1)) delete columns.fee
}

/** Headers that mean fees beside amounts, and spending on a card. */
const chargeNames = /^(?:(?:service|bank) )?charges?$/

/** Headers of what is deducted besides fees. */
const deductionNames =
  /^(?:tax|taxes|withholding tax|tax amount|vat|stamp duty|steuer|steuern|kapitalertragsteuer|quellensteuer|impot|impots|taxe|impuesto|impuestos|retencion|imposto|impostos|imposta|ritenuta|belasting|podatek|skatt)$/

/** Adds columns of further deductions to those of fees, which are added up. */
function addDeductions({ headers, columns, contents }: Table): void {
  if (!columns.amount && !(columns.debit && columns.credit)) return
  const [fee] = columns.fee ?? []
  const isDeduction = (column: number) =>
    deductionNames.test(headers[column]?.name ?? '') ||
    (fee !== undefined && columnsNamed(headers, 'fee').includes(column))
  const found = contents.numbers.filter((column) => column !== fee && isDeduction(column))
  if (fee !== undefined || found.length > 0)
    columns.fee = [...(columns.fee ?? []).slice(0, 1), ...found].slice(0, maxOptions)
}

/** Finds the columns of amounts that no header names, or chooses among several that one does. */
function settleAmounts(table: Table): void {
  const { headers, body, columns, proofs, contents } = table
  const twice = moneyFields.find((field) => (columns[field]?.length ?? 0) > 1)
  const candidates = twice ? (columns[twice] ?? []) : freeNumbers(table)
  const halves = twice ? null : halvesOf(table, candidates)
  if (halves ? halves.length === 0 : !twice && moneyFields.some((field) => columns[field])) return
  const currencies = columnsOfCurrencies(headers, candidates)
  const found = (!twice && columns.net) || filledCurrencies(currencies, body)
  if (found) {
    columns.amount = found
    if (found === columns.net) delete columns.net
    return
  }
  // A single step may equal one of several numbers by chance.
  const isStepped = contents.rows.length > 2 || candidates.length < 3
  const balances = candidates.filter((column) =>
    isStepped ? !isOfDebt(headers[column]) : mayBeBalance(headers[column]),
  )
  const all = balancedColumns(
    contents.rows,
    halves ? [...new Set(halves.flat())] : candidates,
    columns.balance ?? balances,
  )
  const sided = halves?.filter(([debit = -1, credit = -1]) => {
    return markOf(headers[debit]?.name ?? '') === 'debit' && markOf(headers[credit]?.name ?? '') === 'credit'
  })
  if (sided?.length === 1) {
    setColumns(columns, 'amount', sided[0] ?? [])
    for (const field of ['debit', 'credit'] as const) proofs.set(field, 'a known header')
    return
  }
  const leading = halves ? all.filter(({ amount }) => amount === undefined) : all
  // A balance before the amount and one after it both account for it: the last one is that after it.
  const led = leading.at(-1)
  const areOne = leading.every((one) => columnsIn(one) === columnsIn(led))
  if (led && areOne && (!twice || led.amount !== undefined)) {
    for (const [field, column] of Object.entries(led) as [CsvField, number][]) {
      columns[field] = [column]
      proofs.set(field, led.amount === undefined ? sideByBalances : 'it leads from balance to balance')
    }
    return
  }
  const areSingle = twice || currencies.length > 0
  const singly = areSingle ? candidates.map((column) => [column]) : possibleAmounts(contents.rows, candidates)
  settleColumn(table, twice ?? 'amount', halves ?? singly, 'the only column with amounts')
}

/**
 * Where balances follow from another column than the one whose header means amounts, that is what moved. Where they follow from
 * neither, though the header of the other speaks of amounts too, it is asked which one is meant.
 */
function preferBalanced(table: Table): void {
  const { columns, layout, proofs, contents, headers, aspects } = table
  const { amount = [], balance = [] } = columns
  const [own] = amount
  if (
    own === undefined ||
    amount.length > 1 ||
    balance.length !== 1 ||
    layout ||
    aspects.isAsked('mapping.amount')
  )
    return
  const differs = (column: number) =>
    contents.rows.some(
      (cells) => Math.abs(hundredths(cells[column] ?? '')) !== Math.abs(hundredths(cells[own] ?? '')),
    )
  const others = freeNumbers(table).filter(
    (column) => contents.rows.every((cells) => isFilled(cells, column)) && differs(column),
  )
  if (others.length === 0 || contents.rows.length < minRows) return
  const leading = balancedColumns(contents.rows, [own, ...others], balance).flatMap((one) => one.amount ?? [])
  if (leading.includes(own)) return
  const [led, ...further] = leading
  if (led !== undefined && further.length === 0) {
    if (aspects.told['mapping.amount'])
      refuseAnswer('mapping.amount', aspects.told['mapping.amount'], {
        proof: `the balances follow from column ${led + 1}`,
      })
    columns.amount = [led]
    proofs.set('amount', 'it leads from balance to balance')
    return
  }
  const named = others.filter((column) => columnsNamed(words(headers[column]), 'amount').length > 0)
  // Balances may follow with fees only.
  const hasFee = Boolean(columns.net) || columnsNamed(headers, 'fee').length > 0
  if (named.length > 0 && !proofs.has('amount') && !hasFee)
    askForColumn(table, 'amount', [[own], ...named.map((column) => [column])])
}

/** Each word of a header as a header of its own. */
const words = (header: Header | undefined): Header[] =>
  (header?.name ?? '').split(' ').map((name) => ({ text: name, name }))

/** Of fewer rows, a single step may equal one of several numbers by chance. */
const minRows = 3

const columnsIn = (led: BalancedColumns | undefined) => [led?.amount, led?.debit, led?.credit].join()

/** The only column of debits or credits with each column that is filled in the other rows, either way. */
function halvesOf({ columns, proofs, contents }: Table, others: number[]): number[][] | null {
  const [field, another] = moneyFields.filter((one) => columns[one])
  const half = field && columns[field]?.[0]
  if (!field || half === undefined || another || field === 'amount' || proofs.has(field)) return null
  const pairs = others.filter((other) => areHalves(contents.rows, half, other)).map((other) => [half, other])
  return pairs.flatMap((pair) => {
    const other = pair.toReversed()
    return field === 'debit' ? [pair, other] : [other, pair]
  })
}

const isFilled = (cells: string[], column: number) => !isBlankAmount(cells[column] ?? '')
/** Some banks write a zero on the side where nothing moved. */
const moves = (cells: string[], column: number) => hundredths(cells[column] ?? '') !== 0
const areHalves = (rows: string[][], a: number, b: number) =>
  rows.every((cells) => moves(cells, a) !== moves(cells, b))

/** Asks about amounts that debits and credits beside them, or net amounts and the fee, do not equal. */
function askAboutOthers(table: Table): void {
  const { amount, debit, credit, net, fee = [] } = table.columns
  if (table.layout || table.proofs.has('amount')) return
  const others = debit && credit ? [...debit, ...credit] : debit || credit ? undefined : net
  if (!amount || !others) return
  const sumOf = (cells: string[], columns: number[]) =>
    columns.reduce((sum, column) => sum + Math.abs(hundredths(cells[column] ?? '')), 0)
  const differs = (cells: string[]) => {
    const [own, charged, other] = [sumOf(cells, amount), sumOf(cells, fee), sumOf(cells, others)]
    if (others !== net) return own !== 0 && own !== other
    return ![own, own + charged, Math.abs(own - charged)].includes(other)
  }
  if (table.contents.rows.some(differs)) askForColumn(table, 'amount', [others, amount])
}

/** Without a known header of balances, a column whose steps the amounts account for, apart from rows that lack either. */
function findBalance(table: Table): void {
  const { columns, proofs, contents } = table
  const amounts = moneyFields.flatMap((field) => columns[field] ?? [])
  if (columns.balance || proofs.has('balance')) return
  const balances = freeNumbers(table).filter((column) => {
    const header = table.headers[column]
    return !header?.text || mayBeBalance(header) || isOfDebt(header)
  })
  const leading = balances.slice(0, maxOptions).flatMap((balance) => {
    const hasBoth = (cells: string[]) =>
      isFilled(cells, balance) && amounts.some((column) => isFilled(cells, column))
    const rows = contents.rows.filter(hasBoth)
    return rows.length < 3 ? [] : balancedColumns(rows, amounts, [balance])
  })
  const [led, ...others] = leading
  if (!led || others.length > 0 || led.credit !== columns.credit?.[0]) return
  columns.balance = [led.balance]
  proofs.set('balance', 'the amounts lead from balance to balance')
}

/**
 * Without a known header of fees, a column that accounts for the steps of the balances which the amounts alone do not:
 * where it is filled, and nowhere else.
 */
function findFee(table: Table): void {
  const { columns, proofs, contents, headers } = table
  const [balance] = columns.balance ?? []
  if (columns.fee || proofs.has('fee')) return
  const amounts = moneyFields.flatMap((field) => columns[field] ?? [])
  const named = freeNumbers(table).filter((column) => chargeNames.test(headers[column]?.name ?? ''))
  if (named.length === 1 && (columns.amount || amounts.length > 1)) columns.fee = named
  if (balance === undefined || columns.fee) return
  const sizeOf = (cells: string[], places: number[]) =>
    places.reduce((sum, column) => sum + Math.abs(hundredths(cells[column] ?? '')), 0)
  const found = freeNumbers(table).filter((fee) =>
    [contents.rows, contents.rows.toReversed()].some((rows) => {
      const filled = rows.slice(1).filter((cells) => sizeOf(cells, [fee]) !== 0).length
      return (
        filled > 0 &&
        rows.slice(1).every((cells, i) => {
          const step = hundredths(cells[balance] ?? '') - hundredths(rows[i]?.[balance] ?? '')
          const [amount, charged] = [sizeOf(cells, amounts), sizeOf(cells, [fee])]
          const isFee = charged < amount || amount === 0 || charged === 0
          return isFee && [amount + charged, Math.abs(amount - charged)].includes(Math.abs(step))
        })
      )
    }),
  )
  const [column, ...others] = found
  if (column === undefined || others.length > 0) return
  columns.fee = [column]
  proofs.set('fee', 'the balances follow only with it')
}

/** Other columns of amounts, such as those in the currency of the purchase: their values differ in some row. */
function otherAmounts(table: Table): number[] {
  const { headers, columns, contents } = table
  const { amount: [amount = -1] = [], currency: [currency = -1] = [] } = columns
  const known = columnsNamed(headers, 'amount')
  const codes = contents.rows.map((cells) => cells[currency]?.trim() ?? null)
  const differs = (column: number) =>
    contents.rows.some((cells) => {
      const [one, other] = [amount, column].map((at) => hundredths(cells[at] ?? ''))
      return one && other && one !== other
    })
  return contents.numbers.filter((column) =>
    known.includes(column)
      ? differs(column)
      : currency >= 0 &&
        !isUsed(table, column) &&
        differAbroad(contents.rows, amount, column, codes, headers[column]),
  )
}

/**
 * The columns that may hold the amounts: a column that is filled in every row, or two of which each row fills one, in
 * either order; or else any column of numbers.
 */
function possibleAmounts(rows: string[][], candidates: number[]): number[][] {
  const tried = candidates.slice(0, maxOptions)
  const pairs = tried.flatMap((a) => tried.flatMap((b) => (areHalves(rows, a, b) ? [[a, b]] : [])))
  const halves = new Set(pairs.flat())
  const single = candidates.filter((column) =>
    rows.every((cells) => (halves.has(column) ? moves : isFilled)(cells, column)),
  )
  const found = [...single.map((column) => [column]), ...pairs]
  if (found.length > 1) return found
  // Beside a full column, whole numbers are those of cheques.
  const others = candidates.filter(
    (column) => found[0]?.[0] !== column && (!found[0] || hasDecimals(rows, column)),
  )
  return [...found, ...others.map((column) => [column])]
}

/** The columns of numbers that no header explains: numbers are no marks. */
function freeNumbers(table: Table): number[] {
  const { contents, headers } = table
  const isFree = (column: number) => !isUsed(table, column) && !isKnown(headers[column])
  return contents.numbers.filter((column) => isFree(column) || isMarkHeader(headers[column]))
}
