import { useState } from 'preact/hooks'
import type { Entered, Ledger, LedgerTransaction } from 'purse-client'
import { today, typedAmount } from '../format.ts'
import { inWords } from '../titles.ts'
import { Choice, type Entries, Field, type Options, optionsOf } from '../ui/form.tsx'
import { type Edited, RowDialog } from '../ui/row-dialog.tsx'

type Type = LedgerTransaction['type']
type New = Entered['transaction']
type Props = { ledger: Ledger; edited: Edited<LedgerTransaction>; onDone: () => void }

export const types = Object.entries({ expense: 'Expense', income: 'Income', transfer: 'Transfer' })

export function TransactionDialog({ ledger, edited, onDone }: Props) {
  const row = edited === 'new' ? undefined : edited
  const [type, setType] = useState<Type>(row?.type ?? 'expense')
  const day = row?.transaction_date ?? today(ledger.profile()?.timezone)
  return (
    <RowDialog
      noun="transaction"
      {...{ ledger, edited, onDone }}
      read={(entries) => read(entries, type)}
      doubt={(entered) => twinOf(ledger, entered)}
    >
      <fieldset class="line">
        {types.map(([one, label]) => (
          <label key={one}>
            <input type="radio" name="type" checked={type === one} onChange={() => setType(one as Type)} />
            {label}
          </label>
        ))}
      </fieldset>
      <Field label="Amount" name="amount" value={row?.amount} inputMode="decimal" required autofocus />
      <Ways ledger={ledger} type={type} row={row} />
      <Field label="Date" name="transaction_date" type="date" value={day} {...dates} required />
      <Field label="Description" name="description" value={row?.description} maxLength={255} />
      <Field label="Reference" name="reference" value={row?.reference} maxLength={255} />
    </RowDialog>
  )
}

/** The dates that the API accepts. */
const dates = { min: '1900-01-01', max: '2100-12-31' }

/** Where the money comes from, and where it goes. */
function Ways({ ledger, type, row }: { ledger: Ledger; type: Type; row: LedgerTransaction | undefined }) {
  const accounts = optionsOf(ledger.accounts())
  const from = { name: 'account_id', value: row?.account.key, options: accounts, required: true }
  const to = { ...from, name: 'to_account_id', value: row?.to_account?.key ?? accounts[1]?.[0] }
  // Those of the transaction's type come first. A refund is income in an expense category.
  const categories = ledger.categories().sort((a, b) => Number(b.type === type) - Number(a.type === type))
  const options: Options = [['', row ? 'Uncategorized' : 'Choose …'], ...optionsOf(categories)]
  const category = { name: 'category_id', value: row?.category?.key, options, required: !row }
  return (
    <>
      {accounts.length === 0 && <a href="/accounts">Add an account first</a>}
      <Choice key="account" label={type === 'transfer' ? 'From' : 'Account'} {...from} />
      {type === 'transfer' && <Choice key="to" label="To" {...to} />}
      {type !== 'transfer' && <Choice key="category" label="Category" {...category} />}
    </>
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

function read(entries: Entries, type: Type): New {
  const { amount = '', account_id = '', transaction_date = '', description = '', reference = '' } = entries
  const { to_account_id = null, category_id } = entries
  const refs = { account_id, to_account_id, category_id: category_id || null }
  return { type, amount: typedAmount(amount), transaction_date, description, reference, ...refs }
}
