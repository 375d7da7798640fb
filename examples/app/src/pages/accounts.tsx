import { useState } from 'preact/hooks'
import type { Ledger, LedgerAccount, LedgerCheck } from 'purse-client'
import { kindOf, kindOptions, lossWith, nameOfKind, openFirst, valueOfKind } from '../accounts.ts'
import { money, typedAmount } from '../amounts.ts'
import type { PageProps } from '../app.tsx'
import { differenceOf } from '../checks.ts'
import { counted, dayAfter, monthsUntil, shortDay, today } from '../format.ts'
import { Amount } from '../ui/amount.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { NetWorth } from '../ui/charts.tsx'
import { Waits } from '../ui/days.tsx'
import { FirstAccount } from '../ui/first-steps.tsx'
import { AmountField, Choice, doubtfulAmount, type Entries, Field } from '../ui/form.tsx'
import { Badge } from '../ui/icon.tsx'
import { Page } from '../ui/page.tsx'
import { type DialogProps, type Edited, RowDialog } from '../ui/row-dialog.tsx'
import { writeAndSay } from '../ui/toast.tsx'
import { dates } from './transaction-dialog.tsx'

const looks = {
  bank: { icon: 'bank', hue: 'blue' },
  mobile: { icon: 'phone', hue: 'violet' },
  cash: { icon: 'wallet', hue: 'green' },
} as const

export function Accounts({ ledger }: PageProps) {
  const [edited, setEdited] = useState<Edited<LedgerAccount>>()
  if (ledger.accounts().length === 0)
    return <Page title="Accounts" children={<FirstAccount ledger={ledger} />} />
  return (
    <Page title="Accounts" add="account" onAdd={() => setEdited('new')}>
      <div class="columns">
        <div>
          <AccountList ledger={ledger} onEdit={setEdited} />
        </div>
        <NetWorth ledger={ledger} {...monthsUntil(today(ledger.profile()?.timezone).slice(0, 7), 12)} />
      </div>
      {edited && <AccountDialog {...{ ledger, edited, onDone: () => setEdited(undefined) }} />}
    </Page>
  )
}

type ListProps = { ledger: Ledger; onEdit?: (account: LedgerAccount) => void }

/** Accounts with their balances, each linked to its page, and what they hold in all. */
export function AccountList({ ledger, onEdit }: ListProps) {
  const from = dayAfter(today(ledger.profile()?.timezone), 1)
  const { total: later } = ledger.transactions({ from, per_page: 1 })
  const checks = Map.groupBy(ledger.checks(), ({ account }) => account.key)
  return (
    <>
      <article class="line">
        <small>Total balance{later > 0 && `, with ${counted(later, 'transaction')} dated after today`}</small>
        <p class="figure">
          <Amount text={money(ledger.summary().total_balance)} />
        </p>
      </article>
      <article class="list">
        {openFirst(ledger).map((account) => (
          <div key={account.key} class="line">
            <a class="row" href={`/account?account=${encodeURIComponent(account.key)}`}>
              <Badge {...looks[account.type]} />
              <span>
                <bdi>{account.name}</bdi> <Waits of={account} />
                <small>
                  {account.closed_on ? `Closed on ${shortDay(account.closed_on)}` : nameOfKind(account)}{' '}
                  <Checked checks={checks.get(account.key) ?? []} />
                </small>
              </span>
              <Amount text={money(account.balance)} />
            </a>
            {onEdit && (
              <IconButton icon="pencil" label={`Change ${account.name}`} onClick={() => onEdit(account)} />
            )}
          </div>
        ))}
      </article>
    </>
  )
}

/** A tick if the account agrees with the bank, or by how much it does not. */
function Checked({ checks }: { checks: LedgerCheck[] }) {
  const broken = checks.findLast(({ state }) => state === 'broken')
  if (broken) return <mark>{differenceOf(broken)}</mark>
  return checks.length > 0 ? <span class="income">✓ as the bank</span> : null
}

export function AccountDialog(props: DialogProps<LedgerAccount>) {
  const row = props.edited === 'new' ? undefined : props.edited
  const read = ({ name = '', kind = '', starting_balance = '', notes = '', closed_on }: Entries) => ({
    ...{ name, ...kindOf(kind), notes },
    starting_balance: typedAmount(starting_balance).amount,
    closed_on: closed_on || null,
  })
  return (
    <RowDialog
      noun="account"
      {...props}
      read={read}
      doubt={({ starting_balance, closed_on }) =>
        doubtfulAmount(starting_balance) ??
        (row && closed_on && !row.closed_on && row.balance !== 0
          ? `It still holds ${money(row.balance)}.`
          : undefined)
      }
      removal={row && <Removal ledger={props.ledger} account={row} onDone={props.onDone} />}
    >
      <Field label="Name" name="name" value={row?.name} maxLength={255} required autofocus />
      <Choice label="Kind" name="kind" value={row && valueOfKind(row)} options={kindOptions(row)} />
      <AmountField
        label="Starting balance"
        name="starting_balance"
        value={row?.starting_balance ?? '0.00'}
        hint="What it held before the first transaction that you record here."
        required
      />
      <Field label="Notes" name="notes" value={row?.notes} maxLength={10_000} />
      {row && <Field label="Closed on" name="closed_on" type="date" value={row.closed_on} {...dates} />}
    </RowDialog>
  )
}

/** What a deletion takes with it, and what is meant more often: closing. */
function Removal({
  ledger,
  account,
  onDone,
}: {
  ledger: Ledger
  account: LedgerAccount
  onDone: () => void
}) {
  const { rows, others } = lossWith(ledger, account)
  const changes = others.map(({ account, change }) => `${account} (${money(change)})`)
  const close = async () => {
    const closed_on = today(ledger.profile()?.timezone)
    const { key } = account
    await writeAndSay(ledger, () => ledger.update('account', key, { closed_on }), 'The account is closed.')
    onDone()
  }
  return (
    <>
      <p role="alert">
        {`This deletes ${counted(rows, 'transaction')} of “${account.name}”`}
        {changes.length > 0 && `, and changes the balance of ${changes.join(', ')}`}. A closed account keeps
        them.
      </p>
      {!account.closed_on && (
        <Button
          label={
            account.balance === 0
              ? 'Close it instead'
              : `Close it instead, with ${money(account.balance)} in it`
          }
          onClick={close}
        />
      )}
    </>
  )
}
