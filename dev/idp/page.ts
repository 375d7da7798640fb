import type { ServerResponse } from 'node:http'
import { html } from 'hono/html'
import { type Html, sendPage } from '../web/page.ts'
import type { AddressState, Person } from './people.ts'

/** Sends the page that asks who is signing in. */
export function sendSignInPage(
  response: ServerResponse,
  { address = '', name = '', addressState = 'verified' }: Partial<Person>,
  problem?: string,
): Promise<void> {
  const choices = addressStates.map(
    ([state, label]) =>
      html`<label><input type="radio" name="state" value="${state}"${state === addressState ? ' checked' : ''}>${label}</label>`,
  )
  const body = html`<h1>Sign in</h1>
<p>The local identity provider. Here you can sign in under any address.</p>
<form method="post">
<label>Address
<input type="email" name="address" value="${address}" placeholder="anna@example.com" maxlength="254" autofocus required${problem ? html` aria-invalid="true" aria-describedby="problem"` : ''}>
${problem && html`<small id="problem" role="alert">${problem}</small>`}</label>
<label>Name
<input type="text" name="name" value="${name}" placeholder="Made from the address" maxlength="255"></label>
<fieldset><legend>What the app gets</legend>${choices}</fieldset>
<button name="decision" value="sign-in">Sign in</button>
<button name="decision" value="refuse" formnovalidate>Refuse</button>
</form>`
  return sendPage(response, problem ? 422 : 200, { title: 'Sign in', head: narrow, body })
}

/** The page that says what went wrong when there is nowhere to send the browser back to. */
export function problemPage(title: string, detail: string): { title: string; head: Html; body: Html } {
  return { title, head: narrow, body: html`<h1>${title}</h1>\n<p>${detail}</p>` }
}

const narrow = html`<style>main { max-width: 28rem !important }</style>`

const addressStates: [AddressState, string][] = [
  ['verified', 'The address, verified'],
  ['unverified', 'The address, not verified'],
  ['absent', 'No address at all'],
]
