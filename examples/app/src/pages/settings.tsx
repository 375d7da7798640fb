import { useEffect, useState } from 'preact/hooks'
import { type Session as Device, type Ledger, type LedgerProfile, unwrap } from 'purse-client'
import type { PageProps } from '../app.tsx'
import { counted } from '../format.ts'
import { client, endSession, forgetSession, type Session } from '../session.ts'
import { type Entries, Field, Form, failureOf, Select } from '../ui/form.tsx'
import { Page } from '../ui/page.tsx'
import { say } from '../ui/toast.tsx'
import { Categories } from './categories.tsx'

export function Settings({ ledger, session }: PageProps) {
  const profile = ledger.profile()
  if (!profile) return null
  return (
    <Page title="Settings">
      <Profile {...{ ledger, profile }} />
      <Categories ledger={ledger} />
      <Devices />
      <Password />
      <SignOut session={session} />
      <Leave {...{ session, profile }} />
    </Page>
  )
}

function Profile({ ledger, profile }: { ledger: Ledger; profile: LedgerProfile }) {
  const zones = [...new Set([profile.timezone, 'UTC', ...Intl.supportedValuesOf('timeZone')])].sort()
  const save = async ({ name = '', timezone = '', reminder_time = '' }: Entries) => {
    await ledger.update('profile', profile.id, { name, timezone, reminder_time: reminder_time || null })
    say('Your settings are saved.', ledger.undo)
  }
  return (
    <section>
      <h2>You</h2>
      <p class="quiet">{profile.email}</p>
      <Form submit="Save" onSubmit={save}>
        <Field label="Name" name="name" value={profile.name} maxLength={255} required />
        <Select
          {...{ label: 'Time zone', name: 'timezone', value: profile.timezone, hint: 'Months follow it.' }}
          options={zones.map((zone) => [zone, zone.replaceAll('_', ' ')])}
        />
        <Field
          {...{ label: 'Reminder', name: 'reminder_time', type: 'time', value: profile.reminder_time }}
          hint="A mail at this time on days without a transaction; empty for none."
        />
      </Form>
    </section>
  )
}

/** Where the person is signed in. Only the service knows. */
function Devices() {
  const [devices, setDevices] = useState<Device[]>([])
  const [failure, setFailure] = useState('')
  const load = () =>
    unwrap(client.api.tokens.$get())
      .then(setDevices)
      .catch((error) => setFailure(failureOf(error).message))
  const end = async (id: number) => {
    await unwrap(client.api.tokens[':id'].$delete({ param: { id } })).catch((error) =>
      say(failureOf(error).message),
    )
    await load()
  }
  useEffect(() => void load(), [])
  return (
    <section>
      <h2>Where you are signed in</h2>
      {failure && <p class="quiet">{failure}</p>}
      <ul class="rows">
        {devices.map(({ id, user_agent, last_used_at, is_current }) => (
          <li key={id}>
            <span>
              {user_agent ?? 'Unknown'}
              <small>{is_current ? 'This device' : `Last used on ${last_used_at.slice(0, 10)}`}</small>
            </span>
            {!is_current && (
              <button type="button" onClick={() => end(id)}>
                Sign out
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Password() {
  const change = async ({ current_password = '', password = '' }: Entries, form: HTMLFormElement) => {
    const json = { current_password, password, password_confirmation: password }
    say((await unwrap(client.api.me.password.$put({ json }))).message)
    form.reset()
  }
  return (
    <section>
      <h2>Password</h2>
      <Form submit="Change password" onSubmit={change}>
        <Field
          {...{ label: 'Current password', name: 'current_password', type: 'password', required: true }}
          autocomplete="current-password"
        />
        <Field
          {...{ label: 'New password', name: 'password', type: 'password', required: true, minLength: 8 }}
          {...{ autocomplete: 'new-password', hint: 'It signs out all other devices.' }}
        />
      </Form>
    </section>
  )
}

function SignOut({ session }: { session: Session }) {
  const [isSure, setSure] = useState(false)
  const signOut = async () => {
    await session.ledger.sync()
    if (session.ledger.waiting().length > 0 && !isSure) setSure(true)
    else await endSession(session)
  }
  const waiting = counted(session.ledger.waiting().length, 'change')
  return (
    <section>
      <h2>Sign out</h2>
      <p class={isSure ? 'error' : 'quiet'} role={isSure ? 'alert' : undefined}>
        {isSure
          ? `${waiting} could not be sent and would be lost.`
          : 'Your data is removed from this device.'}
      </p>
      <Form submit={isSure ? 'Sign out all the same' : 'Sign out'} onSubmit={signOut} />
    </section>
  )
}

function Leave({ session, profile }: { session: Session; profile: LedgerProfile }) {
  const leave = async ({ proof = '' }: Entries) => {
    // People without a password give their address instead.
    const json = proof === profile.email ? { email: proof } : { password: proof }
    await unwrap(client.api.me.$delete({ json }))
    forgetSession(session.userId)
    say('Your account has been deleted. Farewell!')
  }
  return (
    <section>
      <h2>Leave</h2>
      <p class="quiet">This deletes you and everything you have, here and at the service, for good.</p>
      <Form submit="Delete everything" onSubmit={leave} isDangerous>
        <Field
          {...{ label: 'Your password', name: 'proof', type: 'password', required: true }}
          hint="Or your address, if you have no password."
        />
      </Form>
    </section>
  )
}
