import { useState } from 'preact/hooks'
import type { Ledger, LedgerAccount } from 'purse-client'
import type { PageProps } from '../app.tsx'
import { money, typedAmount } from '../format.ts'
import { Button } from '../ui/button.tsx'
import { Choice, type Entries, Field } from '../ui/form.tsx'
import { Page } from '../ui/page.tsx'
import { type Edited, RowDialog } from '../ui/row-dialog.tsx'
import { Waits } from './transactions.tsx'

const types = { bank: 'Bank', mobile: 'Mobile money', cash: 'Cash' }

export function Accounts({ ledger }: PageProps) {
  const [edited, setEdited] = useState<Edited<LedgerAccount>>()
  const accounts = ledger.accounts()
  return (
    <Page title="Accounts" add="Add account" onAdd={() => setEdited('new')}>
      {accounts.length === 0 && <p>Where is your money? Add a bank account, or your wallet.</p>}
      <div class="fields">
        {accounts.map((account) => (
          <article key={account.key}>
            <h2>
              {account.name} {account.waits && <a href="/changes" children={<Waits of={account} />} />}
            </h2>
            <small>{types[account.type]}</small>
            <p class="figure">{money(account.balance)}</p>
            {account.notes && <p>{account.notes}</p>}
            <div class="line">
              <a href={`/transactions?account_id=${encodeURIComponent(account.key)}`}>Transactions</a>
              <Button label="Change" isMain={false} onClick={() => setEdited(account)} />
            </div>
          </article>
        ))}
      </div>
      {edited && <AccountDialog {...{ ledger, edited, onDone: () => setEdited(undefined) }} />}
    </Page>
  )
}

type DialogProps = { ledger: Ledger; edited: Edited<LedgerAccount>; onDone: () => void }

export function AccountDialog(props: DialogProps) {
  const row = props.edited === 'new' ? undefined : props.edited
  const read = ({ name = '', type, starting_balance = '', notes = '' }: Entries) => ({
    ...{ name, type: type as LedgerAccount['type'], notes },
    starting_balance: typedAmount(starting_balance),
  })
  const balance = row?.starting_balance ?? '0.00'
  return (
    <RowDialog noun="account" {...props} read={read}>
      <Field label="Name" name="name" value={row?.name} maxLength={255} required autofocus />
      <Choice label="Kind" name="type" value={row?.type} options={Object.entries(types)} />
      <Field
        label="Balance beforehand"
        name="starting_balance"
        value={balance}
        inputMode="decimal"
        required
      />
      <Field label="Notes" name="notes" value={row?.notes} maxLength={10_000} />
    </RowDialog>
  )
}
