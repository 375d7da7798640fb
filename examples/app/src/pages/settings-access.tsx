import { useState } from 'preact/hooks'
import { unwrap } from 'purse-client'
import { deviceName, shortDay } from '../format.ts'
import { client } from '../session.ts'
import { type Entries, Field, Form, Segments } from '../ui/form.tsx'
import { reload, useLoaded } from '../ui/loaded.ts'
import { say } from '../ui/toast.tsx'

/** Asks for a link to another address, which replaces the current one when the link is followed. */
export function Address() {
  const change = async ({ email = '', current_password }: Entries) =>
    say((await unwrap(client.api.me.email.$put({ json: { email, current_password } }))).message)
  return (
    <article>
      <h3>Email address</h3>
      <Form isCleared submit="Change the address" look="outline" onSubmit={change}>
        <Field label="New address" name="email" type="email" autocomplete="off" required />
        <Field
          {...secret}
          label="Your password"
          name="current_password"
          autocomplete="current-password"
          required={false}
          hint="Empty, if you have none: we mail your current address first."
        />
      </Form>
    </article>
  )
}

const secret = { type: 'password', required: true } as const

export function Password() {
  const change = async ({ current_password = '', password = '', keep_tokens }: Entries) => {
    const chosen = { password, password_confirmation: password, keep_tokens: keep_tokens === 'true' }
    await unwrap(client.api.me.password.$put({ json: { current_password, ...chosen } }))
    say('Your password is changed. Other devices are signed out.')
  }
  return (
    <article>
      <h3>Password</h3>
      <Form isCleared submit="Change the password" look="outline" onSubmit={change}>
        <Field {...secret} label="Current password" name="current_password" autocomplete="current-password" />
        <Field
          {...secret}
          label="New password"
          name="password"
          autocomplete="new-password"
          minLength={8}
          hint="At least 8 characters"
        />
        <label>
          <input type="checkbox" name="keep_tokens" value="true" /> Keep the tokens of scripts
        </label>
      </Form>
    </article>
  )
}

/** What can use the data: devices where the person is signed in, and tokens of scripts. Only the service knows. */
export function Access() {
  const { loaded: sessions = [], failure } = useLoaded(() => unwrap(client.api.tokens.$get()))
  const end = (id: number) => unwrap(client.api.tokens[':id'].$delete({ param: { id } })).finally(reload)
  const devices = sessions.filter(({ name }) => name === null)
  return (
    <>
      <article>
        <h3>Where you are signed in</h3>
        {failure && <p>{failure.message}</p>}
        {devices.map(({ id, user_agent, last_used_at, is_current }) => (
          <div key={id} class="line">
            <small>{`${deviceName(user_agent)}${is_current ? ' (this device)' : ''}, last used on ${shortDay(last_used_at)}`}</small>
            {!is_current && <Form submit="Sign out there" look="outline danger" onSubmit={() => end(id)} />}
          </div>
        ))}
      </article>
      <article>
        <h3>Tokens for scripts</h3>
        {sessions.map(
          ({ id, name, abilities, expires_at }) =>
            name && (
              <div key={id} class="line">
                <span>
                  <bdi>{name}</bdi>{' '}
                  <small>{`${abilities?.includes('write') ? 'reads and writes' : 'reads'}, until ${shortDay(expires_at ?? '')}`}</small>
                </span>
                <Form submit="Revoke" look="outline danger" onSubmit={() => end(id)} />
              </div>
            ),
        )}
        <NewToken />
      </article>
    </>
  )
}

function NewToken() {
  const [token, setToken] = useState('')
  const make = async ({ name = '', abilities = '' }: Entries) => {
    const json = { name, abilities: abilities.split('+') as ('read' | 'write')[] }
    setToken((await unwrap(client.api.tokens.$post({ json }))).access_token)
    await reload()
  }
  return (
    <Form isCleared submit="Make a token" look="outline" onSubmit={make}>
      {token && (
        <p role="status">
          Copy it now, since it is not shown again: <code>{token}</code>
        </p>
      )}
      <Field label="Name" name="name" maxLength={255} required />
      <Segments label="What it may do" name="abilities" value="read" options={abilities} />
    </Form>
  )
}

const abilities = Object.entries({ read: 'Read', 'read+write': 'Read and write' })
