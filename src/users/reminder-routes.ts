import { Hono } from 'hono/tiny'
import type { App } from '../http/app-types.ts'
import { linkOutcome, linkPage } from '../http/link-page.ts'
import { lenientFields } from '../http/validate.ts'
import { unsubscribeLinkPath } from './contract.ts'
import { requireUnsubscribeLink, unsubscribe } from './reminders.ts'

/** Turns off reminders from their email (RFC 8058). */
export const reminderRoutes = new Hono<App>()
  .get('/unsubscribe/:user/:signature', lenientFields('param', unsubscribeLinkPath), (c) => {
    const { user = '', signature = '' } = c.req.valid('param')
    requireUnsubscribeLink(c.get('deps').config.links.secret, user, signature)
    const text = 'You get them on days when you have recorded nothing.'
    return linkPage(c, 'Stop the reminders?', text, 'Stop reminders')
  })
  .post('/unsubscribe/:user/:signature', lenientFields('param', unsubscribeLinkPath), async (c) => {
    const { user = '', signature = '' } = c.req.valid('param')
    const { db, config } = c.get('deps')
    await unsubscribe(db, config.links.secret, user, signature)
    const text = 'You can switch them on again in your profile.'
    return linkOutcome(c, 'You will get no more reminders.', text)
  })
