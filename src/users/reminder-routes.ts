import { Hono } from 'hono/tiny'
import type { App } from '../http/app-types.ts'
import { linkOutcome, linkPage } from '../http/link-page.ts'
import { lenientFields } from '../http/validate.ts'
import type { Unsubscribed } from '../identity/links.ts'
import { unsubscribeLinkPath } from './contract.ts'
import { requireUnsubscribeLink, unsubscribe } from './reminders.ts'

/** The texts of the pages of a link, by the emails that it ends. */
const pages: Record<Unsubscribed, { title: string; text: string; button: string; outcome: string }> = {
  reminder: {
    title: 'Stop the reminders?',
    text: 'You get them on days when you have recorded nothing.',
    button: 'Stop reminders',
    outcome: 'You will get no more reminders.',
  },
  due: {
    title: 'Stop the reminders of recurring transactions?',
    text: 'You get them before these are due. All other emails stay as they are.',
    button: 'Stop these reminders',
    outcome: 'You will get no more reminders of recurring transactions.',
  },
}

/** Turns off reminders from their emails (RFC 8058). */
export const reminderRoutes = new Hono<App>()
  .get('/unsubscribe/:user/:signature', lenientFields('param', unsubscribeLinkPath), (c) => {
    const { user = '', signature = '' } = c.req.valid('param')
    const { title, text, button } =
      pages[requireUnsubscribeLink(c.get('deps').config.links.secret, user, signature)]
    return linkPage(c, title, text, button)
  })
  .post('/unsubscribe/:user/:signature', lenientFields('param', unsubscribeLinkPath), async (c) => {
    const { user = '', signature = '' } = c.req.valid('param')
    const { config, ...deps } = c.get('deps')
    const { outcome } = pages[await unsubscribe(deps, config.links.secret, user, signature)]
    return linkOutcome(c, outcome, 'You can switch them on again in your profile.')
  })
