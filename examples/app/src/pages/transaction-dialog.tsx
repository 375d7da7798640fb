import { useRef, useState } from 'preact/hooks'
import type { Entered, Ledger, LedgerTransaction } from 'purse-client'
import { typedAmount } from '../amounts.ts'
import { today } from '../format.ts'
import { client } from '../session.ts'
import { inWords } from '../titles.ts'
import {
  AmountField,
  Choice,
  doubtfulAmount,
  type Entries,
  Field,
  type Options,
  optionsOf,
  Segments,
} from '../ui/form.tsx'
import { type Edited, RowDialog } from '../ui/row-dialog.tsx'
import { say } from '../ui/toast.tsx'

type Type = LedgerTransaction['type']
type New = Entered['transaction']
type Props = { ledger: Ledger; edited: Edited<LedgerTransaction>; onDone: () => void }

export const types = Object.entries({ expense: 'Expense', income: 'Income', transfer: 'Transfer' })

export function TransactionDialog({ ledger, edited, onDone }: Props) {
  const row = edited === 'new' ? undefined : edited
  const [type, setType] = useState<Type>(row?.type ?? 'expense')
  const [because, setBecause] = useState('')
  const accounts = ledger.accounts()
  const possible = types.filter(([one]) => one !== 'transfer' || accounts.length > 1 || row?.type === one)
  const suggest = useSuggestion(ledger, type, setBecause)
  const day = row?.transaction_date ?? today(ledger.profile()?.timezone)
  return (
    <RowDialog
      noun="transaction"
      {...{ ledger, edited, onDone }}
      read={read}
      doubt={({ amount }, entered) => doubtfulAmount(amount) ?? (row ? undefined : twinOf(ledger, entered))}
    >
      <Segments
        label="Type"
        name="type"
        value={type}
        options={possible}
        onChoose={(one) => setType(one as Type)}
      />
      <AmountField label="Amount" name="amount" value={row?.amount} required autofocus />
      <Field
        label="Description"
        name="description"
        value={row?.description}
        maxLength={255}
        onInput={({ currentTarget }) => suggest(currentTarget)}
      />
      {type !== 'transfer' && (
        <Choice
          label="Category"
          name="category_id"
          value={row?.category?.key}
          options={[['', 'No category']]}
          // A refund is income in an expense category.
          groups={categoryGroups(ledger, type)}
          hint={ledger.categories().length > 0 ? because : noCategories}
        />
      )}
      <Ways {...{ ledger, type, row }} />
      <Field label="Date" name="transaction_date" type="date" value={day} {...dates} required />
      <details>
        <summary>More</summary>
        <Field label="Reference" name="reference" value={row?.reference} maxLength={255} />
        {row?.id && <Separate id={row.id} ledger={ledger} />}
      </details>
    </RowDialog>
  )
}

const noCategories = 'You have no categories. Save it without one, or add some under Categories.'

/** The dates that the API accepts. */
export const dates = { min: '1900-01-01', max: '2100-12-31' }

const typingPauseMs = 150

/** Chooses the category of a payee while its name is typed, unless the person has chosen one. */
function useSuggestion(ledger: Ledger, type: Type, explain: (because: string) => void) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const suggested = useRef('')
  return ({ form, value }: HTMLInputElement) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      const category = form?.elements.namedItem('category_id')
      if (!(category instanceof HTMLSelectElement)) return
      if (category.value !== '' && category.value !== suggested.current) return
      const found = ledger.suggestCategory(value, type)
      suggested.current = found?.category.key ?? ''
      category.value = suggested.current
      explain(found?.because ?? '')
    }, typingPauseMs)
  }
}

/** The categories for expenses, and those for income, as groups of a choice. Those of `first` come first. */
export const categoryGroups = (ledger: Ledger, first: Type = 'expense'): [string, Options][] =>
  types
    .slice(0, 2)
    .sort(([a], [b]) => Number(b === first) - Number(a === first))
    .map(([type, label]) => [label, optionsOf(ledger.categories().filter((one) => one.type === type))])

type WaysProps = { ledger: Ledger; type: Type; row: LedgerTransaction | undefined }

/** Where the money comes from, and where it goes. */
function Ways({ ledger, type, row }: WaysProps) {
  const accounts = optionsOf(ledger.accounts())
  const from = { name: 'account_id', value: row?.account.key, options: accounts, required: true }
  const to = { ...from, name: 'to_account_id', value: row?.to_account?.key ?? accounts[1]?.[0] }
  return (
    <>
      <Choice key="account" label={type === 'transfer' ? 'From' : 'Account'} {...from} />
      {type === 'transfer' && <Choice key="to" label="To" {...to} />}
    </>
  )
}

/** Takes a transaction apart that was made by joining two. */
function Separate({ id, ledger }: { id: number; ledger: Ledger }) {
  const separate = async ({ currentTarget }: { currentTarget: HTMLElement }) => {
    const dialog = currentTarget.closest('dialog')
    const { ok } = await client.api.matches.separate.$post({ json: { id } })
    await ledger.sync()
    // The transfer that it shows no longer exists.
    if (ok) dialog?.close()
    say(ok ? 'The two transactions are separate again.' : 'No other transaction was joined with this one.')
  }
  return <button type="button" class="outline" onClick={separate} children="Separate what was joined" />
}

/** Describes a transaction that this one may duplicate, by the rule of the API's 409 (docs/contract.md, Duplicates). */
function twinOf(ledger: Ledger, entered: New): string | undefined {
  const { account_id, transaction_date: day, type, reference } = entered
  const { data } = ledger.transactions({ account_id, from: day, to: day, type, per_page: 500 })
  const twin = data.find(
    (row) =>
      row.amount === entered.amount &&
      row.account.key === account_id &&
      (row.to_account?.key ?? null) === entered.to_account_id &&
      !(row.reference && reference && row.reference !== reference),
  )
  return twin && `There is one already: ${inWords(twin)}.`
}

function read(entries: Entries): New {
  const { amount = '', account_id = '', transaction_date = '', description = '', reference = '' } = entries
  const { to_account_id = null, category_id } = entries
  const refs = { account_id, to_account_id, category_id: category_id || null }
  return {
    type: entries.type as Type,
    amount: typedAmount(amount).amount,
    transaction_date,
    description,
    reference,
    ...refs,
  }
}
