import { text } from 'node:stream/consumers'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { hasBrowser } from './fixtures/browser.ts'
import { clientOf, registration, verifyByMail } from './fixtures/client.ts'
import {
  addExpense,
  address,
  choose,
  enter,
  expectRows,
  fillExpense,
  fillIn,
  flaws,
  focused,
  look,
  open,
  patienceMs,
  press,
  pressToPost,
  rows,
  serveExampleApp,
} from './fixtures/example-app.ts'

const today = new Date().toISOString().slice(0, 10)
const largest = '9999999999999.99'
const savings = { name: 'Savings', type: 'bank', starting_balance: '0' }

describe.skipIf(!hasBrowser)('using the example app', () => {
  const { app, newDevice, newPerson, newUser, openAs } = serveExampleApp()

  async function newWindow(email: string, path?: string) {
    const person = await newPerson(email)
    return { person, ...(await openAs(person, path)) }
  }

  test('asks about an amount with two readings, and writes amounts as the browser does', async () => {
    const person = await newPerson('amounts@example.com')
    const { page } = await openAs(person, '/transactions', { locale: 'de-DE' })
    await addExpense(page, 'Laden', '1.000')
    await page.getByText('−1.000,00').first().waitFor()
    await fillExpense(page, 'Zweifel', '4,234')
    await page.getByText('“4,234” is read as 4.234,00.').waitFor()
    await press(page, 'Save it anyway')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    // What the app shows can be saved again.
    await choose(page, 'Laden')
    expect(await page.getByLabel('Amount').inputValue()).toBe('1.000,00')
    await page.getByLabel('Amount').fill('0,001')
    await press(page, 'Save')
    await page.getByText('The amount field must have 0-2 decimal places.').waitFor()
  })

  test('keeps what was typed when the person goes back or presses Escape, until they discard it', async () => {
    const { page } = await newWindow('typed@example.com')
    await open(page, 'Transactions')
    await press(page, 'Add transaction')
    await fillIn(page, 'Half written', '5')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await press(page, 'Keep typing')
    await page.goBack()
    await page.getByText('What you entered is not saved.').waitFor()
    expect(await page.getByLabel('Description').inputValue()).toBe('Half written')
    await press(page, 'Discard')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    // A form without anything typed closes, and the page stays.
    await press(page, 'Add transaction')
    await page.goBack()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(new URL(page.url()).pathname).toBe('/transactions')
  })

  test('asks before Back, Escape or a link discards what was typed on a page', async () => {
    const { page } = await newWindow('pages@example.com')
    await open(page, 'Settings')
    await page.getByLabel('Reminder').fill('20:00')
    await page.getByLabel('New address').fill('half@example.com')
    await page.keyboard.press('Escape')
    await page.goBack()
    await page.getByText('What you entered is not saved.').waitFor()
    await press(page, 'Keep typing')
    expect(await page.getByLabel('New address').inputValue()).toBe('half@example.com')
    await press(page, 'Save')
    await page.getByText('Your settings are saved.').waitFor()
    await page.goBack()
    await expect.poll(() => page.evaluate(focusInSight), { timeout: patienceMs }).toBe('Keep typing')
    await press(page, 'Discard')
    await page.getByRole('heading', { name: 'More' }).waitFor()

    await open(page, 'Import')
    const buffer = Buffer.from('Date,Debit,Description\n2026-11-02,12.50,Market\n')
    await page.getByLabel('File').setInputFiles({ name: 'bank.csv', mimeType: 'text/csv', buffer })
    await page.getByRole('link', { name: 'Accounts' }).click()
    await page.getByText('What you entered is not saved.').waitFor()
    expect(await page.getByLabel('File').inputValue()).toContain('bank.csv')
    await press(page, 'Discard')
    await page.getByRole('heading', { name: 'Accounts' }).waitFor()
  })

  test('leaves a page once its form is saved, if a link was pressed meanwhile, and says what failed after that', async () => {
    const { person, page } = await newWindow('meanwhile@example.com')
    const changeAndLeave = async (password: string) => {
      const { release } = await hold(page, '**/api/me/email')
      await open(page, 'Settings')
      await page.getByLabel('New address').fill('other@example.com')
      await page.getByLabel('Your password').first().fill(password)
      await press(page, 'Change the address')
      await page.getByRole('link', { name: 'Accounts' }).click()
      await page.getByText('What you entered is not saved.').waitFor()
      return release
    }
    const release = await changeAndLeave(registration(person.email).password)
    await release()
    await page.getByRole('heading', { name: 'Accounts' }).waitFor()

    const fail = await changeAndLeave('not the password')
    await press(page, 'Discard')
    await page.getByRole('heading', { name: 'Accounts' }).waitFor()
    await fail()
    await page.getByText('password is incorrect').waitFor()
  })

  test('keeps what was typed while a form was being sent, and shows no preview of an earlier file', async () => {
    const { person, page } = await newWindow('earlier@example.com')
    await verifyByMail(app.place, person.email)
    await open(page, 'Import')
    const choose = (name: string, buffer: Buffer) =>
      page.getByLabel('File').setInputFiles({ name, mimeType: 'text/csv', buffer })
    const { release } = await hold(page, '**/api/import/**')
    await choose('first.csv', Buffer.from('Date,Debit,Credit,Description\n2026-11-02,12.50,,Market\n'))
    await press(page, 'Look at the file')
    await choose('second.csv', Buffer.from('Date,Debit,Credit,Description\n2026-11-03,1.50,,Bakery\n'))
    await release()
    await page.locator('[aria-busy=true]').waitFor({ state: 'detached' })
    expect(await page.getByRole('button', { name: /^Import/ }).count()).toBe(0)
    await page.getByRole('link', { name: 'Accounts' }).click()
    await press(page, 'Keep typing')
    await pressToPost(page, 'Look at the file', '/api/import')
    await page.getByText('Bakery').waitFor()
  })

  test('leaves nothing on the device after a sign-out, even if a sync was under way', async () => {
    const { page } = await newWindow('nothing@example.com', '/settings')
    await page.getByText('(this device)').waitFor()
    // The token is valid until then.
    const logout = await hold(page, '**/api/logout', { isSent: false })
    await press(page, 'Sign out')
    await logout.isHeld
    const sync = await hold(page, '**/api/changes*')
    await page.evaluate(() => dispatchEvent(new Event('focus')))
    await sync.isHeld
    await logout.release()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await sync.release()
    // A sync holds a lock until it ends.
    const locks = () => page.evaluate(async () => (await navigator.locks.query()).held?.length)
    await expect.poll(locks, { timeout: patienceMs }).toBe(0)
    const databases = () => page.evaluate(async () => (await indexedDB.databases()).length)
    await expect.poll(databases, { timeout: patienceMs }).toBe(0)
  })

  test('still undoes after a visit to settings without a network, and much later', async () => {
    const { context, page } = await newWindow('undo@example.com')
    await page.clock.install()
    await open(page, 'Settings')
    await open(page, 'Transactions')
    await context.setOffline(true)
    await addExpense(page, 'Mistake', '5.00')
    await open(page, 'Settings')
    await page.getByText('This needs a network connection.').first().waitFor()
    await page.clock.fastForward('10:00')
    await press(page, 'Undo')
    await open(page, 'Transactions')
    expect(await rows(page)).toEqual([])
  })

  test('no longer says that a row was added once the service has refused it', async () => {
    const person = await newPerson('refused@example.com', '0.00')
    for (let count = 0; count < 9; count++)
      await person.add(`Gift ${count}`, largest, { type: 'income', force: true })
    const { page } = await openAs(person, '/transactions')
    await press(page, 'Add transaction')
    await page.getByRole('dialog').getByLabel('Income').check()
    await fillIn(page, 'Too much', largest)
    await press(page, 'Save')
    await page.getByText('Online · 1 change to look at').waitFor()
    expect(await page.locator('.toasts').innerText()).toBe('')
  })

  test('opens exactly the rows of a figure', async () => {
    const person = await newPerson('figures@example.com')
    const { id: lost } = await person.call('POST', '/categories', { name: 'Lost', type: 'expense' })
    const { id: other } = await person.call('POST', '/accounts', savings)
    const on = { transaction_date: today }
    await person.add('Filed nowhere', '7.00', { ...on, category_id: lost })
    await person.add('Moved', '9.00', { ...on, type: 'transfer', to_account_id: other, category_id: null })
    await person.add('Bread', '3.00', on)
    await person.add('Bread returned', '1.00', { ...on, type: 'income' })
    await person.add('Planned', '1.00', { transaction_date: '2100-01-01' })
    await person.call('DELETE', `/categories/${lost}`)
    const { page } = await openAs(person)
    for (const [link, expected] of [
      ['Uncategorized', 'Filed nowhere −7.00'],
      ['Groceries', 'Bread −3.00'],
    ] as const) {
      await page.locator('a.row', { hasText: link }).click()
      await expectRows(page, [expected])
      await page.goBack()
    }
    await open(page, 'Accounts')
    await page.getByText('Total balance, with 1 transaction dated after today').waitFor()
    await page.locator('a.row', { hasText: 'Savings' }).click()
    await page.getByRole('link', { name: 'All transactions' }).click()
    await page.getByText('1 transaction · balance 9.00').waitFor()
  })

  test('sends a decision at once, and polls less often while nothing changes', async () => {
    const person = await newPerson('decide@example.com')
    await person.add('Rent', '40.00')
    const { page, context } = await openAs(person, '/transactions')
    await choose(page, 'Rent')
    await page.getByLabel('Amount').fill('41.00')
    await context.setOffline(true)
    await press(page, 'Save')
    const [{ id }] = (await person.get('/transactions')).data
    await person.call('PATCH', `/transactions/${id}`, { amount: '42.00' })
    await context.setOffline(false)
    await page.getByText('Online · 1 change to look at').click()
    const requests: string[] = []
    await page.clock.install()
    page.on('request', (request) => {
      if (request.url().includes('/api/changes')) requests.push(request.method())
    })
    await press(page, 'Keep mine')
    await page.clock.runFor(1_000)
    await page.getByText('Online · all saved').waitFor()
    expect(requests).toContain('POST')
    requests.length = 0
    for (let second = 0; second < 120; second += 5) {
      await page.clock.runFor(5_000)
      await page.evaluate(() => 0)
    }
    expect(requests.length).toBeLessThan(10)
  })

  test('says what to do first, and offers nothing that cannot be saved', async () => {
    const [, page] = await newDevice()
    const email = 'first@example.com'
    await page.goto(`${address}/register`)
    await page.getByLabel('Name').fill('Ada')
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill(registration(email).password)
    await press(page, 'Sign up')
    await page.getByRole('button', { name: 'Send the mail again' }).waitFor()
    await expect.poll(() => focused(page), { timeout: patienceMs }).toBe('Overview')
    for (const name of ['Overview', 'Transactions', 'Reports', 'Import']) {
      await open(page, name)
      await page.getByText('Where is your money?').waitFor()
      expect(
        await page.getByRole('button', { name: /Add transaction|Look at the file/, disabled: false }).count(),
      ).toBe(0)
    }
    await open(page, 'Overview')
    await press(page, 'Send the mail again')
    await page.getByText(`Another mail is on its way to ${email}.`).waitFor()
    await press(page, 'Add account')
    await page.getByLabel('Name').fill('Wallet')
    await press(page, 'Save')
    await page.getByText('Next, a first transaction').waitFor()
    await press(page, 'Add transaction')
    expect(await page.getByRole('radio', { name: 'Transfer' }).count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.goto(`${address}/reset-password`)
    await page.getByText('This link is incomplete').waitFor()
  })

  test('says in words for people what is wrong with a file, and imports nothing from one without news, and forgets how one was read', async () => {
    const { person, page } = await newWindow('files@example.com', '/import')
    await verifyByMail(app.place, person.email)
    const look = async (name: string, mimeType: string, text: string) => {
      await page.getByLabel('File').setInputFiles({ name, mimeType, buffer: Buffer.from(text) })
      await press(page, 'Look at the file')
    }
    await look('empty.csv', 'text/csv', '')
    await page.getByText('This file is empty.').waitFor()
    await look('photo.png', 'image/png', 'no statement')
    await page.getByText('This is a picture or a document').waitFor()
    const text = 'Date,Debit,Credit,Description\n2026-11-02,12.50,,Market\n'
    await look('bank.csv', 'text/csv', text)
    await page.getByText('2 Nov 2026').waitFor()
    await pressToPost(page, 'Import 1 transaction', '/api/import')
    await page.getByText('Successfully imported 1 transaction.').waitFor()
    await look('again.csv', 'text/csv', text)
    await page.getByText('Nothing new in this file').waitFor()
    expect(await page.getByRole('button', { name: /^Import/ }).count()).toBe(0)

    await open(page, 'Settings')
    await page.getByText('csv · Date, Debit, Credit, Description').waitFor()
    await press(page, 'Forget')
    await page.getByText('No layout is remembered.').waitFor()
    expect(await person.get('/imports/layouts')).toEqual([])
  })

  test('suggests a category, and remembers how a category looks', async () => {
    const person = await newPerson('filing@example.com')
    for (const day of ['01', '02', '03'])
      await person.add('Lidl', `${day}.00`, { transaction_date: `2026-11-${day}` })
    const { page } = await openAs(person, '/transactions')
    await press(page, 'Add transaction')
    await page.getByLabel('Description').fill('LIDL 4711')
    await page.getByText('3 of the last 3 from "lidl" are in Groceries').waitFor()
    expect(await page.getByRole('dialog').getByLabel('Category').locator('option:checked').innerText()).toBe(
      'Groceries',
    )
    await press(page, 'Close')
    await press(page, 'Discard')

    await open(page, 'Categories')
    await page.emulateMedia({ forcedColors: 'active' })
    const groceries = page.locator('.row', { hasText: 'Groceries' })
    await groceries.click()
    const colours = await page
      .getByRole('group', { name: 'Colour' })
      .locator('.badge')
      .evaluateAll((all) => all.map((one) => getComputedStyle(one).backgroundColor))
    expect(new Set(colours).size).toBe(colours.length)
    await page.getByRole('radio', { name: 'violet' }).check()
    await page.getByRole('radio', { name: 'star' }).check()
    await press(page, 'Save')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.reload()
    const look = () => groceries.locator('.badge').getAttribute('style')
    expect(await look()).toContain('--hue: 295')
    await groceries.click()
    await press(page, 'Delete, and leave its transactions uncategorized')
    await page.getByText('Online · all saved').waitFor()
    await press(page, 'Undo')
    await page.getByText('Online · 1 change waiting').waitFor({ state: 'detached' })
    expect(await look()).toContain('--hue: 295')
  })

  test('saves only what was edited in a dialog, whatever others do to the row meanwhile', async () => {
    const person = await newPerson('partial@example.com')
    await person.add('Rent', '40.00', { transaction_date: today })
    await person.add('Gift', '5.00')
    const { page } = await openAs(person, '/transactions')
    await choose(page, 'Rent')
    const [rent, gift] = (await person.get('/transactions')).data
    await person.call('PATCH', `/transactions/${rent.id}`, { amount: '99.00' })
    await look(page)
    await expectRows(page, ['Rent −99.00', 'Gift −5.00'])
    await page.getByLabel('Description').fill('Rent, May')
    await press(page, 'Save')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expectRows(page, ['Rent, May −99.00', 'Gift −5.00'])
    await page.getByText('Online · all saved').waitFor()

    await choose(page, 'Gift')
    await person.call('DELETE', `/transactions/${gift.id}`)
    await look(page)
    await page.getByText('This transaction was deleted elsewhere. Save it to add it again.').waitFor()
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0)
    await press(page, 'Save')
    await expectRows(page, ['Rent, May −99.00', 'Gift −5.00'])
    await page.getByText('Online · all saved').waitFor()
    expect((await person.get('/transactions')).data).toMatchObject([
      { description: 'Rent, May', amount: '99.00' },
      { description: 'Gift', amount: '5.00' },
    ])
  })

  test('shows pairs side by side, joins those that are sure, and separates them again', async () => {
    const person = await newPerson('pairs@example.com')
    const { id } = await person.call('POST', '/accounts', savings)
    const on = { transaction_date: today }
    await person.add('Transfer to savings', '50.00', on)
    await person.add('Transfer from checking', '50.00', { ...on, type: 'income', account_id: id })
    const { page } = await openAs(person, '/matches')
    await press(page, 'Join 1 sure pair')
    await page.getByText('1 pair joined.').waitFor()
    await open(page, 'Transactions')
    await choose(page, 'Transfer to savings')
    await page.getByText('More', { exact: true }).last().click()
    await page.getByRole('button', { name: 'Separate what was joined' }).click()
    await page.getByText('The two transactions are separate again.').waitFor()
    await open(page, 'Matches')
    await press(page, 'Join 1 sure pair')
    await page.getByText('Nothing looks like a pair.').waitFor()
    await press(page, 'Undo')
    await page.getByText('One transfer?').waitFor()
    await press(page, 'Keep both')
    await page.getByText('Nothing looks like a pair.').waitFor()
  })

  test('changes the password, and shows amounts with the currency chosen for the device', async () => {
    const { person, page } = await newWindow('settings@example.com', '/settings')
    await page.getByLabel('Current password').fill(registration(person.email).password)
    await page.getByLabel('New password').fill('another password')
    await press(page, 'Change the password')
    await page.getByText('Your password is changed.').waitFor()
    await page.getByLabel('Currency sign').selectOption('EUR')
    await press(page, 'Save the currency')
    await open(page, 'Accounts')
    await page.getByText('€100.00').first().waitFor()
    const [, other] = await newDevice()
    await other.goto(address)
    await enter(other, person.email, 'another password')
    await other.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(await other.getByText('€').count()).toBe(0)
  })

  test('makes and revokes tokens, changes the address, and downloads everything', async () => {
    const person = await newPerson('access@example.com')
    await person.add('Rent', '40.00')
    const { page } = await openAs(person)
    // A list from before the token was made arrives after the one that has it.
    const { release } = await hold(page, '**/api/tokens')
    await open(page, 'Settings')
    await page.getByLabel('Name').last().fill('Monthly report')
    await press(page, 'Make a token')
    await page.getByRole('button', { name: 'Revoke' }).waitFor()
    await release()
    const token = await page.locator('code').innerText()
    const call = clientOf(app.place)
    expect((await call('GET', '/accounts', undefined, token)).status).toBe(200)
    expect((await call('POST', '/accounts', {}, token)).status).toBe(403)
    await press(page, 'Revoke')
    await page.getByRole('button', { name: 'Revoke' }).waitFor({ state: 'detached' })
    expect((await call('GET', '/accounts', undefined, token)).status).toBe(401)

    await page.getByLabel('New address').fill('moved@example.com')
    await page.getByLabel('Your password').first().fill(registration(person.email).password)
    await press(page, 'Change the address')
    await page.getByText('moved@example.com').waitFor()

    for (const [format, end] of [
      ['json', /"complete":true\}\s*$/],
      ['csv', /Rent.*\n$/s],
      ['hledger', /; complete: 1 transactions\n$/],
    ] as const) {
      await page.getByLabel('Format').selectOption(format)
      const download = page.waitForEvent('download')
      await press(page, 'Download')
      expect(await text(await (await download).createReadStream())).toMatch(end)
    }
  })

  test('restores an export into a new user, and says if a file is none', async () => {
    const person = await newPerson('leaving@example.com')
    await person.add('Rent', '40.00')
    const buffer = Buffer.from(JSON.stringify(await person.get('/export')))
    const { page } = await openAs(await newUser('arriving@example.com'), '/settings')
    const no = { name: 'a.json', mimeType: 'text/plain', buffer: Buffer.from('no') }
    await page.getByLabel('Export').setInputFiles(no)
    await press(page, 'Restore')
    await page.getByText('This is not a JSON export.').waitFor()
    await page.getByLabel('Export').setInputFiles({ name: 'a.json', mimeType: 'application/json', buffer })
    await press(page, 'Restore')
    await page.getByText('Everything is as it was in the file.').waitFor()
    await open(page, 'Transactions')
    await expectRows(page, ['Rent −40.00'])
  })

  test('has nothing that axe finds, on any screen or dialog, and rings of focus with a contrast of 3:1', async () => {
    const person = await newPerson('axe@example.com')
    await person.add('Rent', '40.00', { transaction_date: today })
    await person.add('Rent again', '40.00', { transaction_date: today, type: 'income' })
    const { page } = await openAs(person)
    const check = async (where: string) => {
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.keyboard.press('Tab')
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        // All that a dark scheme changes is colours.
        const found = await flaws(page, colorScheme === 'dark' ? { runOnly: ['color-contrast'] } : {})
        expect([where, colorScheme, found]).toEqual([where, colorScheme, []])
        // A list that has just been synced may have replaced the element with the focus.
        const contrast = async () => {
          const hasLost = await page.evaluate(() => document.activeElement === document.body)
          if (hasLost) await page.keyboard.press('Tab')
          return page.evaluate(ringContrast)
        }
        await expect.poll(contrast, { message: where, timeout: patienceMs }).toBeGreaterThanOrEqual(3)
      }
    }
    for (const [path, act] of [
      ['/dashboard'],
      ['/transactions'],
      ['/transactions', (page: Page) => press(page, 'Add transaction')],
      ['/transactions', (page: Page) => choose(page, 'Rent again')],
      ['/transactions', (page: Page) => press(page, 'Select')],
      ['/transactions', (page: Page) => openSelected(page, 'Change …')],
      ['/transactions', (page: Page) => openSelected(page, 'Delete …')],
      ['/transactions', (page: Page) => page.getByLabel('Search').fill('> 1000')],
      ['/transactions', (page: Page) => page.keyboard.press('?')],
      ['/transactions', (page: Page) => page.getByText('Filters').click()],
      ['/accounts'],
      ['/accounts', (page: Page) => press(page, 'Change Checking')],
      ['/accounts', openAccount],
      ['/changes'],
      ['/nowhere'],
      ['/reports'],
      ['/categories'],
      ['/categories', (page: Page) => page.locator('.row').first().click()],
      ['/recurring'],
      ['/matches'],
      ['/import'],
      ['/settings'],
      ['/more'],
    ] as [string, ((page: Page) => Promise<unknown>)?][]) {
      await page.goto(address + path)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await act?.(page)
      await check(`${path} ${act ?? ''}`)
    }
    await page.evaluate(() => localStorage.clear())
    for (const path of [
      '/login',
      '/register',
      '/forgot-password',
      '/reset-password?token=a&email=a@example.com',
    ]) {
      await page.goto(address + path)
      await check(path)
    }
  })

  test('needs nothing but a keyboard', async () => {
    const { page } = await newWindow('keyboard@example.com')
    const focusOn = async (role: 'link' | 'button', name: string) => {
      const target = page.getByRole(role, { name, exact: true })
      for (let count = 0; count < 60; count++) {
        if (await target.evaluate((one) => one === document.activeElement)) return
        await page.keyboard.press('Tab')
      }
      throw new Error(`Tab never reaches ${name}.`)
    }
    await focusOn('link', 'Transactions')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Transactions', level: 1 }).waitFor()
    await focusOn('button', 'Add transaction')
    await page.keyboard.press('Enter')
    await page.keyboard.type('12.50')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Market')
    await page.keyboard.press('Tab')
    await page.keyboard.press('g')
    await page.keyboard.press('Enter')
    await focusOn('button', 'Save')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expectRows(page, ['Market −12.50'])
    // The focus is back where it was.
    await focusOn('button', 'Add transaction')
    await page.locator('button.row').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    // What is typed replaces the amount.
    await page.keyboard.type('9.50')
    await page.keyboard.press('Enter')
    await expectRows(page, ['Market −9.50'])
    await page.locator('button.row').focus()
    await page.keyboard.press('Enter')
    await focusOn('button', 'Delete')
    await page.keyboard.press('Enter')
    await expectRows(page, [])
  })

  test('fits every page at every width, with the longest names, the largest amounts and text of 200 %', async () => {
    const person = await newPerson('widths@example.com', largest)
    await person.call('POST', '/accounts', {
      name: 'חשבון '.repeat(12),
      type: 'cash',
      starting_balance: `-${largest}`,
    })
    await person.add('Donaudampfschifffahrtsgesellschaft'.repeat(4), largest, { transaction_date: today })
    // Settings list each device.
    expect((await clientOf(app.place)('POST', '/login', registration(person.email))).status).toBe(200)
    const { page } = await openAs(person)
    for (const [name, act] of [
      ...[
        ['Overview'],
        ['Transactions'],
        ['Accounts'],
        ['Reports'],
        ['Categories'],
        ['Settings'],
        ['Matches'],
      ],
      ...[
        ['Import'],
        ['Accounts', openAccount],
        ['Transactions', (page: Page) => openSelected(page, 'Change …')],
      ],
    ] as [string, ((page: Page) => Promise<void>)?][]) {
      await page.setViewportSize({ width: 390, height: 844 })
      await open(page, name)
      await act?.(page)
      if (name === 'Settings') await page.getByText('Sign out there').waitFor()
      for (const textSize of ['200%', '100%']) {
        await page.evaluate((size) => document.documentElement.style.setProperty('font-size', size), textSize)
        for (const width of [320, 390, 800, 900, 1063, 1280]) {
          await page.setViewportSize({ width, height: 844 })
          // A chart follows the width a frame later.
          await expect
            .poll(async () => [name, width, textSize, await overflowing(page), await broken(page)], {
              timeout: patienceMs,
            })
            .toEqual([name, width, textSize, '', ''])
        }
      }
      if (act) await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    // A message covers no control at the end of a page.
    await page.setViewportSize({ width: 390, height: 844 })
    await open(page, 'Transactions')
    await addExpense(page, 'Tea', '2.00')
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
    const edges = await page.evaluate(() =>
      [...document.querySelectorAll('.day:last-of-type .row, .toasts article, nav')]
        .map((one) => one.getBoundingClientRect())
        .sort((a, b) => a.top - b.top)
        .flatMap(({ top, bottom }) => [top, bottom]),
    )
    expect(edges).toEqual(edges.toSorted((a, b) => a - b))
    expect(await overflowing(page)).toBe('')
  })
})

