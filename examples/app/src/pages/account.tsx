import { Fragment } from 'preact'
import { useState } from 'preact/hooks'
import type { Ledger, LedgerAccount, LedgerCheck, LedgerTransaction } from 'purse-client'
import { money, typedAmount } from '../amounts.ts'
import type { PageProps } from '../app.tsx'
import { explain, sentenceOf } from '../checks.ts'
import { dayAfter, dotted, monthsUntil, shortDay, today } from '../format.ts'
import { place, useKept } from '../router.ts'
import { find } from '../search.ts'
import { titleOf } from '../titles.ts'
import { Amount, signed } from '../ui/amount.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { NetWorth } from '../ui/charts.tsx'
import { AmountField, type Entries, Field } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { useLoaded } from '../ui/loaded.ts'
import { Page } from '../ui/page.tsx'
import { RowDialog } from '../ui/row-dialog.tsx'
import { ShowMore } from '../ui/show-more.tsx'
import { writeAndSay } from '../ui/toast.tsx'
import { AccountDialog } from './accounts.tsx'
import { TransactionDialog } from './transaction-dialog.tsx'

/** An account: its balance after each of its latest transactions, and the checks against the bank between them. */
export function AccountPage({ ledger }: PageProps) {
  const [isChecking, setChecking] = useState(false)
  const [isEditing, setEditing] = useState(false)
  const key = place.get().searchParams.get('account')
  const account = ledger.accounts().find((one) => one.key === key)
  if (!account)
    return (
      <Page title="Account">
        <p>This account does not exist any more.</p>
        <a href="/accounts">All accounts</a>
      </Page>
    )
  return (
    <Page title={account.name}>
      <article class="line">
        <small>Balance</small>
        <p class="figure">
          <Amount text={money(account.balance)} />
        </p>
        <Button label="Check the balance" onClick={() => setChecking(true)} />
        <a href={`/transactions?account_id=${encodeURIComponent(account.key)}`}>All transactions</a>
        <IconButton icon="pencil" label={`Change ${account.name}`} onClick={() => setEditing(true)} />
      </article>
      <NetWorth
        {...{ ledger, account }}
        {...monthsUntil(today(ledger.profile()?.timezone).slice(0, 7), 12)}
      />
      <Lines ledger={ledger} account={account} />
      {isEditing && <AccountDialog {...{ ledger, edited: account, onDone: () => setEditing(false) }} />}
      {isChecking && <CheckDialog {...{ ledger, account, onDone: () => setChecking(false) }} />}
    </Page>
  )
}

/** The transactions with the balance after each, newest first; checks and the lock stand above the rows that they cover. */
function Lines({ ledger, account }: { ledger: Ledger; account: LedgerAccount }) {
  const [edited, setEdited] = useState<LedgerTransaction>()
  const [pages, setPages] = useKept('pages', 1)
  const { rows: data, total } = find(ledger, { account_id: account.key }, pages)
  const checks = ledger.checks(account.key).reverse()
  // What the service has refused is not reconciled.
  const through = account.waits === 'rejected' ? null : account.reconciled_through
  let cents = centsOf(account.balance.toFixed(2))
  const rows = data.map((row) => {
    const [after, effect] = [cents, effectOf(row, account)]
    cents -= effect
    // A transfer comes in or goes out.
    const type: 'income' | 'expense' = effect > 0 ? 'income' : 'expense'
    return { row, after, moved: signed({ type, amount: row.amount }) }
  })
  const marks = [
    ...(through ? [{ date: through, line: <LockLine key="lock" {...{ ledger, account, through }} /> }] : []),
    ...checks.map((check) => ({
      date: check.date,
      line: (
        <CheckLine
          key={`${check.key} ${check.difference}`}
          {...{ ledger, check, through, onEdit: setEdited }}
        />
      ),
    })),
  ].sort((a, b) => (a.date === b.date ? 0 : a.date < b.date ? 1 : -1))
  const marksOf = (from: string | undefined, to: string | undefined) =>
    marks
      .filter(({ date }) => (from === undefined || date >= from) && (to === undefined || date < to))
      .map(({ line }) => line)
  return (
    <article class="list">
      {total === 0 && <p>It has no transactions yet.</p>}
      {rows.map(({ row, after, moved }, nth) => (
        <Fragment key={row.key}>
          {marksOf(row.transaction_date, rows[nth - 1]?.row.transaction_date)}
          <button type="button" class="row" onClick={() => setEdited(row)}>
            <span>
              <bdi>{titleOf(row)}</bdi>
              <small>{dotted(shortDay(row.transaction_date), `balance ${money(textOf(after))}`)}</small>
            </span>
            <Amount class={row.type} text={moved} />
          </button>
        </Fragment>
      ))}
      {marksOf(undefined, rows.at(-1)?.row.transaction_date)}
      {rows.length < total && <ShowMore shown={rows.length} onMore={() => setPages(pages + 1)} />}
      {edited && <TransactionDialog {...{ ledger, edited, onDone: () => setEdited(undefined) }} />}
    </article>
  )
}

