import { useState } from 'preact/hooks'
import type { Ledger, LedgerTransaction } from 'purse-client'
import { money } from '../amounts.ts'
import type { PageProps } from '../app.tsx'
import { failureOf } from '../failure.ts'
import { counted, dotted } from '../format.ts'
import { go, place, useKept } from '../router.ts'
import { find, findAll, type RowFilter } from '../search.ts'
import { Button } from '../ui/button.tsx'
import { Days } from '../ui/days.tsx'
import { Empty } from '../ui/empty.tsx'
import { FirstAccount } from '../ui/first-steps.tsx'
import { accountOptions, Choice, Field, type Options } from '../ui/form.tsx'
import { Page } from '../ui/page.tsx'
import type { Edited } from '../ui/row-dialog.tsx'
import { ShowMore } from '../ui/show-more.tsx'
import { Selection } from './selection.tsx'
import { categoryGroups, dates, TransactionDialog, types } from './transaction-dialog.tsx'

export function Transactions({ ledger }: PageProps) {
  const [edited, setEdited] = useState<Edited<LedgerTransaction>>()
  const [pages, setPages] = useKept('pages', 1)
  const [chosen, setChosen] = useState<Set<string>>()
  const filter = Object.fromEntries(place.get().searchParams) as RowFilter
  const { rows, total, failure } = tryToFind(ledger, filter, pages)
  const account = ledger.accounts().find(({ key }) => key === filter.account_id)
  const toggle = ({ key }: LedgerTransaction) =>
    setChosen((before) => {
      const after = new Set(before)
      if (!after.delete(key)) after.add(key)
      return after
    })
  if (ledger.accounts().length === 0)
    return <Page title="Transactions" children={<FirstAccount ledger={ledger} />} />
  return (
    <Page title="Transactions" add="transaction" onAdd={() => setEdited('new')}>
      <Filters ledger={ledger} filter={filter} onChange={() => setPages(1)} />
      {failure && <p role="alert">{Object.values(failure.errors).flat().join(' ')}</p>}
      <div class="line">
        <p role="status">
          {dotted(counted(total, 'transaction'), account && `balance ${money(account.balance)}`)}
        </p>
        {rows.length > 0 && (
          <Button
            label={chosen ? 'Done' : 'Select'}
            isMain={false}
            onClick={() => setChosen(chosen ? undefined : new Set())}
          />
        )}
      </div>
      {chosen && (
        <Selection
          {...{ ledger, keys: chosen, total }}
          onAll={() => setChosen(new Set(findAll(ledger, filter).map(({ key }) => key)))}
          onDone={() => setChosen(undefined)}
        />
      )}
      {total === 0 && !failure && <Nothing isFiltered={Object.keys(filter).length > 0} />}
      <Days
        rows={rows}
        isCut={rows.length < total}
        onChoose={setEdited}
        selection={chosen && { chosen, toggle }}
      />
      {rows.length < total && <ShowMore shown={rows.length} onMore={() => setPages(pages + 1)} />}
      {edited && <TransactionDialog {...{ ledger, edited, onDone: () => setEdited(undefined) }} />}
    </Page>
  )
}

/** Why the list is empty. */
function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty title="Nothing found">
        <p>No transaction is like this.</p>
        <a href="/transactions">Clear the search</a>
      </Empty>
    )
  return (
    <Empty title="No transactions yet">
      <p>
        Add the first one, or <a href="/import">import a file from your bank</a>.
      </p>
    </Empty>
  )
}

/** The filter comes from the address, so it may be invalid. */
function tryToFind(ledger: Ledger, filter: RowFilter, pages: number) {
  try {
    return { ...find(ledger, filter, pages), failure: undefined }
  } catch (error) {
    return { rows: [], total: 0, failure: failureOf(error) }
  }
}

type FiltersProps = { ledger: Ledger; filter: RowFilter; onChange: () => void }

/** The filter is in the address, so that other pages can link to one. */
function Filters({ ledger, filter, onChange }: FiltersProps) {
  const { q, account_id, category_id, type, import_id, rule, from, to } = filter
  const { q: _, ...others } = filter
  const filters = Object.keys(others).length
  const apply = (form: HTMLFormElement) => {
    const chosen = [...new FormData(form)].map(([name, value]) => [name, String(value)])
    onChange()
    go(`/transactions?${new URLSearchParams(chosen.filter(([, value]) => value))}`, { isReplacing: true })
  }
  const accounts: Options = [['', 'All'], ...accountOptions(ledger)]
  const categories = Object.entries({ '': 'All', none: 'Uncategorized' })
  return (
    <search>
      <form onInput={(event) => apply(event.currentTarget)} onSubmit={(event) => event.preventDefault()}>
        <input
          type="search"
          name="q"
          defaultValue={q}
          placeholder="Search: dentist, 12.50, > 100"
          aria-label="Search"
        />
        {import_id && <input type="hidden" name="import_id" value={String(import_id)} />}
        {rule && <input type="hidden" name="rule" value={rule} />}
        <details>
          <summary>{filters > 0 ? `Filters: ${filters} set` : 'Filters'}</summary>
          <div class="fields">
            <Choice label="Account" name="account_id" value={`${account_id}`} options={accounts} />
            <Choice
              label="Category"
              name="category_id"
              value={`${category_id}`}
              options={categories}
              groups={categoryGroups(ledger)}
            />
            <Choice label="Type" name="type" value={`${type}`} options={[['', 'All'], ...types]} />
            <Field label="From" name="from" type="date" value={from} {...dates} />
            <Field label="To" name="to" type="date" value={to} {...dates} />
          </div>
        </details>
        {filters > 0 && <a href="/transactions">Clear the filters</a>}
      </form>
    </search>
  )
}
