import { useState } from 'preact/hooks'
import type { Ledger, LedgerFilter, LedgerPage, LedgerTransaction } from 'purse-client'
import type { PageProps } from '../app.tsx'
import { failureOf } from '../failure.ts'
import { counted, longDay, money } from '../format.ts'
import { go, place } from '../router.ts'
import { titleOf, wayOf } from '../titles.ts'
import { Button } from '../ui/button.tsx'
import { Choice, Field, type Options, optionsOf } from '../ui/form.tsx'
import { Page } from '../ui/page.tsx'
import type { Edited } from '../ui/row-dialog.tsx'
import { TransactionDialog, types } from './transaction-dialog.tsx'

export function Transactions({ ledger }: PageProps) {
  const [edited, setEdited] = useState<Edited<LedgerTransaction>>()
  const [pages, setPages] = useState(1)
  const filter = Object.fromEntries(place.get().searchParams) as LedgerFilter
  const { rows, total, searched_back_to, failure } = find(ledger, filter, pages)
  return (
    <Page title="Transactions" add="Add transaction" onAdd={() => setEdited('new')}>
      <Filters ledger={ledger} filter={filter} />
      {failure && <p role="alert">{Object.values(failure.errors).flat().join(' ')}</p>}
      <p role="status">
        {counted(total, 'transaction') + (searched_back_to ? `, back to ${searched_back_to}` : '')}
      </p>
      <Days rows={rows} onChoose={setEdited} />
      {rows.length < total && <Button label="Show more" onClick={() => setPages(pages + 1)} />}
      {edited && <TransactionDialog {...{ ledger, edited, onDone: () => setEdited(undefined) }} />}
    </Page>
  )
}

/** The first pages of what the filter finds. It comes from the address, so it may be invalid. */
function find(ledger: Ledger, filter: LedgerFilter, pages: number) {
  try {
    const all = Array.from({ length: pages }, (_, at) => ledger.transactions({ ...filter, page: at + 1 }))
    return { ...(all[0] as LedgerPage), rows: all.flatMap(({ data }) => data), failure: undefined }
  } catch (error) {
    return { rows: [], total: 0, searched_back_to: null, failure: failureOf(error) }
  }
}

/** The filter is in the address, so that other pages can link to one. */
function Filters({ ledger, filter }: { ledger: Ledger; filter: LedgerFilter }) {
  const { q, account_id, category_id, type, from, to } = filter
  const [isOpen] = useState(Object.keys(filter).length > 0)
  const apply = (form: HTMLFormElement) => {
    const chosen = [...new FormData(form)].map(([name, value]) => [name, String(value)])
    go(`/transactions?${new URLSearchParams(chosen.filter(([, value]) => value))}`, { isReplacing: true })
  }
  const accounts: Options = [['', 'All'], ...optionsOf(ledger.accounts())]
  const categories: Options = [['', 'All'], ['none', 'Uncategorized'], ...optionsOf(ledger.categories())]
  return (
    <search>
      <form onInput={(event) => apply(event.currentTarget)} onSubmit={(event) => event.preventDefault()}>
        <input type="search" name="q" defaultValue={q} placeholder="Search" aria-label="Search" />
        <details open={isOpen}>
          <summary>Filters</summary>
          <div class="fields">
            <Choice label="Account" name="account_id" value={`${account_id}`} options={accounts} />
            <Choice label="Category" name="category_id" value={`${category_id}`} options={categories} />
            <Choice label="Type" name="type" value={type} options={[['', 'All'], ...types]} />
            <Field label="From" name="from" type="date" value={from} />
            <Field label="To" name="to" type="date" value={to} />
          </div>
        </details>
      </form>
    </search>
  )
}

const signs = { income: '+', expense: '−', transfer: '' }
type DaysProps = { rows: LedgerTransaction[]; onChoose: (row: LedgerTransaction) => void }

/** Whether a question about the row has to be answered first. */
const isAsked = ({ waits }: LedgerTransaction) => waits === 'conflict' || waits === 'rejected'

export function Days({ rows, onChoose }: DaysProps) {
  return [...Map.groupBy(rows, (row) => row.transaction_date)].map(([day, ofDay]) => (
    <section key={day} class="day">
      <h2>{longDay(day)}</h2>
      {ofDay.map((row) => (
        <button key={row.key} type="button" onClick={() => (isAsked(row) ? go('/changes') : onChoose(row))}>
          <span>
            {titleOf(row)} <Waits of={row} />
            <br />
            <small>{wayOf(row)}</small>
          </span>
          <strong class={row.type}>{signs[row.type] + money(row.amount)}</strong>
        </button>
      ))}
    </section>
  ))
}

const words = { waiting: 'not sent yet', conflict: 'changed elsewhere as well', rejected: 'refused' }

export function Waits({ of: { waits } }: { of: { waits: keyof typeof words | null } }) {
  return waits && <mark children={<small>{words[waits]}</small>} />
}
