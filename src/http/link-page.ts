import type { Context } from 'hono'
import { html } from 'hono/html'

const policy = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'"

/** The page of a link in an email. Only its button has an effect, since scanners follow links, too. */
export function linkPage(c: Context, title: string, text: string, button?: string) {
  c.header('Content-Security-Policy', policy)
  return c.html(page(title, text, button))
}

/** The response to that button: a page for a browser, JSON for an email program (RFC 8058). */
export function linkOutcome(c: Context, title: string, text: string, status: 200 | 409 = 200) {
  c.status(status)
  if (!c.req.header('Accept')?.includes('text/html')) return c.json({ message: title })
  return linkPage(c, title, text)
}

function page(title: string, text: string, button?: string) {
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>
:root { color-scheme: light dark }
body { font: 17px/1.5 system-ui, sans-serif; max-width: 26rem; margin: 20vh auto 0; padding: 0 1.5rem }
button { font: inherit; font-weight: 600; padding: .6rem 1.2rem; border: 0; border-radius: .5rem; background: #0f6b4f; color: #fff }
</style></head>
<body><main><h1>${title}</h1><p>${text}</p>${button && html`<form method="post"><button>${button}</button></form>`}</main></body>
</html>`
}
