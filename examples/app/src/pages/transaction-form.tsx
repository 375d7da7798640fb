import { useState } from 'preact/hooks'
import type { Entered, Ledger, LedgerTransaction } from 'purse-client'
import { money, shortDay, today, typedAmount } from '../format.ts'
import { Dialog } from '../ui/dialog.tsx'
import { type Entries, Field, Form, optionsOf, Select } from '../ui/form.tsx'
import { say } from '../ui/toast.tsx'
import { titleOf } from './transactions.tsx'

type Type = LedgerTransaction['type']
type Props = { ledger: Ledger; edited: LedgerTransaction | 'new'; onDone: () => void }

const types = { expense: 'Expense', income: 'Income', transfer: 'Transfer' } as const

export function TransactionForm({ ledger, edited, onDone }: Props) {
  const row = edited === 'new' ? undefined : edited
  const [type, setType] = useState<Type>(row?.type ?? 'expense')
  const [twin, setTwin] = useState<LedgerTransaction>()

  const save = async (entries: Entries) => {
    const entered = fieldsOf(entries, type)
    if (row) await ledger.update('transaction', row.key, entered)
    else {
      const found = twin ? undefined : twinOf(ledger, entered)
      if (found) return setTwin(found)
      await ledger.create('transaction', entered)
    }
    onDone()
    say(row ? 'The transaction is changed.' : 'The transaction is added.', ledger.undo)
  }
  const remove = async () => {
    if (!row) return
    await ledger.remove('transaction', row.key)
    onDone()
    say(`“${titleOf(row)}” is deleted.`, ledger.undo)
  }
  const actions = row && (
    <button type="button" class="danger" onClick={remove}>
      Delete
    </button>
  )
  return (
    <Dialog title={row ? 'Change transaction' : 'Add transaction'} onClose={onDone}>
      <Form
        submit={twin ? 'Add it all the same' : row ? 'Save' : 'Add'}
        onSubmit={save}
        onInput={() => setTwin(undefined)}
        actions={actions}
      >
        <TypeChoice type={type} onChoose={setType} />
        <Field
          {...{ label: 'Amount', name: 'amount', value: row?.amount, inputMode: 'decimal', autofocus: true }}
          {...{ placeholder: '0.00', autocomplete: 'off', required: true }}
        />
        <Places ledger={ledger} type={type} row={row} />
        <Field
          {...{ label: 'Date', name: 'transaction_date', type: 'date', required: true }}
          value={row?.transaction_date ?? today(ledger.profile()?.timezone)}
        />
        <Field label="Description" name="description" value={row?.description} maxLength={255} />
        <Field label="Reference" name="reference" value={row?.reference} maxLength={255} />
        {twin && (
          <p class="notice" role="alert">
            This looks like “{titleOf(twin)}”, {money(twin.amount)} on {shortDay(twin.transaction_date)},
            which is there already.
          </p>
        )}
      </Form>
    </Dialog>
  )
}

function TypeChoice({ type, onChoose }: { type: Type; onChoose: (type: Type) => void }) {
  return (
    <fieldset class="choice">
      <legend>Type</legend>
      {(Object.keys(types) as Type[]).map((one) => (
        <label key={one}>
          <input type="radio" name="type" checked={type === one} onChange={() => onChoose(one)} />
          {types[one]}
        </label>
      ))}
    </fieldset>
  )
}

/** Where the money comes from, and where it goes. */
function Places({ ledger, type, row }: { ledger: Ledger; type: Type; row: LedgerTransaction | undefined }) {
  const all = ledger.accounts()
  const from = { name: 'account_id', value: row?.account.key, options: optionsOf(all), required: true }
  if (type === 'transfer')
    return (
      <>
        <Select {...from} label="From" />
        <Select {...from} label="To" name="to_account_id" value={row?.to_account?.key ?? all[1]?.key} />
      </>
    )
  // Those that fit come first. A refund is income in a category of expenses.
  const categories = ledger.categories().sort((a, b) => Number(b.type === type) - Number(a.type === type))
  const none = ['', row ? 'Uncategorized' : 'Choose …'] as const
  return (
    <>
      <Select {...from} label="Account" />
      <Select
        {...{ label: 'Category', name: 'category_id', value: row?.category?.key, required: !row }}
        options={[none, ...optionsOf(categories)]}
      />
    </>
  )
}

function fieldsOf(entries: Entries, type: Type): Entered['transaction'] {
  const { amount = '', account_id = '', transaction_date = '', description = '', reference = '' } = entries
  return {
    ...{ type, account_id, transaction_date, description, reference },
    amount: typedAmount(amount),
    to_account_id: type === 'transfer' ? (entries.to_account_id ?? null) : null,
    category_id: type === 'transfer' ? null : entries.category_id || null,
  }
}

/** A transaction that this may be again, by the rule of the API, which asks for `force` (docs/contract.md). */
function twinOf(ledger: Ledger, entered: Entered['transaction']): LedgerTransaction | undefined {
  const { account_id, transaction_date: day, type, reference } = entered
  const { data } = ledger.transactions({ account_id, from: day, to: day, type, per_page: 1_000 })
  return data.find(
    (row) =>
      row.amount === entered.amount &&
      row.account.key === account_id &&
      (row.to_account?.key ?? null) === entered.to_account_id &&
      !(row.reference && reference && row.reference !== reference),
  )
}
