import { existsSync } from 'node:fs'
import { chromium, type Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { newPlace, start } from './stack.ts'

/** The system's browser: none is downloaded. */
const browser = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)

test.skipIf(!browser)(
  'on the reference page a person registers, pastes the token once and tries calls',
  async () => {
    const place = await newPlace()
    await start(place).ready()
    const origin = `http://127.0.0.1:${place.PORT}`
    const running = await chromium.launch({ executablePath: browser ?? '', args: ['--no-sandbox'] })
    try {
      const page = await running.newPage()
      const troubles: string[] = []
      page.on('console', (message) => message.type() === 'error' && troubles.push(message.text()))
      page.on('pageerror', (error) => troubles.push(error.message))
      page.on('request', (request) => {
        const url = request.url()
        if (!url.startsWith(origin) && !url.startsWith('data:')) troubles.push(`asks elsewhere: ${url}`)
      })

      // The first page of the service leads there.
      await page.goto(origin)
      expect(new URL(page.url()).pathname).toBe('/docs')
      const registered = await tryOut(page, 'register')
      expect(registered.status).toBe('201')
      await authorize(page, JSON.parse(registered.body).access_token)
      expect((await tryOut(page, 'showProfile')).status).toBe('200')
      expect((await tryOut(page, 'createAccount')).status).toBe('201')
      const recorded = await tryOut(page, 'createTransaction')
      expect([recorded.status, JSON.parse(recorded.body).amount]).toEqual(['201', '12.50'])

      // The token is still there when the page comes back.
      await page.reload()
      const summary = await tryOut(page, 'showSummary')
      expect([summary.status, JSON.parse(summary.body).total_balance]).toEqual(['200', 1237.5])
      expect(troubles).toEqual([])
    } finally {
      await running.close()
    }
  },
)

/** Opens an operation, executes its example as it stands, and answers what the page shows. */
async function tryOut(page: Page, operationId: string): Promise<{ status: string; body: string }> {
  const operation = page.locator(`[id$="-${operationId}"]`)
  await operation.locator('.opblock-summary-control').click()
  await operation.locator('button.execute').click()
  const answer = operation.locator('.live-responses-table .response')
  await answer.waitFor()
  const status = await answer.locator('.response-col_status').innerText()
  const body = await answer.locator('.highlight-code code').first().innerText()
  return { status: status.trim(), body }
}

async function authorize(page: Page, token: string): Promise<void> {
  await page.locator('.auth-wrapper button.authorize').first().click()
  await page.locator('.modal-ux input').fill(token)
  await page.locator('.modal-ux button.authorize').click()
  await page.locator('.modal-ux button.btn-done').click()
}
