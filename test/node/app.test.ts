import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startApp } from '../../dev/app.ts'
import { freePort } from '../../dev/ports.ts'
import { loopback } from '../../dev/settings.ts'
import { browser as executable, launch } from './browser.ts'
import { clientOf, linkInMail, register, registration } from './client.ts'
import { type Place, sharedPlace } from './stack.ts'

/** Where the links of the shared stack lead. The browser goes to the app that is served for these tests instead. */
const address = 'http://localhost:5173'

/** For a busy machine; nothing here depends on its speed. */
const patienceMs = 60_000
const phone = { viewport: { width: 390, height: 844 }, locale: 'en-GB', reducedMotion: 'reduce' } as const

describe.skipIf(!executable)('the example app', () => {
  let browser: Browser
  let place: Place
  let directory: string
  let served: string
  const ends: (() => Promise<void>)[] = []

  beforeAll(async () => {
    place = await sharedPlace()
    directory = await mkdtemp(path.join(tmpdir(), 'purse-app-'))
    ends.push(() => rm(directory, { recursive: true, force: true }))
    const port = await freePort()
    const apiUrl = `http://${loopback}:${place.PORT}`
    const app = await startApp({ port, host: loopback, directory, apiUrl })
    served = app.url
    browser = await launch(`localhost:5173 ${loopback}:${port}`)
    ends.push(app.close, () => browser.close())
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
  async function newPerson(email: string) {
    const api = clientOf(place)
    const { access_token: token } = await register(place, email)
    const account = { name: 'Checking', type: 'bank', starting_balance: '100.00' }
    const account_id = (await api('POST', '/accounts', account, token)).body.id
    const category_id = (await api('GET', '/categories', undefined, token)).body[0].id
    const add = async (description: string, amount: string) => {
      const way = { account_id, category_id, type: 'expense', transaction_date: '2026-11-20' }
      await api('POST', '/transactions', { ...way, description, amount }, token)
    }
    const get = async (path: string) => (await api('GET', path, undefined, token)).body
    const endOtherSessions = async () => {
      for (const { id, is_current } of await get('/tokens'))
        if (!is_current) await api('DELETE', `/tokens/${id}`, undefined, token)
    }
    return { email, add, get, endOtherSessions }
  }

  async function signIn(page: Page, email: string): Promise<void> {
    await page.goto(address)
    await enter(page, email, registration(email).password)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  }

  test('shows each page, asks before it does something twice, and works without a network', async () => {
    const [context, page] = await newDevice()
    const email = 'app@example.com'
    await page.goto(`${address}/register`)
    await page.getByLabel('Name').fill('Ada')
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill(registration(email).password)
    await press(page, 'Sign up')
    await page.getByText('Where is your money?').waitFor()
    await page.goto(await linkInMail(place, email, /Verify your email/))
    await page.getByText('Your address is verified.').waitFor()

    await open(page, 'Accounts')
    await addAccount(page, 'Checking', '1250')
    await addAccount(page, 'Wallet', '20,50')
    await open(page, 'Transactions')
    await addExpense(page, 'Coffee', '3,20')
    await fillExpense(page, 'Another coffee', '3.2')
    await page.getByText('There is one already: “Coffee”').waitFor()
    await press(page, 'Close')

    await edit(page, 'Coffee', { Amount: '4.20' })
    await choose(page, 'Coffee')
    await press(page, 'Delete')
    await page.getByText('The transaction is deleted.').waitFor()
    expect(await rows(page)).toEqual([])
    await press(page, 'Undo')
    expect(await rows(page)).toEqual(['Coffee −4.20'])
    // What comes back after its deletion has been sent gets a new key.
    await page.getByText('Online · all saved').waitFor()
    await edit(page, 'Coffee', {})
    expect(await page.locator('.toasts').innerText()).toBe('')
    await press(page, 'Add transaction')
    await page.getByLabel('Transfer').check()
    await page.getByLabel('Amount').fill('50')
    await press(page, 'Save')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expectRows(page, ['Transfer 50.00', 'Coffee −4.20'])
    await page.getByLabel('Search').fill('coff')
    await expectRows(page, ['Coffee −4.20'])

    await open(page, 'Import')
    const chooseFile = (name: string, text: string) =>
      page.getByLabel('File').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
    await chooseFile(
      'card.csv',
      'Date;Amount;Description\n03/02/2026;12,50;Market\n04/02/2026;-1,00;Refund\n',
    )
    await press(page, 'Look at the file')
    await page.getByText('3 Feb 2026: −12.50 Market').waitFor()
    await page.getByLabel('DD/MM/YYYY').check()
    await page.getByLabel('Positive amounts were spent').check()
    await press(page, 'Look at the file')
    await page.getByRole('heading', { name: '2 new transactions' }).waitFor()
    await press(page, 'Import 2 transactions')
    await page.getByText('Successfully imported 2 transactions.').waitFor()
    await chooseFile('next.csv', 'Date;Amount;Description\n03/03/2026;13,50;Market\n')
    await press(page, 'Look at the file')
    await page.getByRole('cell', { name: '−13.50' }).waitFor()

    await chooseFile('damaged.csv', 'Date;Debit;Description\n2026-02-03;12,50;Market\n2026-02-04;1,0,0;Bus\n')
    await press(page, 'Look at the file')
    await page.getByText('Row 3: The debit field must be a number.').waitFor()

    await open(page, 'Overview')
    await page.getByRole('button', { name: 'The month before' }).waitFor()
    for (const link of await page.locator('a[href*="to="]').all()) {
      const to = new URLSearchParams((await link.getAttribute('href'))?.split('?')[1]).get('to') ?? ''
      expect(new Date(to).toISOString().slice(0, 10)).toBe(to)
    }

    await open(page, 'Settings')
    await page.getByLabel('Reminder').fill('20:00')
    await press(page, 'Save')
    await page.getByText('Chrome on Linux (this device), last used on').waitFor()
    await open(page, 'Accounts')
    expect(await figures(page)).toEqual(['1,184.30', '70.50'])

    await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
    await context.setOffline(true)
    await page.goto(`${address}/transactions`)
    await page.getByText('Offline · all saved').waitFor()
    await addExpense(page, 'On the train', '8.00')
    await page.getByText('Offline · 1 change waiting').waitFor()
    await page.reload()
    await expect.poll(async () => (await rows(page))[0], { timeout: patienceMs }).toBe('On the train −8.00')
    await context.setOffline(false)
    await page.getByText('Online · all saved').waitFor()

    await open(page, 'Settings')
    await press(page, 'Sign out')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.getByText('Forgot password?').click()
    await page.getByLabel('Email').fill(email)
    await press(page, 'Send me a link')
    await page.goto(await linkInMail(place, email, /Reset your password/))
    await page.getByLabel('Password').fill('a new password')
    await press(page, 'Set the password')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await enter(page, email, 'a new password')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()

    await open(page, 'Settings')
    await press(page, 'Sign out')
    await press(page, 'Sign in with the identity provider')
    await page.getByLabel('Address', { exact: true }).fill(email)
    await press(page, 'Sign in')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(page.url()).toBe(`${address}/dashboard`)
    await open(page, 'Transactions')
    expect((await rows(page)).sort()).toEqual(
      ['Coffee −4.20', 'Market −12.50', 'On the train −8.00', 'Refund +1.00', 'Transfer 50.00'].sort(),
    )
  })

  test('brings two devices that were offline in line with the API, and asks about each conflict once', async () => {
    const person = await newPerson('devices@example.com')
    await person.add('Rent', '40.00')
    await person.add('Gift', '5.00')
    const devices = await Promise.all([newDevice(), newDevice()])
    for (const [, page] of devices) {
      await signIn(page, person.email)
      await open(page, 'Transactions')
      await expectRows(page, ['Gift −5.00', 'Rent −40.00'])
      await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
    }
    const [[context, first], second] = devices as [[BrowserContext, Page], [BrowserContext, Page]]
    for (const [context] of devices) await context.setOffline(true)

    await edit(first, 'Rent', { Amount: '41.00' })
    await edit(second[1], 'Rent', { Amount: '42.00' })
    await choose(first, 'Gift')
    await press(first, 'Delete')
    await edit(second[1], 'Gift', { Amount: '6.00' })
    // Both spend the rest.
    await addExpense(first, 'Bicycle', '55.00')
    await addExpense(second[1], 'Concert', '55.00')

    // A tab is closed, and opened again without a network.
    await second[1].close()
    second[1] = await second[0].newPage()
    await second[1].goto(`${address}/transactions`)
    await expectRows(second[1], ['Concert −55.00', 'Gift −6.00', 'Rent −42.00'])

    const sides = [
      { context, page: first, rent: '41.00' },
      { context: second[0], page: second[1], rent: '42.00' },
    ].sort(() => Math.random() - 0.5)
    const [early, late] = sides as [(typeof sides)[0], (typeof sides)[0]]
    await early.context.setOffline(false)
    await early.page.getByText('Online · all saved').waitFor()
    await late.context.setOffline(false)
    await late.page.getByText('Online · 2 changes to look at').waitFor()
    await choose(late.page, 'Rent')
    await late.page.getByRole('article').nth(1).waitFor()
    const rent = late.page.getByRole('article').filter({ hasText: 'Rent' })
    expect(await rent.getByRole('row', { name: 'amount' }).innerText()).toMatch(
      new RegExp(`${late.rent}\\s+${early.rent}`),
    )
    await rent.getByRole('button', { name: 'Keep mine' }).click()
    await late.page.getByRole('button', { name: /Keep theirs|Drop my change/ }).click()
    await late.page.getByText('Online · all saved', { exact: true }).waitFor()
    await early.page.getByText(`−${late.rent}`).waitFor()

    const { data } = await person.get('/transactions')
    const amounts = data.map(
      (row: { description: string; amount: string }) => `${row.description} −${row.amount}`,
    )
    expect(amounts).toHaveLength(
      data.some((row: { description: string }) => row.description === 'Gift') ? 4 : 3,
    )
    for (const { page } of sides) {
      await open(page, 'Transactions')
      await expectRows(page, amounts)
      await page.getByText('Online · all saved', { exact: true }).click()
      await page.getByText('Everything is saved.').waitFor()
      expect(await page.getByRole('button', { name: /Keep|Drop/ }).count()).toBe(0)
      await open(page, 'Accounts')
      const [{ balance }] = await person.get('/accounts')
      expect(await figures(page)).toEqual([balance.toFixed(2).replace('-', '−')])
    }
  })

  test('lets people finish what they are entering when their session ends, and sends it once they are back', async () => {
    const person = await newPerson('ended@example.com')
    const [, page] = await newDevice()
    await page.goto(`${address}/transactions`)
    await enter(page, person.email, registration(person.email).password)
    await press(page, 'Add transaction')
    await fillIn(page, 'Written for long', '5.00')
    const refused = page.waitForResponse((response) => response.status() === 401)
    await person.endOtherSessions()
    await refused
    await press(page, 'Save')
    await page.getByText('Your session has ended.').waitFor()
    await enter(page, person.email, registration(person.email).password)
    await expectRows(page, ['Written for long −5.00'])
    await page.getByText('Online · all saved').waitFor()
    expect((await person.get('/transactions')).data).toHaveLength(1)
  })

  test('shows a new version after one reload, in a browser that has kept the old one', async () => {
    const [, page] = await newDevice()
    await page.goto(address)
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
    for (const [name, from, to] of [
      ['index.html', '<title>Purse</title>', '<title>Purse</title><meta name="version" content="2">'],
      ['service-worker.js', '"version":"', '"version":"2'],
    ] as const) {
      const file = path.join(directory, name)
      await writeFile(file, (await readFile(file, 'utf8')).replace(from, to))
    }
    await page.reload()
    await page.locator('meta[name=version]').waitFor({ state: 'attached' })
  })

  test('is served with its headers, and can be installed', async () => {
    const page = await fetch(`${served}/dashboard`, { method: 'HEAD' })
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const { id, icons } = (await (await fetch(`${served}/manifest.webmanifest`)).json()) as {
      id: string
      icons: { src: string; type: string }[]
    }
    expect(id).toBe('/')
    for (const { src, type } of icons)
      expect((await fetch(served + src)).headers.get('content-type')).toBe(type)
  })

  test('reads without asking the API, and shows a write before the API has responded, within a frame', async () => {
    const person = await newPerson('latency@example.com')
    await person.add('Rent', '40.00')
    const [, page] = await newDevice({ serviceWorkers: 'block' })
    await signIn(page, person.email)
    const asked: string[] = []
    const released = Promise.withResolvers<void>()
    await page.route('**/api/**', async (route) => {
      asked.push(new URL(route.request().url()).pathname)
      await released.promise
      await route.continue()
    })
    await open(page, 'Transactions')
    await page.getByLabel('Search').fill('ren')
    await expectRows(page, ['Rent −40.00'])
    await page.getByLabel('Search').fill('')
    await open(page, 'Accounts')
    expect(await figures(page)).toEqual(['60.00'])
    await open(page, 'Overview')
    await page.getByText('Total balance').waitFor()

    await open(page, 'Transactions')
    await press(page, 'Add transaction')
    await fillIn(page, 'Tea', '2.00')
    const shown = await page.evaluate(async () => {
      document.querySelector<HTMLFormElement>('dialog form')?.requestSubmit()
      await new Promise(requestAnimationFrame)
      return document.querySelector('.day')?.textContent
    })
    expect(shown).toContain('Tea')
    // Only what keeps the copy up to date has been requested, and none of it has a response.
    expect(asked.filter((path) => !['/api/changes', '/api/me'].includes(path))).toEqual([])
    released.resolve()
    await page.getByText('Online · all saved').waitFor()
    const { data } = await person.get('/transactions')
    expect(data.map((row: { description: string }) => row.description)).toEqual(['Tea', 'Rent'])
  })
})

const press = (page: Page | Locator, name: string) => page.getByRole('button', { name, exact: true }).click()

async function enter(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await press(page, 'Sign in')
}

/** Opens a page of the app by its link. */
async function open(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation').getByText(name).click()
  await page.getByRole('heading', { name, level: 1 }).waitFor()
}

async function addAccount(page: Page, name: string, balance: string): Promise<void> {
  await press(page, 'Add account')
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Balance before').fill(balance)
  await press(page, 'Save')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

async function fillIn(page: Page, description: string, amount: string): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Amount').fill(amount)
  await dialog.getByLabel('Description').fill(description)
  await dialog.getByLabel('Category').selectOption({ index: 1 })
}

async function fillExpense(page: Page, description: string, amount: string): Promise<void> {
  await press(page, 'Add transaction')
  await fillIn(page, description, amount)
  await press(page, 'Save')
}

async function addExpense(page: Page, description: string, amount: string): Promise<void> {
  await fillExpense(page, description, amount)
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

const choose = (page: Page, title: string) => page.locator('.day button', { hasText: title }).click()

async function edit(page: Page, title: string, fields: Record<string, string>): Promise<void> {
  await choose(page, title)
  for (const [label, value] of Object.entries(fields))
    await page.getByRole('dialog').getByLabel(label).fill(value)
  await press(page, 'Save')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

/** The transactions that are shown, with their amounts. */
function rows(page: Page): Promise<string[]> {
  return page.locator('.day button').evaluateAll((buttons) =>
    buttons.map((button) => {
      const title = button.querySelector('span')?.firstChild?.textContent ?? ''
      return `${title} ${button.querySelector('strong')?.textContent}`
    }),
  )
}

const expectRows = (page: Page, expected: string[]) =>
  expect.poll(() => rows(page), { timeout: patienceMs }).toEqual(expected)

const figures = (page: Page) => page.locator('.figure').allInnerTexts()
