import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { hasBrowser } from './fixtures/browser.ts'
import { linkInMail, registration, verifyByMail } from './fixtures/client.ts'
import {
  addExpense,
  address,
  expectRows,
  open,
  patienceMs,
  press,
  rows,
  serveExampleApp,
} from './fixtures/example-app.ts'

describe.skipIf(!hasBrowser)('every day in the example app', () => {
  const { app, newDevice, newPerson, openAs, signIn } = serveExampleApp()

  async function newWindow(email: string, path?: string) {
    const person = await newPerson(email)
    return { person, ...(await openAs(person, path)) }
  }

  test('an undo says so, and keeps the order of accounts and categories and so the default account', async () => {
    const person = await newPerson('order@example.com')
    await person.call('POST', '/accounts', { name: 'Wallet', type: 'cash', starting_balance: '0' })
    const { page } = await openAs(person, '/categories')
    const categories = () => page.locator('.row bdi').allInnerTexts()
    const before = await categories()
    await page.locator('.row').first().click()
    await press(page, 'Delete, and leave its transactions uncategorized')
    await page.getByText('Online · all saved').waitFor()
    await press(page, 'Undo')
    await page.getByText('Undone.').waitFor()
    await expect.poll(categories, { timeout: patienceMs }).toEqual(before)
    await page.getByText('Online · all saved').waitFor()
    expect(await categories()).toEqual(before)

    await open(page, 'Accounts')
    await press(page, 'Change Checking')
    await press(page, 'Delete …')
    await press(page, 'Delete all of this')
    await page.getByText('Online · all saved').waitFor()
    await press(page, 'Undo')
    const accounts = () => page.locator('a.row bdi').allInnerTexts()
    await expect.poll(accounts, { timeout: patienceMs }).toEqual(['Checking', 'Wallet'])
    await page.getByText('Online · all saved').waitFor()
    await page.goto(`${address}/transactions`)
    await press(page, 'Add transaction')
    const account = page.getByRole('dialog').getByLabel('Account')
    expect(await account.locator('option').allInnerTexts()).toEqual(['Checking', 'Wallet'])
  })

  test('a notice with a decision covers no rows, on phones and on wide screens', async () => {
    const person = await newPerson('notices@example.com')
    for (let count = 1; count <= 11; count++) await person.add(`Tea ${count}`, `${count}.00`)
    const { page } = await openAs(person, '/transactions')
    await addExpense(page, 'Tea 12', '12.00')
    for (const [width, height] of [
      [390, 700],
      [1280, 700],
    ] as const) {
      await page.setViewportSize({ width, height })
      // On a phone it stands above the navigation, and takes room at the end of the page.
      await page.evaluate((isPhone) => scrollTo(0, isPhone ? document.body.scrollHeight : 0), width === 390)
      await page.getByRole('button', { name: 'Undo' }).waitFor()
      const covered = () =>
        page.evaluate(() => {
          const notice = document.querySelector('.toasts article')?.getBoundingClientRect()
          const rows = [...document.querySelectorAll('main .row')].map((one) => one.getBoundingClientRect())
          if (!notice) return 'no notice'
          return rows.filter(
            ({ left, right, top, bottom }) =>
              left < notice.right && right > notice.left && top < notice.bottom && bottom > notice.top,
          ).length
        })
      await expect.poll(covered, { timeout: patienceMs }).toBe(0)
    }
  })

  test('a list grows by itself, and Back and a reload return to the same place in it', async () => {
    const person = await newPerson('long@example.com')
    const days = Array.from({ length: 28 }, (_, at) => `2026-10-${`${at + 1}`.padStart(2, '0')}`)
    const transactions = days.flatMap((transaction_date, day) =>
      [1, 2, 3].map((nth) => ({
        ...{ account_id: person.account_id, type: 'expense', amount: `${day + 1}.0${nth}`, transaction_date },
        ...{ description: `Row ${day + 1}.${nth}`, client_id: `${day}-${nth}` },
      })),
    )
    await verifyByMail(app.place, person.email)
    await person.call('POST', '/transactions/sync', { transactions })
    const { page } = await openAs(person, '/transactions')
    await page.getByText('84 transactions').waitFor()
    // The row of the first day is the last one of the list.
    await expect
      .poll(
        async () => {
          await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
          return page.getByText('Row 1.1', { exact: true }).count()
        },
        { timeout: patienceMs },
      )
      .toBe(1)
    const place = () => page.evaluate(() => Math.round(scrollY))
    const before = 2000
    await page.evaluate((top) => scrollTo(0, top), before)
    await expect.poll(async () => (await state(page)).scroll, { timeout: patienceMs }).toBe(before)
    // A click of the mouse might scroll first.
    await page.evaluate(() => document.querySelector<HTMLElement>('nav a[href="/accounts"]')?.click())
    await page.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor()
    expect(await place()).toBe(0)
    await page.goBack()
    await page.getByText('Row 1.1', { exact: true }).waitFor()
    expect(await place()).toBe(before)
    await page.reload()
    await page.getByText('Row 1.1', { exact: true }).waitFor()
    expect(await place()).toBe(before)
  })

  test('several rows, transfers too, change their account, date and category, or go, and one undo brings all back', async () => {
    const person = await newPerson('several@example.com')
    const create = (name: string) =>
      person.call('POST', '/accounts', { name, type: 'bank', starting_balance: '0' })
    const [savings] = [await create('Savings'), await create('Card')]
    await person.add('Bread', '3.00')
    await person.add('Milk', '2.00')
    await person.add('Saved', '50.00', { type: 'transfer', to_account_id: savings.id, category_id: null })
    const { page } = await openAs(person, '/transactions')
    const before = ['Saved 50.00', 'Milk −2.00', 'Bread −3.00']
    await expectRows(page, before)
    const places = () => page.locator('.day .row small').allInnerTexts()
    const placesBefore = await places()

    await press(page, 'Select')
    await press(page, 'Select all 3')
    await press(page, 'Change …')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Account').selectOption('Card')
    await dialog.getByLabel('Category').selectOption('Eating Out')
    await dialog.getByLabel('Date').fill('2026-11-19')
    await press(page, 'Change 3 transactions')
    await page.getByText('3 transactions changed.').waitFor()
    await page.getByRole('heading', { name: 'Thursday 19 November' }).waitFor()
    const isolated = (...names: string[]) => names.map((name) => `\u2068${name}\u2069`)
    expect((await places()).sort()).toEqual([
      isolated('Card', 'Savings').join(' → '),
      ...Array(2).fill(isolated('Eating Out', 'Card').join(' · ')),
    ])
    await press(page, 'Undo')
    await expect.poll(places, { timeout: patienceMs }).toEqual(placesBefore)

    await press(page, 'Select')
    await page.getByRole('checkbox', { name: 'Saved' }).check()
    await page.getByRole('checkbox', { name: 'Milk' }).check()
    await press(page, 'Delete …')
    await page.getByText('They move 52.00 in all.').waitFor()
    await press(page, 'Delete 2 transactions')
    await expectRows(page, ['Bread −3.00'])
    await press(page, 'Undo')
    // Rows of one day that were deleted by the service already come back as new ones, in an order of their own.
    await expect
      .poll(async () => (await rows(page)).sort(), { timeout: patienceMs })
      .toEqual([...before].sort())
    await page.getByText('Online · all saved').waitFor()
    expect((await person.get('/transactions')).total).toBe(3)
  })

  test('says what is missing and what to do: no rows, no hits, no such page, no categories', async () => {
    const { person, page } = await newWindow('empty@example.com', '/transactions')
    await page.getByRole('heading', { name: 'No transactions yet' }).waitFor()
    await addExpense(page, 'Bread', '3.00')
    await page.getByLabel('Search').fill('zeppelin')
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor()
    await page.getByRole('link', { name: 'Clear the search' }).click()
    await expectRows(page, ['Bread −3.00'])
    expect(await page.getByLabel('Search').inputValue()).toBe('')
    await page.getByText('Online · all saved').waitFor()
    await page.goto(`${address}/nowhere`)
    await page.getByRole('heading', { name: 'No such page' }).waitFor()
    await page.getByRole('link', { name: 'Go to the overview' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.goto(`${address}/account?account=99`)
    await page.getByRole('link', { name: 'All accounts' }).waitFor()
    for (const { id } of await person.get('/categories')) await person.call('DELETE', `/categories/${id}`)
    await page.goto(`${address}/categories`)
    await page.getByRole('heading', { name: 'No categories' }).waitFor()
    await open(page, 'Transactions')
    await press(page, 'Add transaction')
    await page.getByText('You have no categories.').waitFor()
    await page.getByLabel('Amount').fill('7.00')
    await press(page, 'Save')
    await expectRows(page, ['Uncategorized −7.00', 'Bread −3.00'])
    await page.getByText('Online · all saved').waitFor()
    expect(await person.get('/transactions')).toMatchObject({
      data: [{ category: null }, { category: null }],
    })
  })

  test('a link in a mail that does not work leads to where there is a new one', async () => {
    const { person, page } = await newWindow('badlink@example.com')
    const link = await linkInMail(app.place, person.email, /Verify your email/)
    await page.goto(link.replace(/signature=./, 'signature=_'))
    await page.getByRole('heading', { name: 'This link does not work.' }).waitFor()
    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: 700 })
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    }
    await page.getByRole('link', { name: 'Open Purse' }).click()
    await press(page, 'Send the mail again')
    await page.getByText('Another mail is on its way').waitFor()
  })

  test('keys search, add, undo and explain themselves, but not while something is typed, and can be switched off', async () => {
    const { page } = await newWindow('keys@example.com')
    await page.keyboard.press('n')
    await page.getByRole('dialog', { name: 'Add transaction' }).waitFor()
    await page.keyboard.type('3')
    await page.getByLabel('Description').fill('Banana n/?')
    await press(page, 'Save')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('/')
    await page.getByRole('heading', { name: 'Transactions', level: 1 }).waitFor()
    await page.keyboard.type('banana n/?')
    await expectRows(page, ['Banana n/? −3.00'])
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.getByRole('heading', { name: 'Transactions', level: 1 }).focus()
    await page.keyboard.press('Control+z')
    await page.getByText('Undone.').waitFor()
    await expectRows(page, [])
    await page.keyboard.press('?')
    await page.getByRole('checkbox', { name: 'Use the keys of one letter' }).uncheck()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('n')
    await page.keyboard.press('Control+z')
    await page.getByText('There is nothing to undo.').waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
  })

  test('an account has a page with its chart and its balances, and the chart says what is pointed at without covering it', async () => {
    const person = await newPerson('chart@example.com')
    await person.add('Old', '10.00', { transaction_date: '2026-09-15' })
    await person.add('New', '5.00', { transaction_date: '2026-11-20' })
    const { page } = await openAs(person, '/accounts')
    await page.locator('a.row', { hasText: 'Checking' }).click()
    await page.getByRole('heading', { name: 'Checking', level: 1 }).waitFor()
    await page.getByText('20 Nov 2026 · balance 85.00').waitFor()
    await page.getByText('As a table').click()
    // It begins with the first transaction.
    const months = page.getByRole('table').getByRole('rowheader')
    expect(await months.allInnerTexts()).toEqual(['September 2026', 'October 2026', 'November 2026'])
    const caption = page.locator('figcaption')
    expect(await caption.innerText()).toBe('Nov 26 · Balance 85.00')
    await page.getByRole('img', { name: /^Balance at the end/ }).hover({ position: { x: 60, y: 60 } })
    await expect.poll(() => caption.innerText(), { timeout: patienceMs }).toBe('Sept 26 · Balance 90.00')
    await press(page, 'Change Checking')
    await page.getByLabel('Name').fill('Current account')
    await press(page, 'Save')
    await page.getByRole('heading', { name: 'Current account', level: 1 }).waitFor()
  })

  test('compares a running month with the same days of the last, and its figures have totals, links and one scale', async () => {
    const person = await newPerson('running@example.com')
    const [category, other] = await person.get('/categories')
    await person.add('Bread', '1250.00', { transaction_date: '2026-11-03' })
    await person.add('Planned', '7.00', { transaction_date: '2026-11-25' })
    await person.add('Oats', '40.00', { transaction_date: '2026-10-09' })
    await person.add('Late', '500.00', { transaction_date: '2026-10-30' })
    await person.add('Out', '5.00', { transaction_date: '2026-11-04', category_id: other.id })
    await person.add('Returned', '1.00', { transaction_date: '2026-11-05', type: 'income' })
    const [, page] = await newDevice()
    await page.clock.setFixedTime('2026-11-10T12:00:00Z')
    await signIn(page, person.email)
    await page.getByText('1,215.00 more out than by 10 Oct 2026. 7.00 is dated later this month.').waitFor()
    for (const width of [320, 390, 1280]) {
      await page.setViewportSize({ width, height: 844 })
      const bars = await page.locator('.bar').evaluateAll((all) =>
        all.map((one) => ({
          ...{ track: Math.round(one.getBoundingClientRect().width) },
          filled: one.firstElementChild?.getBoundingClientRect().width ?? 0,
        })),
      )
      expect(new Set(bars.map(({ track }) => track)).size).toBe(1)
      expect((bars[1]?.filled ?? 0) / (bars[0]?.filled ?? 1)).toBeCloseTo(5 / 1257, 3)
    }
    await page.setViewportSize({ width: 390, height: 844 })

    await open(page, 'Reports')
    const table = page.getByRole('table').last()
    await page.getByRole('heading', { name: 'November 2026 so far' }).waitFor()
    expect(await table.getByRole('row').allInnerTexts()).toEqual([
      'Category\tto 10 Nov 2026\tto 10 Oct 2026\tChange',
      `${category.name}\t1,249.00\t40.00\t+1,209.00`,
      `${other.name}\t5.00\t0.00\t+5.00`,
      'In all\t1,254.00\t40.00\t+1,214.00',
    ])
    await table.getByRole('link', { name: other.name }).click()
    await expectRows(page, ['Out −5.00'])
    await page.goBack()
    await page.locator('summary', { hasText: 'Income and expenses' }).click()
    const flows = page.getByRole('table').filter({ hasText: 'October' })
    await flows.getByRole('row', { name: /^In all/ }).waitFor()
    await flows.getByRole('link', { name: 'October 2026' }).click()
    await expectRows(page, ['Late −500.00', 'Oats −40.00'])
  })

  test('a wrong password stands over the form, a password can be shown, and the app says whose it is', async () => {
    const person = await newPerson('wrong@example.com')
    const [, page] = await newDevice()
    await page.goto(address)
    await page.getByLabel('Email').fill(person.email)
    const password = page.getByLabel('Password', { exact: true })
    await password.fill('not the password')
    await press(page, 'Sign in')
    const alert = page.getByRole('alert')
    await alert.waitFor()
    const top = async (one: typeof alert) => (await one.boundingBox())?.y ?? 0
    expect(await top(alert)).toBeLessThan(await top(page.getByLabel('Email')))
    await press(page, 'Show password')
    expect(await password.getAttribute('type')).toBe('text')
    await press(page, 'Hide password')
    expect(await password.getAttribute('type')).toBe('password')
    await password.fill(registration(person.email).password)
    await press(page, 'Sign in')
    await page.getByText(registration(person.email).name).waitFor()
    await page.getByRole('link', { name: 'Purse', exact: true }).waitFor()
  })
})

/** What is kept with the entry of the history. */
const state = (page: Page) => page.evaluate(() => history.state)
