import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { browser, launch } from './browser.ts'
import { verifyByMail } from './client.ts'
import { newPlace, start } from './stack.ts'

test.skipIf(!browser)(
  'on the reference page a person registers, pastes the token once and tries calls',
  async () => {
    const place = await newPlace()
    await start(place).ready()
    const origin = `http://127.0.0.1:${place.PORT}`
    const running = await launch()
    try {
      const page = await running.newPage()
      const troubles: string[] = []
      page.on('console', (message) => message.type() === 'error' && troubles.push(message.text()))
      page.on('pageerror', (error) => troubles.push(error.message))
      page.on('request', (request) => {
        const url = request.url()
        if (!url.startsWith(origin) && !url.startsWith('data:')) troubles.push(`asks elsewhere: ${url}`)
      })

      // The root of the service redirects there.
      await page.goto(origin)
      expect(new URL(page.url()).pathname).toBe('/docs')
      const registered = await tryOut(page, 'register')
      expect(registered.status).toBe('201')
      await verifyByMail(place, 'mary@example.com')
      await authorize(page, JSON.parse(registered.body).access_token)
      expect((await tryOut(page, 'showProfile')).status).toBe('200')
      expect((await tryOut(page, 'createAccount')).status).toBe('201')
      const recorded = await tryOut(page, 'createTransaction')
      expect([recorded.status, JSON.parse(recorded.body).amount]).toEqual(['201', '12.50'])

      const imported = await tryOut(page, 'importStatement', async (operation) => {
        const content = 'Date,Amount,Description\n2026-11-18,-3.20,Bakery\n'
        const file = { name: 'statement.csv', mimeType: 'text/csv', buffer: Buffer.from(content) }
        await operation.locator('input[type=file]').setInputFiles(file)
        await operation.locator('input[placeholder=account_id]').fill('1')
      })
      expect(imported.status, imported.body).toBe('200')
      const deleted = await tryOut(page, 'deleteTransaction', (operation) =>
        operation.locator('input[placeholder=id]').fill('1'),
      )
      expect(deleted.status).toBe('204')
      // A link in an email leads away from here.
      await page.locator('[id$="-verifyEmail"] .opblock-summary-control').click()
      expect(await page.locator('[id$="-verifyEmail"] button.execute').count()).toBe(0)

      // The token survives a reload of the page.
      await page.reload()
      const summary = await tryOut(page, 'showSummary')
      expect([summary.status, JSON.parse(summary.body).total_balance]).toEqual(['200', 1246.8])
      expect(troubles).toEqual([])
    } finally {
      await running.close()
    }
  },
)

type Shown = { status: string; body: string }

/** Opens an operation, executes its example, edited or not, and returns what the page shows. */
async function tryOut(
  page: Page,
  operationId: string,
  fill: (operation: Locator) => Promise<void> = async () => undefined,
): Promise<Shown> {
  const operation = page.locator(`[id$="-${operationId}"]`)
  await operation.locator('.opblock-summary-control').click()
  await fill(operation)
  await operation.locator('button.execute').click()
  const answer = operation.locator('.live-responses-table .response')
  await answer.waitFor()
  const status = await answer.locator('.response-col_status').innerText()
  const body = answer.locator('.highlight-code code').first()
  const hasBody = status.trim() !== '204'
  return { status: status.trim(), body: hasBody ? await body.innerText() : '' }
}

async function authorize(page: Page, token: string): Promise<void> {
  await page.locator('.auth-wrapper button.authorize').first().click()
  await page.locator('.modal-ux input').fill(token)
  await page.locator('.modal-ux button.authorize').click()
  await page.locator('.modal-ux button.btn-done').click()
}