/** The end of the reconciled period. */
function LockLine({ ledger, account, through }: { ledger: Ledger; account: LedgerAccount; through: string }) {
  const text = `Reconciled through ${shortDay(through)}`
  const reopen = () =>
    writeAndSay(ledger, () => ledger.reconcile(account.key, null), 'The period is open again.')
  return (
    <div class="line row">
      <span>
        <Icon name="lock" /> {text}
      </span>
      <Button label="Reopen" isMain={false} onClick={reopen} />
    </div>
  )
}

type CheckProps = { ledger: Ledger; check: LedgerCheck; onEdit: (row: LedgerTransaction) => void }

/** A check: a tick, with which the period up to it can be reconciled, or what broke it. */
function CheckLine({ ledger, check, through, onEdit }: CheckProps & { through: string | null }) {
  if (check.state === 'broken') {
    // Once a change of this device is sent, the service names it.
    const pending = ledger.check(check.key)?.pending ?? []
    return <BrokenCheck key={pending.length} {...{ ledger, check, onEdit }} />
  }
  const { account, date } = check
  const day = shortDay(date)
  const reconcile = () =>
    writeAndSay(
      ledger,
      () => ledger.reconcile(account.key, date),
      `The account is reconciled through ${day}.`,
    )
  return (
    <div class="line row">
      <span>
        <span class="income">✓</span> {titleOfCheck(check)}
      </span>
      <span class="together">
        {date > (through ?? '') && (
          <Button label="Reconcile" aria-label={`Reconcile through ${day}`} onClick={reconcile} />
        )}
        <RemoveCheck {...{ ledger, check }} />
      </span>
    </div>
  )
}

/** In one sentence what broke a check, with what to do about it. */
function BrokenCheck({ ledger, check, onEdit }: CheckProps) {
  const { loaded } = useLoaded(() => explain(check))
  const [culprit] = loaded?.broken_by.flatMap(({ transaction_id }) => transaction_id ?? []) ?? []
  const row = culprit === undefined ? undefined : ledger.transaction(culprit)
  return (
    <div class="row question">
      <span>
        {titleOfCheck(check)}
        <small role="alert">{sentenceOf(ledger, check, loaded)}</small>
        <span class="together">
          {row && <Button label="Edit" isMain={false} onClick={() => onEdit(row)} />}
          <Button label="Adjust" isMain={false} onClick={() => adjust(ledger, check)} />
          <RemoveCheck {...{ ledger, check }} />
        </span>
      </span>
    </div>
  )
}

const titleOfCheck = ({ date, balance }: LedgerCheck) => `Bank on ${shortDay(date)}: ${money(balance)}`

function RemoveCheck({ ledger, check }: Omit<CheckProps, 'onEdit'>) {
  const remove = () =>
    writeAndSay(
      ledger,
      (options) => ledger.remove('balance_check', check.key, options),
      'The check is removed.',
      `This removes the check of ${shortDay(check.date)}.`,
    )
  return <Button label="Remove check" isMain={false} onClick={remove} />
}

/** Records what is missing, as an ordinary transaction of the day of the check. */
function adjust(ledger: Ledger, { account, date, difference }: LedgerCheck) {
  const entered = {
    account_id: account.key,
    category_id: null,
    type: difference < 0 ? ('income' as const) : ('expense' as const),
    amount: Math.abs(difference).toFixed(2),
    transaction_date: date,
    description: 'Adjustment to the bank',
  }
  return writeAndSay(
    ledger,
    (options) => ledger.create('transaction', entered, options),
    'The adjustment is added.',
    `This adds an adjustment of ${money(entered.amount)} on ${shortDay(date)}.`,
  )
}

function CheckDialog({
  ledger,
  account,
  onDone,
}: {
  ledger: Ledger
  account: LedgerAccount
  onDone: () => void
}) {
  const last = dayAfter(today(ledger.profile()?.timezone), -1)
  const read = ({ date = '', balance = '' }: Entries) => ({
    account_id: account.key,
    date,
    balance: typedAmount(balance).amount,
  })
  return (
    <RowDialog noun="balance_check" edited="new" {...{ ledger, read, onDone }}>
      <Field label="At the end of" name="date" type="date" value={last} required />
      <AmountField label="The bank has" name="balance" required autofocus />
    </RowDialog>
  )
}

const centsOf = (text: string): number => Number(text.replace('.', ''))
const textOf = (cents: number): string => (cents / 100).toFixed(2)

/** By how much a row moves the account, in cents. */
function effectOf({ type, amount, account: from }: LedgerTransaction, { key }: LedgerAccount): number {
  const cents = centsOf(amount)
  return type === 'income' || (type === 'transfer' && from.key !== key) ? cents : -cents
}
