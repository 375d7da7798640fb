import { Hono } from 'hono'
import { html } from 'hono/html'
import { demandUnsubscribeLink, unsubscribe } from '../../services/reminders.ts'
import type { App } from '../app-types.ts'

/**
 * Ends reminders from the mail itself (RFC 8058). Mail programs POST; a person who follows the link gets a page
 * with a button first, since scanners of mails follow links as well.
 */
export const reminderRoutes = new Hono<App>()
  .get('/unsubscribe/:user/:signature', async (c) => {
    const { user, signature } = c.req.param()
    await demandUnsubscribeLink(c.var.deps.config.links.secret, user, signature)
    c.header('Content-Security-Policy', pagePolicy)
    return c.html(
      page('Stop the reminders?', html`<form method="post"><button>Stop reminders</button></form>`),
    )
  })
  .post('/unsubscribe/:user/:signature', async (c) => {
    const { user, signature } = c.req.param()
    const { db, config } = c.var.deps
    await unsubscribe(db, config.links.secret, user, signature)
    if (!c.req.header('Accept')?.includes('text/html'))
      return c.json({ message: 'You will get no more reminders.' })
    c.header('Content-Security-Policy', pagePolicy)
    return c.html(
      page('You will get no more reminders.', html`<p>You can switch them on again in your profile.</p>`),
    )
  })

const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'"

function page(title: string, content: ReturnType<typeof html>) {
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>
:root { color-scheme: light dark }
body { font: 17px/1.5 system-ui, sans-serif; max-width: 26rem; margin: 20vh auto 0; padding: 0 1.5rem }
button { font: inherit; font-weight: 600; padding: .6rem 1.2rem; border: 0; border-radius: .5rem; background: #0f6b4f; color: #fff }
</style></head>
<body><h1>${title}</h1>${content}</body>
</html>`
}
