import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import type axe from 'axe-core'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { signAnswers } from '../../src/domain/types.ts'
import { hasBrowser, useBrowser } from './fixtures/browser.ts'
import { verifyByMail } from './fixtures/client.ts'
import { projectDirectory, sharedPlace } from './fixtures/stack.ts'

declare global {
  interface Window {
    axe: typeof axe
  }
}

const browser = useBrowser()

test.skipIf(!hasBrowser)(
  'on the reference page a person registers and tries calls with that token',
  async () => {
    const place = await sharedPlace()
    const origin = `http://127.0.0.1:${place.PORT}`
    const page = await browser().newPage()
    const troubles: string[] = []
    page.on('console', (message) => message.type() === 'error' && troubles.push(message.text()))
    page.on('pageerror', (error) => troubles.push(error.message))
    page.on('request', (request) => {
      const url = request.url()
      if (!url.startsWith(origin) && !url.startsWith('data:')) troubles.push(`requests elsewhere: ${url}`)
    })

    // The root of the service redirects there.
    await page.goto(origin)
    expect(new URL(page.url()).pathname).toBe('/docs')
    const registered = await tryOut(page, 'register')
    expect(registered.status).toBe('201')
    await verifyByMail(place, 'mary@example.com')
    // The page sends the token of the registration from then on.
    expect((await tryOut(page, 'showProfile')).status).toBe('200')
    const opened = await tryOut(page, 'createAccount')
    expect(opened.status).toBe('201')
    const account = String(JSON.parse(opened.body).id)
    const recorded = await tryOut(page, 'createTransaction', async (operation) => {
      const body = operation.locator('textarea')
      const example = JSON.parse(await body.inputValue())
      const [category] = JSON.parse((await tryOut(page, 'listCategories')).body)
      await body.fill(JSON.stringify({ ...example, account_id: Number(account), category_id: category.id }))
    })
    expect([recorded.status, JSON.parse(recorded.body).amount]).toEqual(['201', '12.50'])

    const imported = await tryOut(page, 'importStatement', async (operation) => {
      const content = 'Date,Debit,Description\n2026-11-18,3.20,Bakery\n'
      const file = { name: 'statement.csv', mimeType: 'text/csv', buffer: Buffer.from(content) }
      await operation.locator('input[type=file]').setInputFiles(file)
      await operation.locator('input[name=account_id]').fill(account)
    })
    expect(imported.status, imported.body).toBe('200')
    const deleted = await tryOut(page, 'deleteTransaction', (operation) =>
      operation.locator('input[name=id]').fill(JSON.parse(recorded.body).id.toString()),
    )
    expect(deleted.status).toBe('204')
    // A link in an email leads away from here.
    expect(await page.locator('#verifyEmail button').count()).toBe(0)

    // The token survives a reload of the page, and another can be pasted.
    await page.reload()
    const summary = await tryOut(page, 'showSummary')
    expect([summary.status, JSON.parse(summary.body).total_balance]).toEqual(['200', 1246.8])
    expect(troubles).toEqual([])
    await page.locator('#token').fill('made up')
    expect((await tryOut(page, 'showProfile')).status).toBe('401')
  },
)

test.skipIf(!hasBrowser).each([1280, 390])(
  'the reference page is searched, keeps its sections in sight and offers choices, %i wide',
  async (width) => {
    const { PORT } = await sharedPlace()
    const page = await browser().newPage({ viewport: { width, height: 800 } })
    await page.goto(`http://127.0.0.1:${PORT}/docs`)
    const shown = page.locator('details:visible')
    const all = await shown.count()
    await page.getByRole('searchbox').fill('Import STATEMENT')
    expect(await shown.evaluateAll((found) => found.map(({ id }) => id))).toContain('importStatement')
    expect(await shown.count()).toBeLessThan(all / 10)
    await page.getByRole('searchbox').fill('no such thing')
    expect([await shown.count(), await page.getByText('Nothing has these words.').isVisible()]).toEqual([
      0,
      true,
    ])
    // A link to what the search has hidden shows it.
    await page.evaluate(() => location.assign('#importStatement'))
    const operation = page.locator('#importStatement')
    await operation.getByRole('button', { name: 'Send' }).waitFor()
    expect(await shown.count()).toBe(all)
    const choices = operation.locator('select[name=signs] option')
    expect(await choices.allTextContents()).toEqual(['', ...signAnswers])
    expect(await operation.locator('select[name=dry_run] option').allTextContents()).toEqual([
      '',
      'true',
      'false',
    ])
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight / 2))
    const section = page.getByRole('navigation').getByRole('link', { name: 'Schemas' })
    const box = await page.getByRole('navigation').boundingBox()
    expect(box && box.y >= 0 && box.y < 200).toBe(true)
    await section.click()
    expect(new URL(page.url()).hash).toBe('#schemas')
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
    await page.close()
  },
)

test.skipIf(!hasBrowser)(
  'the reference page has no accessibility violation, with a part of each section open',
  async () => {
    const page = await browser().newPage()
    const files = path.join(projectDirectory, 'dist/reference')
    const styles = await readFile(path.join(files, 'docs/page.css'), 'utf8')
    await page.setContent(await readFile(path.join(files, 'docs.html'), 'utf8'))
    await page.addStyleTag({ content: styles })
    await page.evaluate(() => {
      const opened = document.querySelectorAll('details:first-of-type, #createTransaction, #importFile')
      for (const details of opened) details.setAttribute('open', '')
    })
    await page.addScriptTag({ path: createRequire(import.meta.url).resolve('axe-core/axe.min.js') })
    expect(await violations(page, 'html')).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await violations(page, 'section:first-of-type')).toEqual([])
  },
)

/** What axe finds in a part of a page, as `rule element`. */
async function violations(page: Page, part: string): Promise<string[]> {
  const found = await page.evaluate(
    (selector) => window.axe.run(selector, { resultTypes: ['violations'] }),
    part,
  )
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id} ${html}`))
}

type Shown = { status: string; body: string }

/** Opens an operation, sends its example, edited or not, and returns what the page shows. */
async function tryOut(
  page: Page,
  operationId: string,
  fill: (operation: Locator) => Promise<void> = async () => undefined,
): Promise<Shown> {
  const operation = page.locator(`#${operationId}`)
  if ((await operation.getAttribute('open')) === null) await operation.locator('summary').click()
  await fill(operation)
  const response = page.waitForResponse((one) => one.request().resourceType() === 'fetch')
  await operation.getByRole('button', { name: 'Send' }).click()
  await response
  const output = operation.locator('output')
  await output.locator('pre').waitFor({ state: 'attached' })
  const body = (await output.locator('pre').textContent()) ?? ''
  return { status: (await output.innerText()).slice(0, 3), body }
}
