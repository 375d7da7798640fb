import type { Case } from './cases.ts'
import type { Outcome } from './judge.ts'

/** Files by what shows which way their amounts go; `made` are those that were made to be asked about. */
export type Kind = 'statement' | 'proved CSV' | 'unproved CSV' | 'own CSV' | 'made'

/** The kind of a file, by how it was read in the end: one with a proof was not told its signs. */
export function kindOf({ name, kind, asks }: Case, { reading }: Outcome): Kind {
  if (name.includes('/class-') || (asks && asks.length > 0)) return 'made'
  if (/^(?:ofx|camt|mt940|qif)\//.test(name)) return 'statement'
  if (kind === 'own') return 'own CSV'
  return reading.settled.signs?.proof === 'as the request says' ? 'unproved CSV' : 'proved CSV'
}