async function openSelected(page: Page, name: string): Promise<void> {
  await press(page, 'Select')
  await page.getByRole('checkbox').first().check()
  await press(page, name)
}

async function openAccount(page: Page): Promise<void> {
  await page.locator('a.row', { hasText: 'Checking' }).click()
  await page.getByRole('button', { name: 'Check the balance' }).waitFor()
}

/** Holds the next request of this address back, or its response, until `release` is called. */
async function hold(page: Page, address: string, { isSent = true } = {}) {
  const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let isFirst = true
  await page.route(address, async (route) => {
    if (!isFirst) return route.continue()
    isFirst = false
    const response = isSent ? await route.fetch() : undefined
    held.resolve()
    await released.promise
    await (response ? route.fulfill({ response }) : route.continue())
  })
  const release = async () => {
    const arrived = page.waitForResponse(address)
    released.resolve()
    return (await arrived).finished()
  }
  return { isHeld: held.promise, release }
}

/** The first element that is wider than the window, if there is one. */
const overflowing = (page: Page) =>
  page.evaluate(() => {
    const { clientWidth } = document.documentElement
    const found = [...document.querySelectorAll('body *:not(.hidden, .long)')].find(
      (one) => one.getBoundingClientRect().right > clientWidth + 1,
    )
    return found ? `${found.tagName}.${found.className}: ${found.textContent}` : ''
  })

