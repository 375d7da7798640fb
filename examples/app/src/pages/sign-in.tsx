import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect } from 'preact/hooks'
import { unwrap } from 'purse-client'
import { go, place } from '../router.ts'
import { beginSession, client, session } from '../session.ts'
import { type Entries, Field, Form } from '../ui/form.tsx'

/** Set while somebody is at the identity provider: a token that nobody here asked for is not taken. */
const atProvider = 'purse.at-provider'

export function SignIn() {
  const query = place.get().searchParams
  const token = query.get('token')
  useEffect(() => {
    if (token) void comeBack(token, Number(query.get('user')))
    else if (session.get() && place.get().pathname === '/login') go('/dashboard', { isReplacing: true })
  }, [token])

  const signIn = async ({ email = '', password = '' }: Entries) => {
    const { user } = await client.signIn({ email, password })
    await enter(user.id)
  }
  return (
    <Door title="Sign in">
      {query.get('verified') && <p class="notice">Your address is verified. Sign in to go on.</p>}
      {query.get('error') && (
        <p class="error" role="alert">
          {query.get('error')}
        </p>
      )}
      <Form submit="Sign in" onSubmit={signIn} actions={<a href="/forgot-password">Forgot password?</a>}>
        <Field label="Email" name="email" type="email" autocomplete="username" required />
        <Field label="Password" name="password" type="password" autocomplete="current-password" required />
      </Form>
      <Form submit="Sign in with the identity provider" onSubmit={leaveForProvider} />
      <p>
        New here? <a href="/register">Make an account</a>
      </p>
    </Door>
  )
}

export function Register() {
  const register = async ({ name = '', email = '', password = '' }: Entries) => {
    const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone
    const { user } = await client.register({
      ...{ name, email, password, timezone },
      password_confirmation: password,
    })
    await enter(user.id)
  }
  return (
    <Door title="Make an account">
      <Form submit="Make an account" onSubmit={register}>
        <Field label="Name" name="name" autocomplete="name" required />
        <Field label="Email" name="email" type="email" autocomplete="username" required />
        <Field
          {...{ label: 'Password', name: 'password', type: 'password', autocomplete: 'new-password' }}
          {...{ hint: 'At least 8 characters', minLength: 8, required: true }}
        />
      </Form>
      <p>
        You have one? <a href="/login">Sign in</a>
      </p>
    </Door>
  )
}

/** What stands before the app. */
export function Door({ title, children }: { title: string; children: ComponentChildren }) {
  useLayoutEffect(() => {
    document.title = `${title} · Purse`
  }, [title])
  return (
    <main class="door">
      <img src="/icon.svg" alt="Purse" width="64" height="64" />
      <h1>{title}</h1>
      {children}
    </main>
  )
}

async function enter(userId: number): Promise<void> {
  await beginSession(userId)
  go('/dashboard', { isReplacing: true })
}

async function leaveForProvider(): Promise<void> {
  const { url } = await unwrap(client.api.auth.idp.$get({ query: {} }))
  sessionStorage.setItem(atProvider, 'true')
  location.assign(url)
}

/** Back from the provider. The token leaves the address at once, and with it the history. */
async function comeBack(token: string, userId: number): Promise<void> {
  go('/login', { isReplacing: true })
  if (!sessionStorage.getItem(atProvider)) return
  sessionStorage.removeItem(atProvider)
  await client.tokens.set(token)
  await enter(userId)
}
