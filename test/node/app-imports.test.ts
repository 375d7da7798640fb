import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { hasBrowser } from './fixtures/browser.ts'
import { verifyByMail } from './fixtures/client.ts'
import {
  address,
  focused,
  open,
  patienceMs,
  press,
  pressToPost,
  serveExampleApp,
} from './fixtures/example-app.ts'

const corpus = path.join(import.meta.dirname, '../corpus')
const corpusFile = (name: string) => readFile(path.join(corpus, name))

const chooseFile = (page: Page, name: string, buffer: Buffer) =>
  page.getByLabel('File', { exact: true }).setInputFiles({ name, mimeType: 'text/csv', buffer })

const holdings = (page: Page) =>
  page
    .locator('.list a.row')
    .evaluateAll((rows) =>
      rows.map(
        (row) => `${row.querySelector('bdi')?.textContent} ${row.querySelector('strong')?.textContent}`,
      ),
    )

describe.skipIf(!hasBrowser)('files in the example app', () => {
  const { app, newPerson, newUser, openAs } = serveExampleApp()

  test('the register of another app arrives in an empty user with right balances, and is undone a day later', async () => {
    const user = await newUser('leaver@example.com')
    await verifyByMail(app.place, user.email)
    const { page } = await openAs(user, '/import')
    const plan =
      '"Month","Category Group/Category","Category Group","Category","Assigned","Activity","Available"\n'
    await chooseFile(page, 'My Budget - Plan.csv', Buffer.from(plan))
    await press(page, 'Look at the file')
    await page.getByText('Choose the other file of the export, called “Register”.').waitFor()
    await chooseFile(page, 'My Budget - Register.csv', await corpusFile('generic-csv/ynab.csv'))
    await pressToPost(page, 'Look at the file', '/api/import')
    await page.getByText('names 3 accounts that you do not have').waitFor()
    expect(await page.getByLabel('Into').count()).toBe(0)
    await pressToPost(page, 'Import 6 transactions', '/api/import')
    await page.getByRole('link', { name: '6 new transactions' }).click()
    await page.getByText('6 transactions', { exact: true }).waitFor()
    await open(page, 'Accounts')
    await expect
      .poll(() => holdings(page), { timeout: patienceMs })
      .toEqual(['Checking 1,610.55', 'Savings 1,500.00', 'Old Brokerage −1,250.00'])

    await page.goto(`${address}/import`)
    await press(page, 'Undo My Budget - Register.csv')
    await page.getByText('Undoing it deletes 6 transactions').waitFor()
    await press(page, 'Undo it')
    await page.getByText('3 accounts are empty now: Checking, Savings, Old Brokerage.').waitFor()
    await press(page, 'Delete 3 accounts')
    await page.getByText('Where is your money?').waitFor()
    await press(page, 'Undo')
    await page.getByText('Undone.').waitFor()
    await open(page, 'Accounts')
    await expect
      .poll(() => holdings(page), { timeout: patienceMs })
      .toEqual(['Checking 0.00', 'Savings 0.00', 'Old Brokerage 0.00'])
  })

  test('questions have the focus, go with their file, and no account is chosen in silence', async () => {
    const person = await newPerson('words@example.com')
    await verifyByMail(app.place, person.email)
    await person.call('POST', '/accounts', { name: 'Card', type: 'bank', starting_balance: '0' })
    const closed = { name: 'Old', type: 'bank', starting_balance: '0', closed_on: '2026-01-31' }
    await person.call('POST', '/accounts', closed)
    await person.add('Coffee', '12.50', { transaction_date: '2026-11-18' })
    const { page } = await openAs(person, '/import')
    const text = 'Date;Amount;Description\n01/02/2026;12,50;Market\n02/02/2026;-1,00;Refund\n'
    await chooseFile(page, 'card.csv', Buffer.from(text))
    const into = page.getByLabel('Into')
    expect(await into.inputValue()).toBe('')
    expect(await into.locator('option').allInnerTexts()).toEqual(['Choose …', 'Checking', 'Card', 'Old'])
    await into.selectOption('Card')
    await pressToPost(page, 'Look at the file', '/api/import')
    const question = page.getByRole('group', { name: 'Is this 1 Feb 2026 or 2 Jan 2026?' })
    const first = question.getByRole('radio').first()
    await expect
      .poll(() => first.evaluate((one) => one === document.activeElement), { timeout: patienceMs })
      .toBe(true)
    await question.getByLabel('1 Feb 2026').check()
    await page.getByRole('group', { name: 'Is this a card?' }).getByLabel('Yes, a card').check()
    await page.getByLabel('Positive amounts were spent').check()
    await pressToPost(page, 'Look at the file', '/api/import')
    await page.getByRole('heading', { name: '2 new transactions' }).waitFor()
    const other = Buffer.from('Date,Debit,Credit,Description\n2026-11-20,12.50,,Coffee\n')
    await chooseFile(page, 'other.csv', other)
    await question.waitFor({ state: 'detached' })
    await into.selectOption('Checking')
    await pressToPost(page, 'Look at the file', '/api/import')
    await page.getByText('may be the same as “Coffee”, 12.50, 18 Nov 2026').waitFor()
    await pressToPost(page, 'Import 1 transaction', '/api/import')
    // A phone's navigation has the number beside More.
    const counted = page.getByRole('link', { name: 'More 1 to look at' })
    await counted.waitFor()

    const requested: string[] = []
    page.on('request', (request) => requested.push(new URL(request.url()).pathname))
    await page.goto(`${address}/dashboard`)
    await page.getByText('Online · all saved').waitFor()
    await expect.poll(() => requested, { timeout: patienceMs }).toContain('/api/changes')
    expect(requested).not.toContain('/api/matches')
    await page.goto(`${address}/matches`)
    await page.getByRole('heading', { name: 'Recorded twice?' }).waitFor()
    await counted.waitFor()
  })

  test('the number of rows is named before a deletion that concerns many', async () => {
    const person = await newPerson('many@example.com')
    for (let count = 1; count <= 11; count++) await person.add(`Tea ${count}`, `${count}.00`)
    const { page } = await openAs(person, '/categories')
    await page.locator('.row').first().click()
    await press(page, 'Delete …')
    await page.getByText('This leaves 11 transactions without a category.').waitFor()
    await press(page, 'Delete the category')
    await page.getByText('The category is deleted.').waitFor()
    await press(page, 'Undo')
    await page.getByText('Undone.').waitFor()
    await open(page, 'Settings')
    await page.getByText('with 11 transactions, 1 account and all settings').waitFor()
  })

  test('a file can be dropped on the page', async () => {
    const person = await newPerson('drop@example.com')
    await verifyByMail(app.place, person.email)
    const { page } = await openAs(person, '/import')
    await page.evaluate(() => {
      const data = new DataTransfer()
      data.items.add(new File(['Date,Debit,Credit,Description\n2026-11-02,12.50,,Market\n'], 'dropped.csv'))
      const form = document.querySelector('article form')
      form?.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))
    })
    await pressToPost(page, 'Look at the file', '/api/import')
    await page.getByText('Market').waitFor()
  })

  test('a row that a recurring transaction expects is linked to it, and leads there', async () => {
    const person = await newPerson('rent@example.com')
    await verifyByMail(app.place, person.email)
    const today = new Date().toISOString().slice(0, 10)
    const [{ id: category_id }] = await person.get('/categories')
    await person.call('POST', '/recurring', {
      ...{ account_id: person.account_id, category_id, type: 'expense', amount: '950.00' },
      ...{ description: 'Rent Meier', starts_on: today, rrule: 'FREQ=MONTHLY' },
    })
    const { page } = await openAs(person, '/import')
    const file = `Date,Debit,Credit,Description\n${today},950.00,,MEIER FLAT 4\n`
    await chooseFile(page, 'bank.csv', Buffer.from(file))
    await pressToPost(page, 'Look at the file', '/api/import')
    const shortDay = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })
    const named = `“Rent Meier”, due on ${shortDay.format(new Date(today))}`
    await page.locator('.row').getByText(named).waitFor()
    await pressToPost(page, 'Import 1 transaction', '/api/import')
    await page.getByRole('link', { name: named }).click()
    await page.getByRole('heading', { name: 'Recurring', level: 1 }).waitFor()
    await expect.poll(() => focused(page), { timeout: patienceMs }).toMatch(/^Rent Meier.*Next on/)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('link', { name: 'Its transactions' }).click()
    await page.getByText('1 transaction', { exact: true }).waitFor()
    expect((await person.get('/transactions')).data).toMatchObject([{ occurrence_date: today }])
  })

  test('a transfer has the sign that it has on the account whose page is open', async () => {
    const person = await newPerson('received@example.com')
    const savings = await person.call('POST', '/accounts', {
      name: 'Savings',
      type: 'bank',
      starting_balance: '0',
    })
    await person.call('POST', '/transactions', {
      ...{ account_id: person.account_id, to_account_id: savings.id, type: 'transfer', amount: '40' },
      transaction_date: '2026-11-20',
    })
    const { page } = await openAs(person, '/accounts')
    for (const [name, moved] of [
      ['Savings', '+40.00'],
      ['Checking', '−40.00'],
    ] as const) {
      await page.getByRole('link', { name }).first().click()
      await page.getByRole('heading', { name, level: 1 }).waitFor()
      expect(await page.locator('button.row .amount').allInnerTexts()).toEqual([moved])
      await page.goBack()
    }
  })

  test('a deletion says what goes with an account, and closing it is offered instead', async () => {
    const person = await newPerson('closing@example.com')
    const savings = await person.call('POST', '/accounts', {
      name: 'Savings',
      type: 'bank',
      starting_balance: '0',
    })
    await person.add('Coffee', '12.50')
    await person.call('POST', '/transactions', {
      ...{ account_id: person.account_id, to_account_id: savings.id, type: 'transfer', amount: '40' },
      transaction_date: '2026-11-20',
    })
    const { page } = await openAs(person, '/accounts', { viewport: { width: 320, height: 700 } })
    await press(page, 'Change Checking')
    await press(page, 'Delete …')
    await page
      .getByText('This deletes 2 transactions of “Checking”, and changes the balance of Savings (−40.00).')
      .waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
    await press(page, 'Close it instead, with 47.50 in it')
    await page.getByText('The account is closed.').waitFor()
    expect(await holdings(page)).toEqual(['Savings 40.00', 'Checking 47.50'])
    await page.getByText(/^Closed on /).waitFor()
    // Until it is saved, its row has a mark, without which the buttons move.
    await page.getByText('all saved').waitFor()

    await press(page, 'Change Checking')
    await press(page, 'Delete …')
    await press(page, 'Delete all of this')
    await page.getByText('The account is deleted.').waitFor()
    expect(await holdings(page)).toEqual(['Savings 0.00'])
  })
})