/** The first amount that is broken into lines, outside tables. */
const broken = (page: Page) =>
  page.evaluate(() => {
    const found = [...document.querySelectorAll('main *:not(table *)')].find((one) => {
      const [text] = one.childNodes
      if (!(text instanceof Text) || !/^\D?[\d,]+\.\d\d$/.test(text.data)) return false
      const range = document.createRange()
      range.selectNodeContents(text)
      return range.getClientRects().length > 1
    })
    return found?.textContent ?? ''
  })

/** The label of the element with the focus, if nothing covers it. */
function focusInSight(): string | null | undefined {
  const { x = 0, y = 0 } = document.activeElement?.getBoundingClientRect() ?? {}
  return document.elementFromPoint(x + 5, y + 5)?.textContent
}

/** The contrast of the ring around the element with the focus, against what is behind it. */
function ringContrast(): number {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const luminanceOf = (colour: string) => {
    if (!canvas) return 0
    canvas.fillStyle = colour
    canvas.fillRect(0, 0, 1, 1)
    const [red = 0, green = 0, blue = 0] = [...canvas.getImageData(0, 0, 1, 1).data].map((one) =>
      one / 255 <= 0.04045 ? one / 255 / 12.92 : ((one / 255 + 0.055) / 1.055) ** 2.4,
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const focused = document.activeElement
  let behind = focused?.parentElement
  while (behind && getComputedStyle(behind).backgroundColor === 'rgba(0, 0, 0, 0)')
    behind = behind.parentElement
  const { outlineStyle, outlineColor } = getComputedStyle(focused ?? document.body)
  if (!behind || outlineStyle === 'none') return 0
  const [darker = 0, lighter = 0] = [
    luminanceOf(outlineColor),
    luminanceOf(getComputedStyle(behind).backgroundColor),
  ].sort()
  return (lighter + 0.05) / (darker + 0.05)
}
