import { useRef, useState } from 'preact/hooks'
import type { Entered, Ledger, LedgerTransaction } from 'purse-client'
import { typedAmount } from '../amounts.ts'
import { failureOf } from '../failure.ts'
import { today } from '../format.ts'
import { categoriesOf } from '../order.ts'
import { linkOccurrence, occurrenceInWords } from '../recurring.ts'
import { client } from '../session.ts'
import { inWords } from '../titles.ts'
import { Button } from '../ui/button.tsx'
import {
  AmountField,
  accountOptions,
  Choice,
  doubtfulAmount,
  type Entries,
  Field,
  optionsOf,
  Segments,
} from '../ui/form.tsx'
import { type DialogProps, RowDialog } from '../ui/row-dialog.tsx'
import { hush, say } from '../ui/toast.tsx'

type Type = LedgerTransaction['type']
type New = Entered['transaction']

export const types = Object.entries({ expense: 'Expense', income: 'Income', transfer: 'Transfer' })
export const categoryTypes = types.filter(([type]) => type !== 'transfer')

export function TransactionDialog({ ledger, edited, onDone }: DialogProps<LedgerTransaction>) {
  const row = edited === 'new' ? undefined : edited
  const [type, setType] = useState<Type>(row?.type ?? 'expense')
  const [because, setBecause] = useState('')
  const accounts = accountOptions(ledger)
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
      <Choice
        {...{ name: 'account_id', value: row?.account.key, options: accounts, required: true }}
        label={type === 'transfer' ? 'From' : 'Account'}
      />
      {type === 'transfer' && (
        <Choice
          {...{ label: 'To', name: 'to_account_id', options: accounts, required: true }}
          value={row?.to_account?.key ?? accounts[1]?.[0]}
        />
      )}
      <Field label="Date" name="transaction_date" type="date" value={day} {...dates} required />
      <details>
        <summary>More</summary>
        <Field label="Reference" name="reference" value={row?.reference} maxLength={255} />
        {/* A join changes the row, so one of the first version is none. */}
        {row?.id && row.version > 1 && <Separate id={row.id} ledger={ledger} />}
      </details>
      {row && <Occurrence ledger={ledger} row={row} />}
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
export const categoryGroups = (ledger: Ledger, first: Type = 'expense') =>
  categoryTypes
    .toSorted(([a], [b]) => Number(b === first) - Number(a === first))
    .map(
      ([type, label]) => [label, optionsOf(categoriesOf(ledger).filter((one) => one.type === type))] as const,
    )

/** Takes a transaction apart that was made by joining two. */
function Separate({ id, ledger }: { id: number; ledger: Ledger }) {
  const separate = async ({ currentTarget }: { currentTarget: HTMLButtonElement }) => {
    currentTarget.disabled = true
    const { ok } = await client.api.matches.separate.$post({ json: { id } }).finally(() => {
      currentTarget.disabled = false
    })
    await ledger.sync()
    // The transfer that it shows no longer exists, nor does the join that a message offers to undo.
    if (ok) {
      currentTarget.closest('dialog')?.close()
      hush()
    }
    say(ok ? 'The two transactions are separate again.' : 'No other transaction was joined with this one.')
  }
  return <button type="button" class="outline" onClick={separate} children="Separate what was joined" />
}

/** The recurring transaction that a transaction belongs to, and a way to part them. */
function Occurrence({ ledger, row }: { ledger: Ledger; row: LedgerTransaction }) {
  const { recurring_id, recurring_key, occurrence_date } = row
  const text = occurrenceInWords(ledger, row)
  if (!text || recurring_id === null || recurring_key === null || occurrence_date === null) return null
  const occurrence = { recurring_id, occurrence_date }
  const part = async ({ currentTarget }: { currentTarget: HTMLButtonElement }) => {
    const dialog = currentTarget.closest('dialog')
    try {
      await linkOccurrence(ledger, occurrence, null)
      dialog?.close()
      say(`It is not ${text} any more.`, () => linkOccurrence(ledger, occurrence, row.id))
    } catch (error) {
      say(failureOf(error).message)
    }
  }
  return (
    <p class="line">
      <a href={`/recurring?rule=${encodeURIComponent(recurring_key)}`}>{text}</a>
      {row.id !== null && <Button label="Not this one" isMain={false} onClick={part} />}
    </p>
  )
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

function read({ type, amount = '', category_id, ...others }: Entries): New {
  const { account_id = '', to_account_id = null, transaction_date = '', ...texts } = others
  const own = { ...texts, account_id, to_account_id, transaction_date }
  return { ...own, type: type as Type, amount: typedAmount(amount).amount, category_id: category_id || null }
}
