import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { ApiError, unwrap } from 'purse-client'
import { go, place } from '../router.ts'
import { beginSession, client, comeBack, isMissed, leaveForProvider, ownTimezone } from '../session.ts'
import { type Entries, Field, Form } from '../ui/form.tsx'
import { Page } from '../ui/page.tsx'
import { say, Toasts } from '../ui/toast.tsx'

const secret = { label: 'Password', name: 'password', type: 'password', required: true } as const
const newSecret = { ...secret, autocomplete: 'new-password', minLength: 8, hint: 'At least 8 characters' }
const address = { label: 'Email', name: 'email', type: 'email', required: true } as const

export function SignIn() {
  const { token, user, verified, error } = Object.fromEntries(place.get().searchParams)
  useEffect(() => {
    if (!token) return
    // It is removed at once from the address, and so from the history.
    go('/login', { isReplacing: true })
    void comeBack(token, Number(user))
  }, [token])
  const [wrong, setWrong] = useState('')
  const signIn = async ({ email = '', password = '' }: Entries) => {
    setWrong('')
    try {
      await beginSession((await client.signIn({ email, password })).user.id)
    } catch (error) {
      // The address and the password are wrong together, which is no error of one field.
      if (!(error instanceof ApiError && error.status === 422)) throw error
      setWrong(Object.values(error.errors).flat().join(' '))
      return false
    }
  }
  return (
    <Door title="Sign in">
      {verified && <p>Your address is verified. Sign in to continue.</p>}
      {isMissed() && <p>Your session has ended. What you entered here will be sent once you sign in.</p>}
      {(wrong || error) && <p role="alert">{wrong || error}</p>}
      <Form submit="Sign in" onSubmit={signIn}>
        <Field {...address} autocomplete="username" />
        <Field {...secret} autocomplete="current-password" />
      </Form>
      <Form submit="Continue with single sign-on" look="outline" onSubmit={leaveForProvider} />
      <p class="line">
        <a href="/register">Sign up</a>
        <a href="/forgot-password">Forgot password?</a>
      </p>
    </Door>
  )
}

export function Register() {
  const register = async ({ name = '', email = '', password = '' }: Entries) => {
    const timezone = ownTimezone()
    const registration = { name, email, password, password_confirmation: password, timezone }
    await beginSession((await client.register(registration)).user.id)
  }
  return (
    <Door title="Sign up">
      <Form submit="Sign up" onSubmit={register}>
        <Field label="Name" name="name" autocomplete="name" maxLength={255} required />
        <Field {...address} autocomplete="username" />
        <Field {...newSecret} />
      </Form>
      <a href="/login">Sign in instead</a>
    </Door>
  )
}

/** Requests an email with a link to the page below. */
export function ForgottenPassword() {
  const [message, setMessage] = useState('')
  const requestLink = async ({ email = '' }: Entries) =>
    setMessage((await unwrap(client.api['forgot-password'].$post({ json: { email } }))).message)
  return (
    <Door title="Forgot password?">
      <p role="status">{message}</p>
      <Form submit="Send me a link" onSubmit={requestLink}>
        <Field {...address} autocomplete="username" />
      </Form>
      <a href="/login">Back</a>
    </Door>
  )
}

/** Where that link leads: `/reset-password?token=…&email=…`. */
export function NewPassword() {
  const { token = '', email = '' } = Object.fromEntries(place.get().searchParams)
  const reset = async ({ password = '' }: Entries) => {
    const json = { email, token, password, password_confirmation: password }
    say((await unwrap(client.api['reset-password'].$post({ json }))).message)
    go('/login', { isReplacing: true })
  }
  return (
    <Door title="Choose a new password">
      {token && email ? (
        <Form submit="Set the password" onSubmit={reset}>
          <p>For {email}</p>
          <Field {...newSecret} />
        </Form>
      ) : (
        <p>This link is incomplete: open it from the mail again, or ask for another one.</p>
      )}
      <a href="/forgot-password">Send me another link</a>
    </Door>
  )
}

/** The frame of every page that comes before signing in. */
const Door = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <main class="door">
    <img src="/icon.svg" alt="Purse" width="64" height="64" />
    <Page title={title}>{children}</Page>
    <Toasts />
  </main>
)
