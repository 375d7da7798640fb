import { useEffect, useState } from 'preact/hooks'
import type { Ledger, LedgerProfile, LedgerTransaction } from 'purse-client'
import { unwrap } from 'purse-client'
import type { PageProps } from '../app.tsx'
import { money, monthAfter, monthName, today } from '../format.ts'
import { go, place } from '../router.ts'
import { client } from '../session.ts'
import { Form } from '../ui/form.tsx'
import { MonthsChart } from '../ui/months-chart.tsx'
import { Page } from '../ui/page.tsx'
import { say } from '../ui/toast.tsx'
import { TransactionForm } from './transaction-form.tsx'
import { Days } from './transactions.tsx'

const latestShown = 5

export function Dashboard({ ledger }: PageProps) {
  const [edited, setEdited] = useState<LedgerTransaction | 'new'>()
  const profile = ledger.profile()
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
        {profile && <Unverified profile={profile} />}
        <p class="empty">
          Begin with <a href="/accounts">an account</a>: your bank, or the wallet in your pocket.
        </p>
      </Page>
    )
  const add = (
    <button type="button" class="primary" onClick={() => setEdited('new')}>
      Add transaction
    </button>
  )
  return (
    <Page title="Overview" actions={add}>
      {profile && <Unverified profile={profile} />}
      <section class="total">
        <p class="quiet">Everything together</p>
        <p class={`figure ${total_balance < 0 ? 'spent' : ''}`}>{money(total_balance)}</p>
        <ul>
          {accounts.map(({ key, name, balance }) => (
            <li key={key}>
              <a href={`/transactions?account_id=${encodeURIComponent(key)}`}>{name}</a> {money(balance)}
            </li>
          ))}
        </ul>
      </section>
      <Month ledger={ledger} />
      <section>
        <h2>Latest</h2>
        <Days rows={ledger.transactions({ per_page: latestShown }).data} onChoose={setEdited} />
      </section>
      {edited && <TransactionForm ledger={ledger} edited={edited} onDone={() => setEdited(undefined)} />}
    </Page>
  )
}

function Month({ ledger }: { ledger: Ledger }) {
  const current = today(ledger.profile()?.timezone).slice(0, 7)
  const [month, setMonth] = useState(current)
  const { monthly_summary, category_breakdown } = ledger.summary({ month })
  const days = { from: `${month}-01`, to: `${month}-31` }
  const step = (count: number, label: string, sign: string) => (
    <button type="button" class="icon" aria-label={label} onClick={() => setMonth(monthAfter(month, count))}>
      {sign}
    </button>
  )
  return (
    <section>
      <header class="month">
        {step(-1, 'The month before', '‹')}
        <h2 aria-live="polite">{monthName(month)}</h2>
        {step(1, 'The next month', '›')}
      </header>
      <dl class="figures">
        {(['income', 'expense', 'net'] as const).map((figure) => (
          <div key={figure}>
            <dt>{{ income: 'In', expense: 'Out', net: 'Left' }[figure]}</dt>
            <dd class={figure}>{money(monthly_summary[figure])}</dd>
          </div>
        ))}
      </dl>
      <MonthsChart ledger={ledger} last={month} />
      <table class="shares">
        <caption>Spent by category</caption>
        <tbody>
          {category_breakdown.map(({ category_key, category_name, total }) => (
            <tr key={category_key}>
              <th scope="row">
                <a
                  href={`/transactions?${new URLSearchParams({ ...days, category_id: category_key ?? 'none' })}`}
                >
                  {category_name}
                </a>
              </th>
              <td>
                <meter max={category_breakdown[0]?.total} value={total} aria-hidden="true" />
              </td>
              <td class="amount">{money(total)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Unverified({ profile }: { profile: LedgerProfile }) {
  if (profile.email_verified_at) return null
  const sendAgain = async () => {
    say((await unwrap(client.api.email['verification-notification'].$post({}))).message)
  }
  return (
    <div class="notice">
      <p>Please follow the link in the mail to {profile.email}. Imports need a verified address.</p>
      <Form submit="Send the mail again" onSubmit={sendAgain} />
    </div>
  )
}
