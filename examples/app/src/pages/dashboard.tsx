import { useEffect, useState } from 'preact/hooks'
import { type Ledger, type LedgerTransaction, unwrap } from 'purse-client'
import { money } from '../amounts.ts'
import type { PageProps } from '../app.tsx'
import { stillToCome } from '../expected.ts'
import { lastDay, monthAfter, monthName, monthsUntil, sameDays, shortDay, today } from '../format.ts'
import { lookOf } from '../looks.ts'
import { go, place, useKept } from '../router.ts'
import { client } from '../session.ts'
import { Amount } from '../ui/amount.tsx'
import { IconButton } from '../ui/button.tsx'
import { Ahead, Flows, rowsOf } from '../ui/charts.tsx'
import { Days } from '../ui/days.tsx'
import { FirstSteps } from '../ui/first-steps.tsx'
import { Form } from '../ui/form.tsx'
import { Badge, colouring } from '../ui/icon.tsx'
import { Page } from '../ui/page.tsx'
import type { Edited } from '../ui/row-dialog.tsx'
import { say } from '../ui/toast.tsx'
import { AccountList } from './accounts.tsx'
import { TransactionDialog } from './transaction-dialog.tsx'

const latestShown = 6
const monthsShown = 6

export function Dashboard({ ledger }: PageProps) {
  const [edited, setEdited] = useState<Edited<LedgerTransaction>>()
  const verified = place.get().searchParams.get('verified')
  useEffect(() => {
    if (verified === null) return
    say(verified === 'already' ? 'Your address was verified already.' : 'Your address is verified.')
    go('/dashboard', { isReplacing: true })
  }, [verified])
  const { data, total } = ledger.transactions({ per_page: latestShown })
  const hasAccount = ledger.accounts().length > 0
  return (
    <Page title="Overview" add={hasAccount && 'transaction'} onAdd={() => setEdited('new')}>
      <Unverified ledger={ledger} />
      <FirstSteps ledger={ledger} />
      <div class="overview">
        <div>{hasAccount && <AccountList ledger={ledger} />}</div>
        {total > 0 && <Month ledger={ledger} />}
        {hasAccount && ledger.recurring().length > 0 && (
          <Ahead ledger={ledger} from={today(ledger.profile()?.timezone)} />
        )}
        <div>
          <Days rows={data} isCut={data.length < total} onChoose={setEdited} />
          {data.length < total && <a href="/transactions">All transactions</a>}
        </div>
      </div>
      {edited && <TransactionDialog {...{ ledger, edited, onDone: () => setEdited(undefined) }} />}
    </Page>
  )
}

function Month({ ledger }: { ledger: Ledger }) {
  const [month, setMonth] = useKept('month', today(ledger.profile()?.timezone).slice(0, 7))
  const { monthly_summary: sums, category_breakdown: shares } = ledger.summary({ month })
  const listOf = (filter: Record<string, string>) =>
    rowsOf({ from: `${month}-01`, to: lastDay(month), ...filter })
  const step = (count: number) => () => setMonth(monthAfter(month, count))
  const { months } = ledger.monthlyReport(monthsUntil(month, monthsShown))
  return (
    <article class="month">
      <header class="line">
        <IconButton icon="left" label="The month before" onClick={step(-1)} />
        <h2 aria-live="polite">{monthName(month)}</h2>
        <IconButton icon="right" label="The next month" onClick={step(1)} />
      </header>
      <p class="sums">
        <a class="sum" href={listOf({ type: 'income' })}>
          <small>In</small> <Amount class="income" text={money(sums.income)} />
        </a>
        <a class="sum" href={listOf({ type: 'expense' })}>
          <small>Out</small> <Amount text={money(sums.expense)} />
        </a>
        <span class="sum">
          <small>Left</small> <Amount text={money(sums.net)} />
        </span>
      </p>
      <StillToCome ledger={ledger} month={month} net={sums.net} />
      <SameDays ledger={ledger} month={month} expense={sums.expense} />
      <Flows months={months} />
      {shares.map(({ category_key: key, category_name: name, total }) => {
        const look = lookOf(key ? { key, name } : null)
        return (
          <a key={key} class="row" href={listOf({ category_id: key ?? 'none', type: 'expense' })}>
            <Badge {...look} />
            <span>
              <bdi>{name}</bdi>
            </span>
            <Amount text={money(total)} />
            <span class="bar" style={colouring(look.hue)}>
              <i style={`width: ${(100 * total) / (shares[0]?.total || 1)}%`} />
            </span>
          </a>
        )
      })}
    </article>
  )
}

/** What recurring transactions will bring and take in the running month, and what it will have left then. */
function StillToCome({ ledger, month, net }: { ledger: Ledger; month: string; net: number }) {
  const now = today(ledger.profile()?.timezone)
  const expected = now.startsWith(month) ? stillToCome(ledger, now) : undefined
  if (!expected) return null
  const { income, expense } = expected
  const left = Math.round(100 * net) + income - expense
  return (
    <p class="sums">
      <a class="sum" href="/recurring">
        <small>Still to come</small> <Amount class="income" text={money(income / 100)} />
      </a>
      <a class="sum" href="/recurring">
        <small>Still to pay</small> <Amount text={money(expense / 100)} />
      </a>
      <span class="sum">
        <small>Then left</small> <Amount text={money(left / 100)} />
      </span>
    </p>
  )
}

/** Compares a month that has not ended with the same days of the one before. */
function SameDays({ ledger, month, expense }: { ledger: Ledger; month: string; expense: number }) {
  const days = sameDays(month, today(ledger.profile()?.timezone))
  if (!days) return null
  const before = ledger.summary(days.before).monthly_summary.expense
  const now = ledger.summary(days.now).monthly_summary.expense
  const difference = money(Math.abs(now - before))
  return (
    <p>
      <small>
        {now === before
          ? `As much out as by ${shortDay(days.before.to)}.`
          : `${difference} ${now > before ? 'more' : 'less'} out than by ${shortDay(days.before.to)}.`}
        {now !== expense && ` ${money(expense - now)} is dated later this month.`}
      </small>
    </p>
  )
}

export function Unverified({ ledger }: { ledger: Ledger }) {
  const { email, email_verified_at } = ledger.profile() ?? {}
  if (email_verified_at !== null) return null
  const sendAgain = async () => {
    await unwrap(client.api.email['verification-notification'].$post({}))
    say(`Another mail is on its way to ${email}.`)
  }
  return (
    <article class="question">
      <p>Please follow the link in the mail to {email}. Imports need a verified address.</p>
      <Form submit="Send the mail again" look="outline" onSubmit={sendAgain} />
    </article>
  )
}
