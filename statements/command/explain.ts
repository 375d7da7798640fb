import type { ExampleRow } from '../../src/domain/file-questions.ts'
import { formatMoney, negated } from '../../src/domain/money.ts'
import type { Balance, Reading } from '../index.ts'

/** What the rows do not show: what was left out, how each aspect was settled, balances. */
export function summaryText({ rows, leftOut, settled, balances, startingBalances }: Reading): string {
  return [
    `${rows.length} rows, ${leftOut.length} left out`,
    ...leftOut.map(({ line, reason, text }) => `  line ${line}: ${reason}: ${oneLine(text)}`),
    ...startingBalances.map(
      ({ account, amount }) => `Starting balance of ${account}: ${formatMoney(amount)}`,
    ),
    ...balanceLine('Opening', balances.opening),
    ...balanceLine('Closing', balances.closing),
    'Settled:',
    ...Object.entries(settled).map(([field, { value, proof }]) => `  ${field}=${value}: ${proof}`),
  ].join('\n')
}

function balanceLine(which: string, balance: Balance | null): string[] {
  if (!balance) return []
  const doubt = balance.isProved ? '' : ', or this much is owed'
  return [`${which} balance: ${formatMoney(balance.amount)} on ${balance.date}${doubt}`]
}

/** The open questions, with the answers to choose from and the rows that each would make, and answers without a use. */
export function questionsText({ questions, unused }: Reading): string {
  const open = questions.flatMap(({ field, text, options }) => [
    text,
    ...options.flatMap(({ value, label, example }) => [
      `  --answer '${field}=${value}'  ${label}`,
      ...example.map((row) => `      ${exampleText(row)}`),
    ]),
  ])
  return [...open, ...unused.map((field) => `The file has no use for the answer to ${field}.`)].join('\n')
}

function exampleText({ line, date, type, amount, description }: ExampleRow): string {
  const signed = formatMoney(type === 'income' ? amount : negated(amount))
  return `line ${line}: ${date} ${type} ${signed} ${oneLine(description ?? '')}`.trimEnd()
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim()
