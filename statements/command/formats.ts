import { journalAccount, journalEntry, journalTitle } from '../../src/domain/journal.ts'
import { formatMoney, type Minor, negated } from '../../src/domain/money.ts'
import type { Reading, Row } from '../index.ts'

/** What the command writes of a reading. */
export const formats = {
  table: ({ rows }) => tableOf(rows),
  json: (reading) => `${JSON.stringify(reading, null, 2)}\n`,
  csv: ({ rows }) =>
    [headers, ...rows.map(cellsOf)].map((cells) => `${cells.map(quoted).join()}\r\n`).join(''),
  hledger: ({ rows }) => `decimal-mark .\n${rows.map(entryOf).join('')}`,
} satisfies Record<string, (reading: Reading) => string>

const headers = [
  ...['line', 'date', 'amount', 'currency', 'type', 'account', 'to_account', 'category'],
  ...['description', 'reference'],
]

function cellsOf({ lines, date, amount, currency, type, ...row }: Row): string[] {
  const { account, toAccount, category, description, reference } = row
  const texts = [currency, type, account, toAccount, category, description, reference]
  return [lines.join(' '), date, formatMoney(amount), ...texts.map((text) => text ?? '')]
}

/** A cell (RFC 4180). */
const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** The columns that any row fills, padded. */
function tableOf(rows: Row[]): string {
  const lines = rows.map((row) => cellsOf(row).map((cell) => cell.replaceAll(/\s+/g, ' ')))
  const columns = headers
    .map((header, i) => [header, ...lines.map((cells) => cells[i] ?? '')])
    .filter(([, ...cells]) => cells.some(Boolean))
    .map((cells) => {
      const width = cells.reduce((most, cell) => Math.max(most, cell.length), 0)
      return cells.map((cell) => (cells[0] === 'amount' ? cell.padStart(width) : cell.padEnd(width)))
    })
  const lineAt = (i: number) => columns.map((cells) => cells[i]).join('  ')
  return [headers, ...lines].map((_, i) => `${lineAt(i).trimEnd()}\n`).join('')
}

function entryOf(row: Row): string {
  const { date, type, amount, account, toAccount, category, description, reference } = row
  const own = journalAccount('assets', account ?? 'statement')
  const other = {
    income: journalAccount('revenues', category ?? 'unknown'),
    expense: journalAccount('expenses', category ?? 'unknown'),
    transfer: journalAccount('assets', toAccount ?? 'unknown'),
  }
  return journalEntry(journalTitle(date, reference, description), [
    [own, moneyOf(amount, row)],
    [other[type], moneyOf(negated(amount), row)],
  ])
}

/** An amount with its currency in quotes, since it may be any sign that the file has. */
function moneyOf(amount: Minor, { currency }: Row): string {
  return currency === null ? formatMoney(amount) : `${formatMoney(amount)} "${currency.replaceAll('"', '')}"`
}
