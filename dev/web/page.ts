import { readFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { html } from 'hono/html'
import { send } from './serve.ts'

export type Html = ReturnType<typeof html>

const styles = createRequire(import.meta.url).resolve('@picocss/pico/css/pico.classless.min.css')

/**
 * No script at all, also in the frame that shows an email. Without form-action, which browsers also apply to the
 * redirects after a form: a sign-in leads to the client and its frontend, whose addresses are not known here.
 */
const policy =
  "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data: https:; base-uri 'none'; frame-ancestors 'none'"

/** Sends a page. `head` holds what its head has besides the title and the styles. */
export async function sendPage(
  response: ServerResponse,
  status: number,
  { title, head = '', body }: { title: string; head?: Html | ''; body: Html },
): Promise<void> {
  const page = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/pico.css">
${head}
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`
  response.setHeader('content-security-policy', policy)
  // With no-referrer, the origin of a form would be `null`, which serve.ts refuses.
  response.setHeader('referrer-policy', 'same-origin')
  send(response, status, 'text/html; charset=utf-8', page.toString())
}

/** Sends `/pico.css`, the style sheet of every page. */
export async function sendStyles(response: ServerResponse): Promise<void> {
  send(response, 200, 'text/css; charset=utf-8', await readFile(styles))
}
