import { useState } from 'preact/hooks'
import type { Ledger, LedgerFilter, LedgerTransaction } from 'purse-client'
import { money } from '../amounts.ts'
import type { PageProps } from '../app.tsx'
import { failureOf } from '../failure.ts'
import { counted, dotted } from '../format.ts'
import { go, place, useKept } from '../router.ts'
import { find } from '../search.ts'
import { Button } from '../ui/button.tsx'
import { Days } from '../ui/days.tsx'
import { FirstAccount } from '../ui/first-steps.tsx'
import { accountOptions, Choice, type Entries, Field, Form, type Options } from '../ui/form.tsx'
import { Page } from '../ui/page.tsx'
import type { Edited } from '../ui/row-dialog.tsx'
import { ShowMore } from '../ui/show-more.tsx'
import { writeAndSay } from '../ui/toast.tsx'
import { categoryGroups, dates, TransactionDialog, types } from './transaction-dialog.tsx'

export function Transactions({ ledger }: PageProps) {
  const [edited, setEdited] = useState<Edited<LedgerTransaction>>()
  const [pages, setPages] = useKept('pages', 1)
  const [chosen, setChosen] = useState<string[]>()
  const filter = Object.fromEntries(place.get().searchParams) as LedgerFilter
  const { rows, total, failure } = tryToFind(ledger, filter, pages)
  const account = ledger.accounts().find(({ key }) => key === filter.account_id)
  const toggle = ({ key }: LedgerTransaction) =>
    setChosen((before = []) =>
      before.includes(key) ? before.filter((one) => one !== key) : [...before, key],
    )
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
            onClick={() => setChosen(chosen ? undefined : [])}
          />
        )}
      </div>
      {chosen && (
        <FileUnder
          ledger={ledger}
          rows={rows.filter(({ key }) => chosen.includes(key))}
          onAll={() => setChosen(rows.map(({ key }) => key))}
          onDone={() => setChosen(undefined)}
        />
      )}
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

/** The filter comes from the address, so it may be invalid. */
function tryToFind(ledger: Ledger, filter: LedgerFilter, pages: number) {
  try {
    return { ...find(ledger, filter, pages), failure: undefined }
  } catch (error) {
    return { rows: [], total: 0, failure: failureOf(error) }
  }
}

type FileProps = { ledger: Ledger; rows: LedgerTransaction[]; onAll: () => void; onDone: () => void }

/** Puts the selected transactions in one category, and proposes that of their payee. */
function FileUnder({ ledger, rows, onAll, onDone }: FileProps) {
  const filed = rows.filter(({ type }) => type !== 'transfer')
  const found = filed.map(({ description, type }) => ledger.suggestCategory(description ?? '', type))
  const agreed = found.every((one) => one?.category.key === found[0]?.category.key) ? found[0] : undefined
  const [chosen, setChosen] = useState<string>()
  const file = async ({ category_id = '' }: Entries) => {
    const changed = filed.filter(({ category }) => category?.key !== category_id)
    const keys = changed.map(({ key }) => key)
    await writeAndSay(
      ledger,
      () => ledger.update('transaction', keys, { category_id }),
      `${counted(filed.length, 'transaction')} filed.`,
    )
    onDone()
  }
  return (
    <article class="selection">
      <Form
        submit={`File ${counted(filed.length, 'transaction')}`}
        isDisabled={filed.length === 0}
        onSubmit={file}
        onInput={({ target }) => setChosen((target as HTMLSelectElement).value)}
      >
        <div class="line">
          <span role="status">{filed.length} selected</span>
          <Button label="Select all shown" isMain={false} onClick={onAll} />
        </div>
        <Choice
          label="Category"
          name="category_id"
          value={chosen ?? agreed?.category.key}
          options={[['', 'Choose …']]}
          groups={categoryGroups(ledger)}
          hint={agreed?.because ?? ''}
          required
        />
      </Form>
    </article>
  )
}

type FiltersProps = { ledger: Ledger; filter: LedgerFilter; onChange: () => void }

/** The filter is in the address, so that other pages can link to one. */
function Filters({ ledger, filter, onChange }: FiltersProps) {
  const { q, account_id, category_id, type, import_id, from, to } = filter
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
          placeholder="Search payees, categories, amounts"
          aria-label="Search"
        />
        {import_id && <input type="hidden" name="import_id" value={String(import_id)} />}
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
