import { useState } from 'preact/hooks'
import type { LedgerCategory } from 'purse-client'
import { money } from '../amounts.ts'
import type { PageProps } from '../app.tsx'
import { counted, monthName, today } from '../format.ts'
import { chooseLook, hues, icons, type Look, lookOf } from '../looks.ts'
import { categoriesOf } from '../order.ts'
import { Amount } from '../ui/amount.tsx'
import { Waits } from '../ui/days.tsx'
import { Empty } from '../ui/empty.tsx'
import { type Entries, Field, type Options, Segments } from '../ui/form.tsx'
import { Badge } from '../ui/icon.tsx'
import { Page } from '../ui/page.tsx'
import { type DialogProps, type Edited, RowDialog } from '../ui/row-dialog.tsx'
import { categoryTypes } from './transaction-dialog.tsx'

export function Categories({ ledger }: PageProps) {
  const [edited, setEdited] = useState<Edited<LedgerCategory>>()
  const categories = categoriesOf(ledger)
  const month = today(ledger.profile()?.timezone).slice(0, 7)
  const sums = ledger.monthlyReport({ from: month, to: month }).months[0]?.categories ?? []
  // A refund is income in an expense category.
  const sumOf = ({ key, type }: LedgerCategory) =>
    sums.find((one) => one.category_key === key && one.type === type)
  return (
    <Page title="Categories" add="category" onAdd={() => setEdited('new')}>
      {categories.length === 0 && (
        <Empty title="No categories">
          <p>With categories, such as groceries and rent, you see what your money is spent on.</p>
        </Empty>
      )}
      <div class="columns">
        {categoryTypes.map(([type, label]) => (
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
                  <Amount text={money(sumOf(category)?.total ?? 0)} />
                </button>
              ))}
          </article>
        ))}
      </div>
      {edited && <CategoryDialog {...{ ledger, edited, onDone: () => setEdited(undefined) }} />}
    </Page>
  )
}

function CategoryDialog(props: DialogProps<LedgerCategory>) {
  const row = props.edited === 'new' ? undefined : props.edited
  const filed = row ? props.ledger.transactions({ category_id: row.key, per_page: 1 }).total : 0
  const [look, setLook] = useState<Look>(row ? lookOf(row) : { icon: 'tag', hue: 'grey' })
  const read = ({ name = '', type }: Entries) => ({ name, type: type as LedgerCategory['type'] })
  return (
    <RowDialog
      noun="category"
      {...props}
      read={read}
      removal={
        filed > fewRows && (
          <p role="alert">{`This leaves ${counted(filed, 'transaction')} without a category.`}</p>
        )
      }
      onSaved={(key, { name = '' }) => chooseLook({ key, name }, look)}
    >
      <Field label="Name" name="name" value={row?.name} maxLength={255} required autofocus />
      <Segments label="Type" name="type" value={row?.type ?? 'expense'} options={categoryTypes} />
      <Segments
        {...{ label: 'Colour', name: 'hue', value: look.hue, options: named(Object.keys(hues)) }}
        onChoose={(hue) => setLook({ ...look, hue: hue as Look['hue'] })}
        show={(hue) => <Badge {...look} hue={hue as Look['hue']} />}
      />
      <Segments
        {...{ label: 'Icon', name: 'icon', value: look.icon, options: named(icons) }}
        onChoose={(icon) => setLook({ ...look, icon: icon as Look['icon'] })}
        show={(icon) => <Badge {...look} icon={icon as Look['icon']} />}
      />
    </RowDialog>
  )
}

/** A category with more transactions is not deleted at one click. */
const fewRows = 10

const named = (names: string[]): Options => names.map((one) => [one, one])
