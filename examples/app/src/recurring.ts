import { type Ledger, unwrap } from 'purse-client'
import { shortDay } from './format.ts'
import { client } from './session.ts'
import { titleOfRule } from './titles.ts'

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
  await unwrap(client.api.recurring[':id'].occurrences[':date'].$put({ param, json: { transaction_id } }))
  await ledger.sync()
}
