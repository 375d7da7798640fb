import type { BrowserContext, Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { loopback } from '../../dev/settings.ts'
import { send, serve } from '../../dev/web/serve.ts'
import { hasBrowser } from './fixtures/browser.ts'
import { linkInMail, registration } from './fixtures/client.ts'
import {
  addAccount,
  addExpense,
  address,
  balances,
  choose,
  edit,
  enter,
  expectRows,
  fillExpense,
  fillIn,
  look,
  open,
  patienceMs,
  press,
  rows,
  serveExampleApp,
} from './fixtures/example-app.ts'

describe.skipIf(!hasBrowser)('the example app', () => {
  const { app, newDevice, newPerson, signIn } = serveExampleApp()

  test('a person signs up, records, asks for a new password and signs in at a provider; without a network it loads and records', async () => {
    const [context, page] = await newDevice({ serviceWorkers: 'allow' })
    const email = 'app@example.com'
    await page.goto(`${address}/register`)
    await page.getByLabel('Name').fill('Ada')
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill(registration(email).password)
    await press(page, 'Sign up')
    await page.getByText('Where is your money?').waitFor()
    await page.goto(await linkInMail(app.place, email, /Verify your email/))
    await page.getByText('Your address is verified.').waitFor()

    await open(page, 'Accounts')
    await addAccount(page, 'Checking', '1250')
    await addAccount(page, 'Wallet', '20,50')
    await open(page, 'Transactions')
    await addExpense(page, 'Coffee', '3,20')
    await fillExpense(page, 'Another coffee', '3.2')
    await page.getByText('There is one already: “Coffee”').waitFor()
    await press(page, 'Close')
    await press(page, 'Discard')

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
    expect(await page.locator('.toasts').innerText()).not.toContain('changed')
    await press(page, 'Add transaction')
    await page.getByLabel('Transfer').check()
    await page.getByLabel('Amount').fill('50')
    await press(page, 'Save')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expectRows(page, ['Transfer 50.00', 'Coffee −4.20'])
    await page.getByLabel('Search').fill('coff')
    await expectRows(page, ['Coffee −4.20'])

    await open(page, 'Accounts')
    expect(await balances(page)).toEqual(['1,195.80', '70.50'])

    await page.getByText('Online · all saved').waitFor()
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
    await page.goto(await linkInMail(app.place, email, /Reset your password/))
    await page.getByLabel('Password').fill('a new password')
    await press(page, 'Set the password')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await enter(page, email, 'a new password')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()

    await open(page, 'Settings')
    await press(page, 'Sign out')
    await press(page, 'Continue with single sign-on')
    await page.getByLabel('Address', { exact: true }).fill(email)
    await press(page, 'Sign in')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(page.url()).toBe(`${address}/dashboard`)
    await open(page, 'Transactions')
    expect((await rows(page)).sort()).toEqual(['Coffee −4.20', 'On the train −8.00', 'Transfer 50.00'])
  })

  test('brings two devices that were offline in line with the API, and asks about each conflict once', async () => {
    const person = await newPerson('devices@example.com')
    await person.add('Rent', '40.00')
    await person.add('Gift', '5.00')
    const kept = { serviceWorkers: 'allow' }
    const devices = await Promise.all([newDevice(kept), newDevice(kept)])
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

    const early = { context, page: first, rent: '41.00' }
    const late = { context: second[0], page: second[1], rent: '42.00' }
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
    await look(early.page)
    await early.page.locator('.row', { hasText: `−${late.rent}` }).waitFor()

    const { data } = await person.get('/transactions')
    const amounts = data.map(
      (row: { description: string; amount: string }) => `${row.description} −${row.amount}`,
    )
    expect(amounts.toSorted()).toEqual(['Bicycle −55.00', 'Concert −55.00', 'Rent −42.00'])
    for (const { page } of [early, late]) {
      await open(page, 'Transactions')
      await expectRows(page, amounts)
      await page.getByText('Online · all saved', { exact: true }).click()
      await page.getByText('Everything is saved.').waitFor()
      expect(await page.getByRole('button', { name: /Keep|Drop/ }).count()).toBe(0)
      await open(page, 'Accounts')
      const [{ balance }] = await person.get('/accounts')
      expect(await balances(page)).toEqual([balance.toFixed(2).replace('-', '−')])
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
    await look(page)
    await refused
    await press(page, 'Save')
    await page.getByText('Your session has ended.').waitFor()
    await enter(page, person.email, registration(person.email).password)
    await expectRows(page, ['Written for long −5.00'])
    await page.getByText('Online · all saved').waitFor()
    expect((await person.get('/transactions')).data).toHaveLength(1)
  })

  test('shows a new version after one reload, in a browser that has kept the old one', async () => {
    const [, page] = await newDevice({ serviceWorkers: 'allow' })
    let version = ''
    const server = await serve(
      () =>
        async (_, response, { pathname }) => {
          const served = await fetch(app.served + pathname)
          const text = (await served.text())
            .replace('<title>', `<meta name="version" content="${version}"><title>`)
            .replace('"version":"', `$&${version}`)
          send(response, served.status, served.headers.get('Content-Type') ?? '', text)
        },
      { port: 0, host: loopback },
    )
    onTestFinished(() => server.close())
    await page.goto(server.url)
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
    version = '2'
    await page.reload()
    await page.locator('meta[name=version][content="2"]').waitFor({ state: 'attached' })
  })

  test('says so if a part of it is missing, after loading again once', async () => {
    const person = await newPerson('missing@example.com')
    const [, page] = await newDevice({ serviceWorkers: 'block' })
    await signIn(page, person.email)
    let loads = 0
    page.on('load', () => {
      loads += 1
    })
    await page.route('**/assets/reports-*.js', (route) => route.fulfill({ status: 404 }))
    await page.getByRole('navigation').getByRole('link', { name: 'Reports' }).click()
    await expect.poll(() => loads, { timeout: patienceMs }).toBe(1)
    await page.getByText('This part of the app could not be loaded.').waitFor()
    await page.unroute('**/assets/reports-*.js')
    await press(page, 'Load again')
    await page.getByRole('heading', { name: 'Reports' }).waitFor()
    expect(loads).toBe(2)
  })

  test('is served with its headers, and can be installed', async () => {
    const page = await fetch(`${app.served}/dashboard`, { method: 'HEAD' })
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const { id, icons } = (await (await fetch(`${app.served}/manifest.webmanifest`)).json()) as {
      id: string
      icons: { src: string; type: string }[]
    }
    expect(id).toBe('/')
    for (const { src, type } of icons)
      expect((await fetch(app.served + src)).headers.get('content-type')).toBe(type)
  })

  test('reads without calling the API, and shows a write before the API has responded, within a frame', async () => {
    const person = await newPerson('latency@example.com')
    await person.add('Rent', '40.00')
    const [, page] = await newDevice()
    await signIn(page, person.email)
    const requested: string[] = []
    const released = Promise.withResolvers<void>()
    await page.route('**/api/**', async (route) => {
      requested.push(new URL(route.request().url()).pathname)
      await released.promise
      await route.continue()
    })
    await open(page, 'Transactions')
    await page.getByLabel('Search').fill('ren')
    await expectRows(page, ['Rent −40.00'])
    await page.getByLabel('Search').fill('')
    await open(page, 'Accounts')
    expect(await balances(page)).toEqual(['60.00'])
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
    expect(requested.filter((path) => !['/api/changes', '/api/me'].includes(path))).toEqual([])
    released.resolve()
    await page.getByText('Online · all saved').waitFor()
    const { data } = await person.get('/transactions')
    expect(data.map((row: { description: string }) => row.description)).toEqual(['Tea', 'Rent'])
  })
})
