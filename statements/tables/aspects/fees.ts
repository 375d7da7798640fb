import type { Minor } from '../../../src/domain/money.ts'
import type { Aspect, Aspects, Proved } from '../../shared/aspect.ts'
import { quoted } from '../../shared/text.ts'
import type { CsvTable } from '../text/table.ts'
import { signsByBalances } from './balances.ts'
import { type Entry, withFee } from './entry.ts'
import { headerOf } from './marks.ts'

/** The entries with fees as the account paid them. Files write fees with either sign, and with both if some were refunded. */
export function withCharges(entries: Entry[]): Entry[] {
  const areMixed = entries.some(({ fee }) => (fee ?? 0) < 0) && entries.some(({ fee }) => (fee ?? 0) > 0)
  const side = areMixed && !areNet(entries) ? -1 : 1
  const charge = (fee: Minor) => (areMixed ? fee * side : Math.abs(fee)) as Minor
  return entries.map((entry) => ({ ...entry, fee: entry.fee && charge(entry.fee) }))
}

const areNet = (entries: Entry[]) =>
  entries.every((entry) => entry.net !== null && Math.abs(entry.net) === Math.abs(withFee(entry)))

/** The entries of each account with the fees that were charged besides their amounts. */
export function settleFees(table: CsvTable, groups: Entry[][], aspects: Aspects): Entry[][] {
  const entries = groups.flat()
  const line = entries.find(({ fee }) => fee)?.row.line
  if (line === undefined) return groups
  const fees = aspects.settle('fees', () => {
    if (areNet(entries))
      return {
        value: 'extra',
        proof: `amount and fee add up to ${headerOf(table, table.columns.net?.[0])} in all rows`,
        line,
      }
    const shown = byBalances(groups)
    return shown ? { ...shown, line } : question(table, entries)
  })
  if (fees !== 'extra') return groups
  return groups.map((group) => group.map((entry) => ({ ...entry, amount: withFee(entry) })))
}

/** Whether the balances follow with the fees or without them; each row with a fee is compared with the rows around it. */
function byBalances(groups: Entry[][]): Proved | null {
  const found = new Set<'included' | 'extra'>()
  for (const group of groups)
    for (const [i, entry] of group.entries()) {
      if (!entry.fee) continue
      const around = group.slice(Math.max(0, i - 1), i + 2)
      const follows = (amount: Minor) =>
        signsByBalances(
          around.map((one) => (one === entry ? { ...one, amount } : { ...one, amount: withFee(one) })),
        ) === 'as_written'
      const isExtra = follows(withFee(entry))
      // The steps around an amount may not contain it.
      if (isExtra !== follows(entry.amount)) found.add(isExtra ? 'extra' : 'included')
    }
  const [value, ...others] = found
  return value && others.length === 0 ? { value, proof: 'the balances follow only so' } : null
}

function question(table: CsvTable, entries: Entry[]): Aspect {
  const entry = entries.find(({ fee }) => fee)
  const header = headerOf(table, table.columns.fee?.[0])
  return {
    question: `Nothing in the file proves whether the amounts contain the fees in the column ${header}, such as ${quoted(entry?.row.fee.text ?? '')} in row ${entry?.row.line}. Send fees=included, fees=extra or fees=ignored.`,
    options: [
      { value: 'included', label: 'The amounts contain the fees.' },
      { value: 'extra', label: 'The fees were charged besides the amounts.' },
      { value: 'ignored', label: 'The fees were not charged to this account.' },
    ],
  }
}
