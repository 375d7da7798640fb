import { type Ledger, unwrap } from 'purse-client'
import { shortDay } from './format.ts'
import { type OccurrenceMatch, separate } from './matches.ts'
import { client } from './session.ts'
import { titleOfRule } from './titles.ts'
import { writeOrAsk } from './ui/override.tsx'

type Occurrence = { recurring_id: number | null; occurrence_date: string | null }

/** An occurrence in words: `“Rent”, due on 30 Nov 2026`; undefined if the device does not know its rule. */
export function occurrenceInWords(ledger: Ledger, occurrence: Occurrence): string | undefined {
  const { recurring_id, occurrence_date } = occurrence
  const rule = ledger.recurring().find(({ id }) => id !== null && id === recurring_id)
  return rule && occurrence_date ? `“${titleOfRule(rule)}”, due on ${shortDay(occurrence_date)}` : undefined
}

/** Makes a transaction the occurrence of a rule or, with null, opens the occurrence again. Needs a network. */
export async function linkOccurrence(
  ledger: Ledger,
  { recurring_id, occurrence_date }: { recurring_id: number; occurrence_date: string },
  transaction_id: number | null,
): Promise<void> {
  const param = { id: recurring_id, date: occurrence_date }
  const { $put } = client.api.recurring[':id'].occurrences[':date']
  await writeOrAsk(
    (options) => unwrap($put({ param, json: { transaction_id, ...options } })),
    'This makes a transfer of one side of it, or the side again of the transfer.',
  )
  await ledger.sync()
}

/**
 * Takes a transaction as the occurrence that it may be, and returns what undoes that. One that is recorded with another
 * amount gets that of the transaction, and the two are joined. Needs a network.
 */
export async function takeAs(ledger: Ledger, match: OccurrenceMatch): Promise<() => Promise<void>> {
  const { transaction, recorded_id } = match
  if (recorded_id === null) {
    await linkOccurrence(ledger, match, transaction.id)
    return () => linkOccurrence(ledger, match, null)
  }
  const change = 'This gives a recorded transaction the amount of the bank’s, and makes one of the two.'
  const before = ledger.transaction(recorded_id)?.amount
  const update = (amount = transaction.amount) =>
    writeOrAsk((options) => ledger.update('transaction', recorded_id, { amount }, options), change)
  const pair = { kind: 'duplicate' as const, ids: [recorded_id, transaction.id] }
  await update()
  await ledger.sync()
  await writeOrAsk(
    (options) => unwrap(client.api.matches.join.$post({ json: { ...pair, ...options } })),
    change,
  )
  await ledger.sync()
  return async () => {
    await separate({ id: recorded_id })
    await update(before)
    await ledger.sync()
  }
}
