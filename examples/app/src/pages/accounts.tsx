import { useState } from 'preact/hooks'
import type { Ledger, LedgerAccount } from 'purse-client'
import type { PageProps } from '../app.tsx'
import { money, typedAmount } from '../format.ts'
import { Dialog } from '../ui/dialog.tsx'
import { type Entries, Field, Form, Select } from '../ui/form.tsx'
import { Page } from '../ui/page.tsx'
import { say } from '../ui/toast.tsx'
import { Waits } from '../ui/waits.tsx'

export const accountTypes = { bank: 'Bank', mobile: 'Mobile money', cash: 'Cash' } as const

export function Accounts({ ledger }: PageProps) {
  const [edited, setEdited] = useState<LedgerAccount | 'new'>()
  const accounts = ledger.accounts()
  return (
    <Page title="Accounts" actions={<NewButton onClick={() => setEdited('new')} />}>
      {accounts.length === 0 && <p class="empty">Where is your money? Add a bank account, or your wallet.</p>}
      <ul class="cards">
        {accounts.map((account) => (
          <li key={account.key}>
            <h2>
              {account.name} <Waits of={account} />
            </h2>
            <p class="quiet">{accountTypes[account.type]}</p>
            <p class={`figure ${account.balance < 0 ? 'spent' : ''}`}>{money(account.balance)}</p>
            {account.notes && <p class="quiet">{account.notes}</p>}
            <p class="actions">
              <a href={`/transactions?account_id=${encodeURIComponent(account.key)}`}>Transactions</a>
              <button type="button" class="link" onClick={() => setEdited(account)}>
                Change
              </button>
            </p>
          </li>
        ))}
      </ul>
      {edited && <AccountForm ledger={ledger} account={edited} onDone={() => setEdited(undefined)} />}
    </Page>
  )
}

function NewButton({ onClick }: { onClick: () => void }) {
  return (
    <button type="button" class="primary" onClick={onClick}>
      Add account
    </button>
  )
}

type FormProps = { ledger: Ledger; account: LedgerAccount | 'new'; onDone: () => void }

export function AccountForm({ ledger, account, onDone }: FormProps) {
  const row = account === 'new' ? undefined : account
  const save = async ({ name = '', type, starting_balance = '', notes = '' }: Entries) => {
    const entered = {
      ...{ name, notes, type: type as LedgerAccount['type'] },
      starting_balance: typedAmount(starting_balance),
    }
    if (row) await ledger.update('account', row.key, entered)
    else await ledger.create('account', entered)
    onDone()
    say(row ? `${name} is changed.` : `${name} is added.`, ledger.undo)
  }
  const remove = async () => {
    if (!row) return
    await ledger.remove('account', row.key)
    onDone()
    say(`${row.name} is deleted, with its transactions.`, ledger.undo)
  }
  const actions = row && (
    <button type="button" class="danger" onClick={remove}>
      Delete
    </button>
  )
  return (
    <Dialog title={row ? 'Change account' : 'Add account'} onClose={onDone}>
      <Form submit={row ? 'Save' : 'Add'} onSubmit={save} actions={actions}>
        <Field label="Name" name="name" value={row?.name} maxLength={255} required />
        <Select label="Kind" name="type" value={row?.type} options={Object.entries(accountTypes)} />
        <Field
          {...{ label: 'Balance before the first transaction', name: 'starting_balance' }}
          {...{ value: row?.starting_balance ?? '0.00', inputMode: 'decimal', required: true }}
        />
        <Field label="Notes" name="notes" value={row?.notes} />
      </Form>
    </Dialog>
  )
}
