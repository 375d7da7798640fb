import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { startApp } from '../../dev/app.ts'
import { freePort } from '../../dev/ports.ts'
import { loopback } from '../../dev/settings.ts'
import { launch } from './browser.ts'
import { clientOf, register, registration } from './client.ts'
import { type Place, sharedPlace } from './stack.ts'

/** Where the links of the shared stack lead. The browser goes to the app that is served for these tests instead. */
export const address = 'http://localhost:5173'

/** For a busy machine; nothing here depends on its speed. */
export const patienceMs = 60_000
const phone = { viewport: { width: 390, height: 844 }, locale: 'en-GB', reducedMotion: 'reduce' } as const

/** Serves the example app for the tests of a file, to browsers that call the shared stack. */
export function serveExampleApp() {
  let browser: Browser
  const app = { place: {} as Place, directory: '', served: '' }
  const ends: (() => Promise<void>)[] = []

  beforeAll(async () => {
    app.place = await sharedPlace()
    app.directory = await mkdtemp(path.join(tmpdir(), 'purse-app-'))
    ends.push(() => rm(app.directory, { recursive: true, force: true }))
    const port = await freePort()
    const apiUrl = `http://${loopback}:${app.place.PORT}`
    const { url, close } = await startApp({ port, host: loopback, directory: app.directory, apiUrl })
    app.served = url
    browser = await launch(`localhost:5173 ${loopback}:${port}`)
    ends.push(close, () => browser.close())
  })
  afterEach(() => Promise.all(browser.contexts().map((context) => context.close())))
  afterAll(async () => {
    for (const end of ends.reverse()) await end()
  })

  async function newDevice(options = {}): Promise<[BrowserContext, Page]> {
    const context = await browser.newContext({ ...phone, ...options })
    context.setDefaultTimeout(patienceMs)
    return [context, await context.newPage()]
  }

  /** Registers a user with money through the API, and returns functions that call it in their name. */
  async function newPerson(email: string, starting_balance = '100.00') {
    const api = clientOf(app.place)
    const { access_token: token } = await register(app.place, email)
    const account = { name: 'Checking', type: 'bank', starting_balance }
    const account_id = (await api('POST', '/accounts', account, token)).body.id
    const category_id = (await api('GET', '/categories', undefined, token)).body[0].id
    const call = async (method: string, path: string, body?: object) =>
      (await api(method, path, body, token)).body
    const add = async (description: string, amount: string, more = {}) => {
      const way = { account_id, category_id, type: 'expense', transaction_date: '2026-11-20' }
      await call('POST', '/transactions', { ...way, description, amount, ...more })
    }
    const get = (path: string) => call('GET', path)
    const endOtherSessions = async () => {
      for (const { id, is_current } of await get('/tokens'))
        if (!is_current) await call('DELETE', `/tokens/${id}`)
    }
    return { email, account_id, add, call, get, endOtherSessions }
  }

  async function signIn(page: Page, email: string): Promise<void> {
    await page.goto(address)
    await enter(page, email, registration(email).password)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  }

  return { app, newDevice, newPerson, signIn }
}

export const press = (page: Page | Locator, name: string) =>
  page.getByRole('button', { name, exact: true }).click()

export async function enter(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await press(page, 'Sign in')
}

/** Opens a page of the app by its link. */
export async function open(page: Page, name: string): Promise<void> {
  const link = page.getByRole('link', { name, exact: true })
  if (!(await link.isVisible())) await page.getByRole('navigation').getByText('More').click()
  await link.click()
  await page.getByRole('heading', { name, level: 1 }).waitFor()
}

export async function addAccount(page: Page, name: string, balance: string): Promise<void> {
  await press(page, 'Add account')
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Starting balance').fill(balance)
  await press(page, 'Save')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

export async function fillIn(page: Page, description: string, amount: string): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Amount').fill(amount)
  await dialog.getByLabel('Description').fill(description)
  await dialog.getByLabel('Category').selectOption({ index: 1 })
}

export async function fillExpense(page: Page, description: string, amount: string): Promise<void> {
  await press(page, 'Add transaction')
  await fillIn(page, description, amount)
  await press(page, 'Save')
}

export async function addExpense(page: Page, description: string, amount: string): Promise<void> {
  await fillExpense(page, description, amount)
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

export const choose = (page: Page, title: string) => page.locator('button.row', { hasText: title }).click()

export async function edit(page: Page, title: string, fields: Record<string, string>): Promise<void> {
  await choose(page, title)
  for (const [label, value] of Object.entries(fields))
    await page.getByRole('dialog').getByLabel(label).fill(value)
  await press(page, 'Save')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

/** The transactions that are shown, with their amounts. */
export function rows(page: Page): Promise<string[]> {
  return page.locator('.day .row').evaluateAll((buttons) =>
    buttons.map((button) => {
      const title = button.querySelector('bdi')?.textContent ?? ''
      return `${title} ${button.querySelector('strong')?.textContent}`
    }),
  )
}

export const expectRows = (page: Page, expected: string[]) =>
  expect.poll(() => rows(page), { timeout: patienceMs }).toEqual(expected)

export const balances = (page: Page) => page.locator('a.row strong').allInnerTexts()
