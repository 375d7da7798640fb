import type { Context } from 'hono'
import { html } from 'hono/html'
import type { BadLink } from '../failures/failures.ts'
import type { App } from './app-types.ts'

const policy = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'"

type Page = { title: string; text: string; button?: string | undefined; link?: { url: string; text: string } }

/** The page of a link in an email. Only its button has an effect, since scanners follow links, too. */
export function linkPage(c: Context, title: string, text: string, button?: string) {
  return show(c, { title, text, button })
}

/** The response to that button: a page for a browser, JSON for an email program (RFC 8058). */
export function linkOutcome(c: Context, title: string, text: string, status: 200 | 409 = 200) {
  c.status(status)
  return acceptsHtml(c) ? linkPage(c, title, text) : c.json({ message: title })
}

/** The response to a link that does not work: for a browser, a page that leads to where there is a new one. */
export function badLink({ message, status }: BadLink, c: Context<App>) {
  if (!acceptsHtml(c)) return c.text(message, status)
  c.status(status)
  const link = { url: `${c.get('deps').config.frontendUrl}/dashboard`, text: 'Open Purse' }
  return show(c, { ...badLinks[status], link })
}

const badLinks = {
  403: {
    title: 'This link does not work.',
    text: 'It has expired, it is incomplete, or your address has changed since. In Purse you can get a new one.',
  },
  404: { title: 'This account no longer exists.', text: 'The link was for an account that was deleted.' },
}

const acceptsHtml = (c: Context): boolean => c.req.header('Accept')?.includes('text/html') ?? false

function show(c: Context, page: Page) {
  c.header('Content-Security-Policy', policy)
  return c.html(pageOf(page))
}

/** The colours are those of the example app. */
function pageOf({ title, text, button, link }: Page) {
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title} · Purse</title>
<style>
:root { color-scheme: light dark; --brand: light-dark(#0b6b50, #66cfaa) }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; padding: 12vh 1rem 2rem; background: light-dark(#f4f5f2, #0e1311); color: light-dark(#18201c, #e7ece9) }
main { max-width: 26rem; margin: auto; padding: 1.25rem; border: 1px solid light-dark(#dde2de, #2a332e); border-radius: .9rem; background: light-dark(#fff, #171d1a); overflow-wrap: anywhere }
h1 { font-size: 1.4rem; line-height: 1.25; margin: 0 }
small { font-weight: 700; color: var(--brand) }
button, a { display: inline-block; font: inherit; font-weight: 600; padding: .5rem 1rem; border: 0; border-radius: .6rem; background: var(--brand); color: light-dark(#fff, #06281d); text-decoration: none; cursor: pointer }
:focus-visible { outline: 3px solid var(--brand); outline-offset: 2px }
</style></head>
<body><main><small>Purse</small><h1>${title}</h1><p>${text}</p>${button && html`<form method="post"><button>${button}</button></form>`}${link && html`<a href="${link.url}">${link.text}</a>`}</main></body>
</html>`
}
