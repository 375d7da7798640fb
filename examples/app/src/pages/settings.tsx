import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { ApiError, LedgerError, unwrap } from 'purse-client'
import { chooseCurrency, currency } from '../amounts.ts'
import type { PageProps } from '../app.tsx'
import { counted } from '../format.ts'
import { client, forgetSession } from '../session.ts'
import { Choice, type Entries, Field, Form, type Options } from '../ui/form.tsx'
import { KeyList } from '../ui/keys.tsx'
import { Page } from '../ui/page.tsx'
import { say, writeAndSay } from '../ui/toast.tsx'
import { Access, Address, Password } from './settings-access.tsx'
import { Export, Layouts, Restore } from './settings-data.tsx'

const currencyNames = new Intl.DisplayNames(undefined, { type: 'currency' })

export function Settings(props: PageProps) {
  return (
    <Page title="Settings">
      <Section title="You">
        <Profile {...props} />
        <Address />
        <Password />
      </Section>
      <Section title="This device">
        <Display />
        <article>
          <h3>Keys</h3>
          <KeyList />
        </article>
        <SignOut {...props} />
      </Section>
      <Section title="Access">
        <Access />
      </Section>
      <Section title="Your data">
        <Layouts {...props} />
        <Export />
        <Restore {...props} />
        <Leave {...props} />
      </Section>
    </Page>
  )
}

const Section = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <section>
    <h2>{title}</h2>
    <div class="sections">{children}</div>
  </section>
)

function Profile({ ledger }: PageProps) {
  const { email, name, timezone = 'UTC', reminder_time, due_reminders } = ledger.profile() ?? {}
  const names = new Set([timezone, 'UTC', ...Intl.supportedValuesOf('timeZone')])
  const zones: Options = [...names].sort().map((zone) => [zone, zone])
  const save = async ({ name = '', timezone = '', reminder_time = '', due_reminders }: Entries) => {
    const isOn = due_reminders === 'true'
    const fields = { name, timezone, reminder_time: reminder_time || null, due_reminders: isOn }
    await writeAndSay(ledger, () => ledger.update('profile', 'me', fields), 'Your settings are saved.')
  }
  const hint = 'An email at this time on days without a transaction. Leave it empty for none.'
  return (
    <article>
      <h3>{email}</h3>
      <Form submit="Save" onSubmit={save}>
        <Field label="Name" name="name" value={name} maxLength={255} required />
        <Choice label="Time zone" name="timezone" value={timezone} options={zones} />
        <Field label="Reminder" name="reminder_time" type="time" value={reminder_time} hint={hint} />
        <label>
          <input
            type="checkbox"
            name="due_reminders"
            value="true"
            defaultChecked={due_reminders}
            aria-describedby="due-reminders"
          />{' '}
          Remind me of what repeats
        </label>
        <small id="due-reminders">
          An email at the same time, or at 20:00, before a recurring transaction is due. Each says how many
          days before.
        </small>
      </Form>
    </article>
  )
}

const currencies: Options = [
  ['', 'None'],
  ...Intl.supportedValuesOf('currency').map((code) => [code, `${code}, ${currencyNames.of(code)}`] as const),
]

/** What concerns this device alone. The service knows no currency. */
function Display() {
  const choose = async ({ currency = '' }: Entries) => {
    chooseCurrency(currency)
    say('Saved on this device.')
  }
  return (
    <article>
      <h3>Currency</h3>
      <Form submit="Save the currency" look="outline" onSubmit={choose}>
        <Choice
          label="Currency sign"
          name="currency"
          value={currency.get()}
          options={currencies}
          hint="Shown beside amounts. It converts nothing."
        />
      </Form>
    </article>
  )
}

function SignOut({ ledger, session }: PageProps) {
  const [isSure, setSure] = useState(false)
  const signOut = async () => {
    await ledger.sync()
    if (ledger.waiting().length > 0 && !isSure) return setSure(true)
    await client.signOut().catch(() => undefined)
    await forgetSession(session)
  }
  const waiting = ledger.waiting().length
  const isLost = isSure && waiting > 0
  const lost = `${counted(waiting, 'change')} could not be sent, and would be lost.`
  return (
    <article>
      <h3>Sign out</h3>
      <p role="status">{isLost ? lost : 'Your data is removed from this device.'}</p>
      <Form submit={isLost ? 'Sign out anyway' : 'Sign out'} onSubmit={signOut} />
    </article>
  )
}

function Leave({ ledger, session }: PageProps) {
  const leave = async ({ proof = '' }: Entries) => {
    // People without a password enter their address instead.
    const json = proof === ledger.profile()?.email ? { email: proof } : { password: proof }
    await unwrap(client.api.me.$delete({ json })).catch((error) => {
      if (!(error instanceof ApiError && error.status === 422)) throw error
      throw new LedgerError(error.message, {
        proof: ['This is not your password or, if you have none, your address.'],
      })
    })
    await forgetSession(session)
    say('All your data has been deleted. Farewell!')
  }
  const hint = 'Or your email address, if you have no password.'
  const { total: rows } = ledger.transactions({ per_page: 1 })
  return (
    <article>
      <h3>Leave</h3>
      <p>
        {`This deletes your account for good, here and on the service, with ${counted(rows, 'transaction')}, `}
        {`${counted(ledger.accounts().length, 'account')} and all settings. An export keeps them.`}
      </p>
      <Form submit="Delete everything" look="outline danger" onSubmit={leave}>
        <Field label="Your password" name="proof" type="password" hint={hint} required />
      </Form>
    </article>
  )
}
