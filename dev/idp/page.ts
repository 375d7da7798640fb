import { readFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { send } from '../web/serve.ts'
import { type AddressState, type Person, subjectOf } from './people.ts'

/**
 * Without form-action, which browsers also apply to the redirects after a form: those lead to the client and its
 * frontend, whose addresses are not known here.
 */
const policy =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'"

/** Sends one of the pages below. */
export function sendPage(response: ServerResponse, status: number, html: string): void {
  response.setHeader('content-security-policy', policy)
  send(response, status, 'text/html; charset=utf-8', html)
}

/** Sends the style sheets of the pages. */
export async function sendPageStyle(response: ServerResponse, pathname: string): Promise<void> {
  const path = pathname === '/theme.css' ? '../web/theme.css' : './page.css'
  send(response, 200, 'text/css; charset=utf-8', await readFile(new URL(path, import.meta.url)))
}

type SignIn = Partial<Person> & { recent: Person[]; problem?: string }

/** The page that asks who is signing in. It works without JavaScript. */
export function renderSignIn({ address = '', name = '', addressState, recent, problem }: SignIn): string {
  const mistake = problem
    ? `<span class="problem" id="problem" role="alert">${escapeHtml(problem)}</span>`
    : ''
  return layout(
    'Sign in',
    `<h1>Sign in</h1>
<p class="lead">The local identity provider. Here, anybody can sign in as anybody.</p>
${recent.length > 0 ? recentPeople(recent) : ''}
<form method="post">
<label class="field">Address
<input type="email" name="address" value="${escapeHtml(address)}" placeholder="anna@example.com" maxlength="254" autocomplete="off" autofocus required${problem ? ' aria-invalid="true" aria-describedby="problem"' : ''}>${mistake}</label>
<label class="field">Name
<input type="text" name="name" value="${escapeHtml(name)}" placeholder="Made from the address" maxlength="255" autocomplete="off"></label>
<fieldset><legend>What the app gets</legend>
${choices.map(([value, label]) => choice(value, label, value === (addressState ?? 'verified'))).join('\n')}
</fieldset>
<div class="actions">
<button class="primary" name="decision" value="sign-in">Sign in</button>
<button name="decision" value="refuse" formnovalidate>Refuse</button>
</div>
</form>`,
  )
}

/** The page that says what went wrong when there is nowhere to send the browser back to. */
export function renderProblem(title: string, detail = ''): string {
  return layout(title, `<h1>${escapeHtml(title)}</h1>\n<p class="lead">${escapeHtml(detail)}</p>`)
}

/** Makes text safe inside HTML, attribute values included. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

function recentPeople(recent: Person[]): string {
  const buttons = recent.map((person) => {
    const { address, name, addressState } = person
    const who = `${escapeHtml(name)}<small>${escapeHtml(address)}${stateNotes[addressState]}</small>`
    return `<button name="again" value="${subjectOf(person)}"><span>${who}</span></button>`
  })
  return `<form method="post" class="people">${buttons.join('\n')}</form>\n<p class="or">or as somebody else</p>`
}

const stateNotes: Record<AddressState, string> = {
  verified: '',
  unverified: ' · not verified',
  absent: ' · kept to themselves',
}

const choices: [AddressState, string][] = [
  ['verified', 'The address, verified'],
  ['unverified', 'The address, not verified'],
  ['absent', 'No address at all'],
]

function choice(value: AddressState, label: string, isChosen: boolean): string {
  return `<label class="choice"><input type="radio" name="state" value="${value}"${isChosen ? ' checked' : ''}>${label}</label>`
}

function layout(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · identity provider</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/theme.css">
<link rel="stylesheet" href="/page.css">
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`
}
