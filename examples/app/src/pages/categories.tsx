import { useState } from 'preact/hooks'
import type { Ledger, LedgerCategory } from 'purse-client'
import { money } from '../amounts.ts'
import type { PageProps } from '../app.tsx'
import { monthName, today } from '../format.ts'
import { chooseLook, type HueName, hues, icons, type Look, lookOf } from '../looks.ts'
import { Badge } from '../ui/badge.tsx'
import { Waits } from '../ui/days.tsx'
import { type Entries, Field, Segments } from '../ui/form.tsx'
import { Page } from '../ui/page.tsx'
import { type Edited, RowDialog } from '../ui/row-dialog.tsx'
import { types } from './transaction-dialog.tsx'

export function Categories({ ledger }: PageProps) {
  const [edited, setEdited] = useState<Edited<LedgerCategory>>()
  const categories = ledger.categories()
  const month = today(ledger.profile()?.timezone).slice(0, 7)
  const sums = ledger.monthlyReport({ from: month, to: month }).months[0]?.categories ?? []
  // A refund is income in an expense category.
  const sumOf = ({ key, type }: LedgerCategory) =>
    sums.find((one) => one.category_key === key && one.type === type)
  return (
    <Page title="Categories" add="category" onAdd={() => setEdited('new')}>
      <div class="columns">
        {types.slice(0, 2).map(([type, label]) => (
          <article key={type} class="list">
            <h2>
              <span>{label}</span>
              <span>{monthName(month)}</span>
            </h2>
            {categories
              .filter((category) => category.type === type)
              .map((category) => (
                <button key={category.key} type="button" class="row" onClick={() => setEdited(category)}>
                  <Badge {...lookOf(category)} />
                  <span>
                    <bdi>{category.name}</bdi> <Waits of={category} />
                  </span>
                  <strong>{money(sumOf(category)?.total ?? 0)}</strong>
                </button>
              ))}
          </article>
        ))}
      </div>
      {edited && <CategoryDialog {...{ ledger, edited, onDone: () => setEdited(undefined) }} />}
    </Page>
  )
}

type DialogProps = { ledger: Ledger; edited: Edited<LedgerCategory>; onDone: () => void }

function CategoryDialog(props: DialogProps) {
  const row = props.edited === 'new' ? undefined : props.edited
  const [look, setLook] = useState<Look>(row ? lookOf(row) : { icon: 'tag', hue: 'grey' })
  const chosen = { look, onChoose: setLook }
  const read = ({ name = '', type }: Entries) => ({ name, type: type as LedgerCategory['type'] })
  return (
    <RowDialog noun="category" {...props} read={read} onSaved={(key) => chooseLook(key, look)}>
      <Field label="Name" name="name" value={row?.name} maxLength={255} required autofocus />
      <Segments label="Type" name="type" value={row?.type ?? 'expense'} options={types.slice(0, 2)} />
      <Looks label="Colour" name="hue" {...chosen} looks={hueNames.map((hue) => ({ ...look, hue }))} />
      <Looks label="Icon" name="icon" {...chosen} looks={icons.map((icon) => ({ ...look, icon }))} />
    </RowDialog>
  )
}

const hueNames = Object.keys(hues) as HueName[]

type LooksProps = {
  label: string
  name: 'hue' | 'icon'
  look: Look
  looks: Look[]
  onChoose: (look: Look) => void
}

/** Looks to choose from, each with its name for those who cannot see it. They are kept on this device. */
const Looks = ({ label, name, look, looks, onChoose }: LooksProps) => (
  <fieldset>
    <legend>{label}</legend>
    <div class="choices">
      {looks.map((one) => (
        <label key={one[name]} title={one[name]}>
          <input
            type="radio"
            name={name}
            aria-label={one[name]}
            defaultChecked={one[name] === look[name]}
            onChange={() => onChoose(one)}
          />
          <Badge {...one} />
        </label>
      ))}
    </div>
  </fieldset>
)
