import { useEffect, useState } from 'preact/hooks'
import { type Ledger, type LedgerTransaction, unwrap } from 'purse-client'
import type { PageProps } from '../app.tsx'
import { money, monthAfter, monthName, today } from '../format.ts'
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
  const { accounts, total_balance } = ledger.summary()
  const verified = place.get().searchParams.get('verified')
  useEffect(() => {
    if (verified === null) return
    say(verified === 'already' ? 'Your address was verified already.' : 'Your address is verified.')
    go('/dashboard', { isReplacing: true })
  }, [verified])
  if (accounts.length === 0)
    return (
      <Page title="Welcome">
        <Unverified ledger={ledger} />
        <p>
          Begin with <a href="/accounts">an account</a>: your bank, or the wallet in your pocket.
        </p>
      </Page>
    )
  return (
    <Page title="Overview" add="Add transaction" onAdd={() => setEdited('new')}>
      <Unverified ledger={ledger} />
      <article>
        <small>Everything together</small>
        <p class="figure">{money(total_balance)}</p>
        {accounts.map(({ key, name, balance }) => (
          <div key={key} class="line">
            <a href={`/transactions?account_id=${encodeURIComponent(key)}`}>{name}</a>
            <span>{money(balance)}</span>
          </div>
        ))}
      </article>
      <Month ledger={ledger} />
      <h2>Latest</h2>
      <Days rows={ledger.transactions({ per_page: latestShown }).data} onChoose={setEdited} />
      {edited && <TransactionDialog {...{ ledger, edited, onDone: () => setEdited(undefined) }} />}
    </Page>
  )
}

function Month({ ledger }: { ledger: Ledger }) {
  const [month, setMonth] = useState(today(ledger.profile()?.timezone).slice(0, 7))
  const { monthly_summary: sums, category_breakdown: shares } = ledger.summary({ month })
  const step = (count: number, label: string, sign: string) => (
    <Button
      label={sign}
      aria-label={label}
      isMain={false}
      onClick={() => setMonth(monthAfter(month, count))}
    />
  )
  const linkTo = (category: string | null) =>
    new URLSearchParams({ from: `${month}-01`, to: monthAfter(month, 1), category_id: category ?? 'none' })
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
      <h3>Spent by category</h3>
      {shares.map(({ category_key, category_name, total }) => (
        <div key={category_key} class="share">
          <a href={`/transactions?${linkTo(category_key)}`}>{category_name}</a>
          <progress max={shares[0]?.total ?? 0} value={total} aria-hidden="true" />
          <span>{money(total)}</span>
        </div>
      ))}
    </article>
  )
}

function Unverified({ ledger }: { ledger: Ledger }) {
  const profile = ledger.profile()
  if (!profile || profile.email_verified_at) return null
  const sendAgain = async () =>
    say((await unwrap(client.api.email['verification-notification'].$post({}))).message)
  return (
    <article class="question">
      <p>Please follow the link in the mail to {profile.email}. Imports need a verified address.</p>
      <Form submit="Send the mail again" onSubmit={sendAgain} />
    </article>
  )
}
