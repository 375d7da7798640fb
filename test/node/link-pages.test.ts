import { expect, test } from 'vitest'
import { hasBrowser, useBrowser } from './fixtures/browser.ts'
import { clientOf, linkInMail, register, registration, verifyByMail } from './fixtures/client.ts'
import { sharedPlace } from './fixtures/stack.ts'

const browser = useBrowser()

test.skipIf(!hasBrowser)(
  'the pages of mailed links change the address of a user, and change it back',
  async () => {
    const place = await sharedPlace()
    const call = clientOf(place)
    const [old, email] = [`${crypto.randomUUID()}@example.com`, `${crypto.randomUUID()}@example.com`]
    const { access_token: token } = await register(place, old)
    await verifyByMail(place, old)
    const change = { email, current_password: registration(old).password }
    expect((await call('PUT', '/me/email', change, token)).status).toBe(200)

    const page = await browser().newPage()
    try {
      await page.goto(await linkInMail(place, email, /Confirm your new/))
      await page.getByRole('button', { name: 'Use this address' }).click()
      await page.getByRole('heading', { name: 'The address has been changed.' }).waitFor()
      expect((await call('GET', '/me', undefined, token)).body.email).toBe(email)

      await page.goto(await linkInMail(place, old, /has been changed/))
      await page.getByRole('button', { name: 'Change it back' }).click()
      await page.getByRole('heading', { name: 'The address has been changed back.' }).waitFor()
      expect((await call('GET', '/me', undefined, token)).status).toBe(401)
      expect(await linkInMail(place, old, /Reset your password/)).toContain('/reset-password?token=')
    } finally {
      await page.close()
    }
  },
)
