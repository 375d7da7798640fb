import { useState } from 'preact/hooks'
import type { Ledger, LedgerFilter, LedgerTransaction } from 'purse-client'
import type { PageProps } from '../app.tsx'
import { counted, longDay, money } from '../format.ts'
import { go, place } from '../router.ts'
import { Page } from '../ui/page.tsx'
import { Waits } from '../ui/waits.tsx'
import { TransactionForm } from './transaction-form.tsx'

const perPage = 50

export function Transactions({ ledger }: PageProps) {
  const [edited, setEdited] = useState<LedgerTransaction | 'new'>()
  const [shown, setShown] = useState(perPage)
  const filter = Object.fromEntries(place.get().searchParams) as LedgerFilter
  const { data, total, searched_back_to } = ledger.transactions({ ...filter, per_page: shown })
  const hasAccounts = ledger.accounts().length > 0
  const add = (
    <button type="button" class="primary" disabled={!hasAccounts} onClick={() => setEdited('new')}>
      Add transaction
    </button>
  )
  return (
    <Page title="Transactions" actions={add}>
      <Filters ledger={ledger} filter={filter} />
      <p class="quiet" role="status">
        {hasAccounts ? counted(total, 'transaction') : <a href="/accounts">Add an account first</a>}
        {searched_back_to && `, searched back to ${searched_back_to}`}
      </p>
      <Days rows={data} onChoose={setEdited} />
      {data.length < total && (
        <button type="button" class="wide" onClick={() => setShown(shown + perPage)}>
          Show more
        </button>
      )}
      {edited && <TransactionForm ledger={ledger} edited={edited} onDone={() => setEdited(undefined)} />}
    </Page>
  )
}

function Filters({ ledger, filter }: { ledger: Ledger; filter: LedgerFilter }) {
  const apply = (form: HTMLFormElement) => {
    const chosen = [...new FormData(form)].map(([name, value]) => [name, String(value)])
    go(`/transactions?${new URLSearchParams(chosen.filter(([, value]) => value))}`, { isReplacing: true })
  }
  const options = (rows: { key: string; name: string }[]) =>
    rows.map(({ key, name }) => (
      <option key={key} value={key}>
        {name}
      </option>
    ))
  return (
    <search>
      <form
        class="filters"
        onInput={(event) => apply(event.currentTarget)}
        onSubmit={(event) => event.preventDefault()}
      >
        <input type="search" name="q" value={filter.q} placeholder="Search" aria-label="Search" />
        <select name="account_id" value={filter.account_id ?? ''} aria-label="Account">
          <option value="">All accounts</option>
          {options(ledger.accounts())}
        </select>
        <select name="category_id" value={filter.category_id ?? ''} aria-label="Category">
          <option value="">All categories</option>
          <option value="none">Uncategorized</option>
          {options(ledger.categories())}
        </select>
        <select name="type" value={filter.type ?? ''} aria-label="Type">
          <option value="">All types</option>
          <option value="expense">Expenses</option>
          <option value="income">Income</option>
          <option value="transfer">Transfers</option>
        </select>
        <input type="date" name="from" value={filter.from} aria-label="From" />
        <input type="date" name="to" value={filter.to} aria-label="To" />
      </form>
    </search>
  )
}

type DaysProps = { rows: LedgerTransaction[]; onChoose: (row: LedgerTransaction) => void }

/** Transactions under the days on which they were. */
export function Days({ rows, onChoose }: DaysProps) {
  const days = Map.groupBy(rows, (row) => row.transaction_date)
  return [...days].map(([day, ofDay]) => (
    <section key={day} class="day">
      <h2>{longDay(day)}</h2>
      <ul>
        {ofDay.map((row) => (
          <li key={row.key}>
            <button type="button" onClick={() => onChoose(row)}>
              <span>
                <strong>{titleOf(row)}</strong> <Waits of={row} />
                <small>{placeOf(row)}</small>
              </span>
              <span class={`amount ${row.type}`}>
                {signs[row.type]}
                {money(row.amount)}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  ))
}

const signs = { income: '+', expense: '−', transfer: '' } as const

export function titleOf(row: LedgerTransaction): string {
  return row.description ?? row.category?.name ?? (row.type === 'transfer' ? 'Transfer' : 'Uncategorized')
}

function placeOf({ account, to_account, category }: LedgerTransaction): string {
  return to_account
    ? `${account.name} → ${to_account.name}`
    : [category?.name, account.name].filter(Boolean).join(' · ')
}
