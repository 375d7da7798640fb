import { useEffect, useState } from 'preact/hooks'
import { type Ledger, type LedgerTransaction, unwrap } from 'purse-client'
import type { PageProps } from '../app.tsx'
import { lastDay, money, monthAfter, monthName, today } from '../format.ts'
import { go, place } from '../router.ts'
import { client } from '../session.ts'
import { Button } from '../ui/button.tsx'
import { Form } from '../ui/form.tsx'
import { MonthsChart } from '../ui/months-chart.tsx'
import { Page } from '../ui/page.tsx'
import type { Edited } from '../ui/row-dialog.tsx'
import { say } from '../ui/toast.tsx'
import { TransactionDialog } from './transaction-dialog.tsx'
import { Days } from './transactions.tsx'

const latestShown = 5

export function Dashboard({ ledger }: PageProps) {
  const [edited, setEdited] = useState<Edited<LedgerTransaction>>()
  const verified = place.get().searchParams.get('verified')
  useEffect(() => {
    if (verified === null) return
    say(verified === 'already' ? 'Your address was verified already.' : 'Your address is verified.')
    go('/dashboard', { isReplacing: true })
  }, [verified])
  const { accounts, total_balance } = ledger.summary()
  return (
    <Page title="Overview" add="Add transaction" onAdd={() => setEdited('new')}>
      <Unverified ledger={ledger} />
      <article>
        <small>Total balance</small>
        <p class="figure">{money(total_balance)}</p>
        {accounts.map(({ key, name, balance }) => (
          <div key={key} class="line">
            <a href={`/transactions?account_id=${encodeURIComponent(key)}`}>{name}</a>
            <span>{money(balance)}</span>
          </div>
        ))}
        {accounts.length === 0 && <a href="/accounts">Where is your money? Add your bank, or your wallet</a>}
      </article>
      <Month ledger={ledger} />
      <Days rows={ledger.transactions({ per_page: latestShown }).data} onChoose={setEdited} />
      {edited && <TransactionDialog {...{ ledger, edited, onDone: () => setEdited(undefined) }} />}
    </Page>
  )
}

function Month({ ledger }: { ledger: Ledger }) {
  const [month, setMonth] = useState(today(ledger.profile()?.timezone).slice(0, 7))
  const { monthly_summary: sums, category_breakdown: shares } = ledger.summary({ month })
  const step = (count: number, name: string, label: string) => {
    const show = () => setMonth(monthAfter(month, count))
    return <Button label={label} aria-label={name} isMain={false} onClick={show} />
  }
  const linkTo = (category: string | null) =>
    new URLSearchParams({ from: `${month}-01`, to: lastDay(month), category_id: category ?? 'none' })
  return (
    <article>
      <header class="line">
        {step(-1, 'The month before', '‹')}
        <h2 aria-live="polite">{monthName(month)}</h2>
        {step(1, 'The next month', '›')}
      </header>
      <p class="line">
        <span class="income">In {money(sums.income)}</span>
        <span class="expense">Out {money(sums.expense)}</span>
        <span>Left {money(sums.net)}</span>
      </p>
      <MonthsChart ledger={ledger} last={month} />
      {shares.map(({ category_key, category_name, total }) => (
        <p key={category_key} class="line">
          <a href={`/transactions?${linkTo(category_key)}`}>{category_name}</a>
          <span>{money(total)}</span>
          <progress max={shares[0]?.total ?? 0} value={total} aria-hidden="true" />
        </p>
      ))}
    </article>
  )
}

function Unverified({ ledger }: { ledger: Ledger }) {
  const { email, email_verified_at } = ledger.profile() ?? {}
  if (email_verified_at !== null) return null
  const sendAgain = async () =>
    say((await unwrap(client.api.email['verification-notification'].$post({}))).message)
  return (
    <article class="question">
      <p>Please follow the link in the mail to {email}. Imports need a verified address.</p>
      <Form submit="Send the mail again" onSubmit={sendAgain} />
    </article>
  )
}
