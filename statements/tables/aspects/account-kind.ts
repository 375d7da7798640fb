import type { Aspects } from '../../shared/aspect.ts'
import { needDays } from '../../shared/known.ts'
import type { CsvTable } from '../text/table.ts'
import { balancesOfDays } from './balances.ts'
import { debtIn } from './direction.ts'
import type { Entry } from './entry.ts'

/** The kinds of accounts whose balance is what the holder has, not what is owed. */
const ownKinds = ['current', 'savings']

/**
 * The proof by the kind of the account: amounts are as in a current or a savings account. Null for another kind, for a file
 * that speaks of a card or a loan, and if most amounts would raise a balance that fell.
 */
export function provedByKind(table: CsvTable, groups: Entry[][], aspects: Aspects): string | null {
  const kind = aspects.known?.kind
  if (!kind || !ownKinds.includes(kind)) return null
  const isDebt = groups.some((group) =>
    debtIn(
      table,
      group.map(({ row, amount, balance }) => ({ row, change: amount, balance })),
    ),
  )
  if (isDebt || (mostlyRaise(groups.flat()) && hasFallen(groups, aspects))) return null
  // Recorded rows may show the opposite.
  needDays(groups.flat(), aspects)
  return asInKind(kind)
}

const asInKind = (kind: string) => `as in a ${kind} account`

/** True if the signs are settled by the kind of the account alone. */
export const isByKind = ({ settled, known }: Aspects): boolean =>
  settled.signs?.proof === asInKind(known?.kind ?? '')

function mostlyRaise(entries: Entry[]): boolean {
  const moved = entries.filter(({ amount }) => amount !== 0)
  return moved.filter(({ amount }) => amount > 0).length * 2 > moved.length
}

/** True if the account held less at the end than at the beginning, as far as that is known or stated. */
function hasFallen(groups: Entry[][], { known }: Aspects): boolean {
  const held = [
    (known?.balances ?? []).map(({ amount }) => amount),
    ...groups.map((group) => [...balancesOfDays(group).days.values()]),
  ]
  return held.some((balances) => (balances.at(-1) ?? 0) < (balances[0] ?? 0))
}
