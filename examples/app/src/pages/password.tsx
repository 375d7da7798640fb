import { useState } from 'preact/hooks'
import { unwrap } from 'purse-client'
import { go, place } from '../router.ts'
import { client } from '../session.ts'
import { type Entries, Field, Form } from '../ui/form.tsx'
import { say } from '../ui/toast.tsx'
import { Door } from './sign-in.tsx'

/** Asks for a mail with a link to the page below. */
export function ForgottenPassword() {
  const [message, setMessage] = useState('')
  const ask = async ({ email = '' }: Entries) => {
    setMessage((await unwrap(client.api['forgot-password'].$post({ json: { email } }))).message)
  }
  return (
    <Door title="Forgot password?">
      {message && (
        <p class="notice" role="status">
          {message}
        </p>
      )}
      <Form submit="Send me a link" onSubmit={ask} actions={<a href="/login">Back</a>}>
        <Field label="Email" name="email" type="email" autocomplete="username" required />
      </Form>
    </Door>
  )
}

/** Where the link leads: `/reset-password?token=…&email=…`. */
export function NewPassword() {
  const query = place.get().searchParams
  const email = query.get('email') ?? ''
  const reset = async ({ password = '' }: Entries) => {
    const json = { email, token: query.get('token') ?? '', password, password_confirmation: password }
    const { message } = await unwrap(client.api['reset-password'].$post({ json }))
    say(message)
    go('/login', { isReplacing: true })
  }
  return (
    <Door title="Choose a new password">
      <Form submit="Set the password" onSubmit={reset} actions={<a href="/login">Back</a>}>
        <input type="hidden" name="email" value={email} autocomplete="username" />
        <Field
          {...{ label: 'New password', name: 'password', type: 'password', autocomplete: 'new-password' }}
          {...{ hint: `For ${email}. It signs you out everywhere.`, minLength: 8, required: true }}
        />
      </Form>
    </Door>
  )
}
