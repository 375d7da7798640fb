import { type ExplainedCheck, type Ledger, type LedgerCheck, unwrap } from 'purse-client'
import { money } from './amounts.ts'
import { counted, dayOf, grouped, shortDay } from './format.ts'
import { client } from './session.ts'

type Change = ExplainedCheck['broken_by'][number]

/** By how much a broken check differs from the bank, in words. */
export function differenceOf({ difference }: Pick<LedgerCheck, 'difference'>): string {
  return `${money(Math.abs(difference))} ${difference < 0 ? 'less' : 'more'} than the bank`
}

/** What the service knows of a check; undefined without a network, or until it has the check. */
export async function explain({ id }: LedgerCheck): Promise<ExplainedCheck | undefined> {
  if (id === null) return undefined
  return unwrap(client.api['balance-checks'][':id'].$get({ param: { id } })).catch(() => undefined)
}

/** The one sentence of a broken check: by how much, since when, and who changed what. */
export function sentenceOf(
  ledger: Ledger,
  check: LedgerCheck,
  explained: ExplainedCheck | undefined,
): string {
  const difference = differenceOf(check)
  const [mine] = ledger.check(check.key)?.pending ?? []
  if (mine) {
    const row = mine.before ?? mine.after
    return `${difference}, since you ${mine.op} ${row ? inWords(row) : 'a transaction'} on this device, which is not sent yet.`
  }
  const [first, ...others] = explained?.broken_by ?? []
  if (!first || !explained?.broken_at) return `${difference}.`
  const more = others.length > 0 ? `, and ${grouped(others.length)} more` : ''
  const since = dayOf(new Date(explained.broken_at), ledger.profile()?.timezone)
  return `${difference} since ${shortDay(since)}, when ${writerOf(first)} ${doneIn(first)}${more}.`
}

function writerOf({ by }: Change): string {
  if (!by) return 'earlier changes'
  return by.kind === 'service' ? 'the service' : (by.name ?? 'a device')
}

function doneIn({ op, count, before, after, cause }: Change): string {
  if (op === 'many') return `changed ${counted(count, 'transaction')}`
  if (op === 'account_deleted') return 'deleted another account with its transfers'
  if (op === 'starting_balance')
    return `changed the starting balance to ${money(after?.starting_balance ?? 0)}`
  const how = cause === 'import' ? 'imported' : cause === 'undo' ? 'undid the import of' : op
  const row = before ?? after
  if (count !== 1 || !row) return `${how} ${counted(count, 'transaction')}`
  const amounts = [before?.amount, after?.amount].flatMap((amount) => amount ?? [])
  const isOther = amounts.length === 2 && amounts[0] !== amounts[1]
  return `${how} ${inWords(row)}${isOther ? ` to ${money(amounts[1] ?? 0)}` : ''}`
}

function inWords({ amount = '0', transaction_date = '' }: { amount?: string; transaction_date?: string }) {
  return `${money(amount)} of ${shortDay(transaction_date)}`
}
