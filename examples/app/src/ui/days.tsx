import type { LedgerTransaction } from 'purse-client'
import { money } from '../amounts.ts'
import { longDay, longDayOfYear, today } from '../format.ts'
import { lookOf } from '../looks.ts'
import { go } from '../router.ts'
import { titleOf, wayOf } from '../titles.ts'
import { Amount, signed } from './amount.tsx'
import { Badge, Icon } from './icon.tsx'

type Selection = { chosen: Set<string>; toggle: (row: LedgerTransaction) => void }
type DaysProps = {
  rows: LedgerTransaction[]
  /** More rows follow, perhaps of the same day, so that the last day has no total. */
  isCut: boolean
  onChoose: (row: LedgerTransaction) => void
  /** Present while rows are being selected: they get a checkbox in place of a button. */
  selection?: Selection | undefined
}

/** Whether a question about the row has to be answered first. */
const isAsked = ({ waits }: LedgerTransaction) => waits === 'conflict' || waits === 'rejected'

/** Transactions by day, each day with what it earned or cost. */
export function Days({ rows, isCut, onChoose, selection }: DaysProps) {
  const days = [...Map.groupBy(rows, (row) => row.transaction_date)]
  const thisYear = today().slice(0, 4)
  return days.map(([day, ofDay], index) => (
    <section key={day} class="day">
      <article class="list">
        <h2>
          <span>{day.startsWith(thisYear) ? longDay(day) : longDayOfYear(day)}</span>
          {!(isCut && index === days.length - 1) && <Amount text={totalOf(ofDay)} />}
        </h2>
        {ofDay.map((row) =>
          selection ? (
            <label key={row.key} class="row">
              <input
                type="checkbox"
                checked={selection.chosen.has(row.key)}
                onChange={() => selection.toggle(row)}
              />
              <Row row={row} />
            </label>
          ) : (
            <button
              key={row.key}
              type="button"
              class="row"
              onClick={() => (isAsked(row) ? go('/changes') : onChoose(row))}
              children={<Row row={row} />}
            />
          ),
        )}
      </article>
    </section>
  ))
}

function Row({ row }: { row: LedgerTransaction }) {
  return (
    <>
      <Badge {...(row.type === 'transfer' ? transferLook : lookOf(row.category))} />
      <span>
        <span>
          <bdi>{titleOf(row)}</bdi> {row.recurring_key !== null && <Repeats />} <Waits of={row} />
        </span>
        <small>{wayOf(row)}</small>
      </span>
      <Amount class={row.type} text={row.type === 'transfer' ? money(row.amount) : signed(row)} />
    </>
  )
}

/** A mark of the occurrences of recurring transactions. */
const Repeats = () => (
  <span class="repeats">
    <Icon name="repeat" />
    <span class="hidden">recurring</span>
  </span>
)

export const transferLook = { icon: 'swap', hue: 'grey' } as const

/** What the income of some rows leaves after their expenses, or nothing if they are all transfers. */
function totalOf(rows: LedgerTransaction[]): string {
  const counted = rows.filter(({ type }) => type !== 'transfer')
  const cents = counted.reduce((sum, { type, amount }) => {
    const own = BigInt(amount.replace('.', ''))
    return type === 'income' ? sum + own : sum - own
  }, 0n)
  return counted.length > 0 ? (cents > 0n ? '+' : '') + money(`${cents}e-2`) : ''
}

const words = { waiting: 'not sent yet', conflict: 'changed elsewhere as well', rejected: 'refused' }

export function Waits({ of: { waits } }: { of: { waits: keyof typeof words | null } }) {
  return waits && <mark>{words[waits]}</mark>
}
