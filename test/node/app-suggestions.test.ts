import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { addDays } from '../../src/domain/dates.ts'
import { hasBrowser } from './fixtures/browser.ts'
import {
  choose,
  expectAccessible,
  expectRows,
  fillIn,
  open,
  patienceMs,
  press,
  serveExampleApp,
} from './fixtures/example-app.ts'

const today = new Date().toISOString().slice(0, 10)
/** As the app writes it. */
const shortDay = (date: string) =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(date))
const saved = (page: Page) => page.getByText('Online · all saved').waitFor()
const suggestions = (page: Page) =>
  page.locator('article', { has: page.getByRole('heading', { name: 'Suggestions' }) })
const suggested = (page: Page, name: string) => suggestions(page).getByRole('group', { name, exact: true })
const focused = (page: Page) =>
  page.evaluate(
    () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent,
  )

describe.skipIf(!hasBrowser)('suggestions in the example app', () => {
  const { newPerson, openAs } = serveExampleApp()

  type Payment = Parameters<Awaited<ReturnType<typeof newPerson>>['add']>[2]

  /** A person who has paid each week, for four weeks up to yesterday. */
  async function newPayer(email: string, payments: Record<string, Payment>) {
    const person = await newPerson(email, '1000.00')
    const days = [3, 2, 1, 0].map((weeks) => addDays(today, -1 - 7 * weeks))
    const pay = async (name: string, more: Payment) => {
      for (const transaction_date of days) await person.add(name, '9.99', { transaction_date, ...more })
    }
    for (const [name, more] of Object.entries(payments)) await pay(name, more)
    return { ...person, pay }
  }

  /** A person who has deleted the category of such payments. */
  async function newUnfiledPayer(email: string, payments: Record<string, Payment> = {}) {
    const person = await newPayer(email, payments)
    const { id } = await person.call('POST', '/categories', { name: 'Streaming', type: 'expense' })
    await person.pay('Netflix', { category_id: id })
    await person.call('DELETE', `/categories/${id}`)
    return person
  }

  test('one is added and one dismissed with one press each, and the focus goes to the next one', async () => {
    const person = await newPayer('two-presses@example.com', { Netflix: {}, Gym: { amount: '30.00' } })
    const { page } = await openAs(person, '/recurring')
    const names = () => suggestions(page).locator('bdi').allInnerTexts()
    await suggested(page, 'Netflix').waitFor()
    const [first = '', second = ''] = await names()
    expect([first, second].sort()).toEqual(['Gym', 'Netflix'])
    await page.getByRole('button', { name: `Dismiss ${first}` }).focus()
    await page.keyboard.press('Enter')
    await suggested(page, first).waitFor({ state: 'detached' })
    expect(await focused(page)).toBe(second)
    await page.keyboard.press('Tab')
    expect(await focused(page)).toBe(`Add ${second}`)
    await page.keyboard.press('Enter')
    await page.getByText(`${second} is added, with 4 transactions.`).waitFor()
    await suggestions(page).waitFor({ state: 'detached' })
    expect(await focused(page)).toBe('Recurring')
    const [{ id }] = await person.get('/recurring')
    const { data } = await person.get('/transactions')
    const linked: { recurring_id: number | null }[] = data
    expect(linked.filter(({ recurring_id }) => recurring_id === id)).toHaveLength(4)
    await press(page, 'Undo')
    await suggested(page, second).waitFor()
    await page.reload()
    await suggested(page, second).waitFor()
    expect(await names()).toEqual([second])
  })

  test('one whose payments have no category asks for it; without a network, and when it is refused, it says so', async () => {
    const person = await newUnfiledPayer('refused-suggestion@example.com')
    const { context, page } = await openAs(person, '/recurring')
    const one = suggested(page, 'Netflix')
    await one.getByLabel('Category').selectOption({ index: 1 })
    await context.setOffline(true)
    await page.getByText('Suggestions could not be loaded. This needs a network connection.').waitFor()
    await press(page, 'Add Netflix')
    await one.getByRole('alert').getByText('This needs a network connection.').waitFor()
    await context.setOffline(false)
    await page.getByText('Suggestions could not be loaded.').waitFor({ state: 'detached' })
    for (const { id } of await person.get('/transactions').then(({ data }) => data))
      await person.call('DELETE', `/transactions/${id}`)
    await press(page, 'Add Netflix')
    await one.waitFor({ state: 'detached' })
    expect(await person.get('/recurring')).toEqual([])
  })

  test('a transaction that may be an occurrence becomes it with one press, or the occurrence is recorded anyway', async () => {
    const person = await newPerson('this-one@example.com', '1000.00')
    const [{ id: category_id }] = await person.get('/categories')
    await person.call('POST', '/recurring', {
      ...{ account_id: person.account_id, category_id, type: 'expense', amount: '30.00' },
      ...{ description: 'Gym', starts_on: today, rrule: 'FREQ=MONTHLY' },
    })
    const day = addDays(today, -1)
    await person.add('Fitness club', '30.00', { transaction_date: day })
    const { page } = await openAs(person, '/recurring')
    const similar = `“Fitness club”, 30.00, ${shortDay(day)}`
    await page.getByText(`Is it ${similar}?`).waitFor()
    await press(page, `It is this one: ${similar}`)
    await page.getByText(`Gym of ${shortDay(today)} is ${similar}.`).waitFor()
    const anyway = page.getByRole('button', { name: `Record anyway Gym of ${shortDay(today)}` })
    await anyway.waitFor({ state: 'detached' })
    expect((await person.get('/transactions')).data).toMatchObject([{ occurrence_date: today }])

    await open(page, 'Transactions')
    await choose(page, 'Fitness club')
    await page
      .getByRole('dialog')
      .getByText(`“Gym”, due on ${shortDay(today)}`)
      .waitFor()
    await press(page, 'Not this one')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await open(page, 'Recurring')
    await anyway.click()
    await anyway.waitFor({ state: 'detached' })
    await open(page, 'Transactions')
    await expectRows(page, ['Gym −30.00', 'Fitness club −30.00'])
    await saved(page)
    expect((await person.get('/transactions')).data).toMatchObject([
      { description: 'Gym', occurrence_date: today },
      { description: 'Fitness club', occurrence_date: null },
    ])
  })

  test('a transaction that is like an expected one is asked about among the matches', async () => {
    const person = await newPerson('expected@example.com', '1000.00')
    const [{ id: category_id }] = await person.get('/categories')
    const bill = { account_id: person.account_id, category_id, type: 'expense', amount: '60.00' }
    const rule = { ...bill, amount_tolerance: 10, starts_on: today, rrule: 'FREQ=MONTHLY' }
    await person.call('POST', '/recurring', { ...rule, description: 'Electricity' })
    const transaction_date = addDays(today, -1)
    await person.add('City works', '62.50', { transaction_date })
    const { page } = await openAs(person)
    const question = page.locator('article', { hasText: 'An expected one?' })
    await open(page, 'Matches')
    await question.getByText(`due on ${shortDay(today)}`).waitFor()
    await press(question, 'Keep apart')
    await page.getByText('Nothing looks like a pair.').waitFor()
    await press(page, 'Undo')
    await press(question, 'It is this one')
    await page.getByText('Nothing looks like a pair.').waitFor()
    expect((await person.get('/transactions')).data).toMatchObject([{ occurrence_date: today }])
    await press(page, 'Undo')
    await question.waitFor()
  })

  test('a payment whose amount has changed is asked about once, and may be expected from then on', async () => {
    const person = await newPerson('dearer@example.com', '1000.00')
    const [{ id: category_id }] = await person.get('/categories')
    const bill = { account_id: person.account_id, category_id, type: 'expense', amount: '10.00' }
    const rule = { ...bill, description: 'Streaming', starts_on: today, rrule: 'FREQ=MONTHLY' }
    const { id } = await person.call('POST', '/recurring', rule)
    await person.call('POST', `/recurring/${id}/occurrences/${today}/record`)
    await person.add('STREAMING 4711', '11.00', { transaction_date: addDays(today, 1) })
    const { page } = await openAs(person, '/matches')
    const question = page.locator('article', { hasText: 'A new amount?' })
    const settled = page.getByText('Nothing looks like a pair.')
    await press(question, 'Two payments')
    await settled.waitFor()
    await press(page, 'Undo')
    await press(question, 'It is this one, the amount changed')
    await settled.waitFor()
    expect((await person.get('/transactions')).data).toMatchObject([
      { amount: '11.00', occurrence_date: today, description: 'Streaming' },
    ])
    await press(page, 'Undo')
    await question.getByLabel('Expect 11.00 from now on').check()
    await press(question, 'It is this one, the amount changed')
    await settled.waitFor()
    await saved(page)
    expect((await person.get('/transactions')).data).toMatchObject([
      { amount: '11.00', occurrence_date: today },
    ])
    expect(await person.get('/recurring')).toMatchObject([{ amount: '11.00' }])
  })

  test('the amount of a recurring transaction may vary, unless it records itself', async () => {
    const person = await newPerson('varying@example.com', '1000.00')
    const { page } = await openAs(person, '/recurring')
    await press(page, 'Add recurring transaction')
    const dialog = page.getByRole('dialog')
    await fillIn(page, 'Electricity', '60')
    await dialog.getByText('More', { exact: true }).click()
    await dialog.getByLabel('May vary').selectOption('By 10 %')
    await press(page, 'Save')
    await dialog.waitFor({ state: 'detached' })
    await saved(page)
    expect(await person.get('/recurring')).toMatchObject([{ amount: '60.00', amount_tolerance: 10 }])
    await page.getByRole('button', { name: /^Electricity.*Next on.*≈ −60\.00/ }).click()
    await dialog.getByLabel('Record it on its day').check()
    await press(page, 'Save')
    await dialog.waitFor({ state: 'detached' })
    await saved(page)
    expect(await person.get('/recurring')).toMatchObject([{ auto_record: true, amount_tolerance: 0 }])
  })

  test('the overview says what is still to come this month, and what is left then', async () => {
    const person = await newPerson('to-come@example.com', '1000.00')
    const categories: { id: number; type: string }[] = await person.get('/categories')
    const idOf = (type: string) => categories.find((one) => one.type === type)?.id
    await person.add('Coffee', '5.00', { transaction_date: today })
    const own = { account_id: person.account_id, starts_on: today, rrule: 'FREQ=YEARLY' }
    const rent = {
      ...own,
      type: 'expense',
      category_id: idOf('expense'),
      amount: '400.00',
      description: 'Rent',
    }
    const wage = {
      ...own,
      type: 'income',
      category_id: idOf('income'),
      amount: '1500.00',
      description: 'Wage',
    }
    await person.call('POST', '/recurring', rent)
    await person.call('POST', '/recurring', wage)
    const { page } = await openAs(person)
    const sums = (expected: string[]) =>
      expect
        .poll(() => page.locator('.sums strong').allInnerTexts(), { timeout: patienceMs })
        .toEqual(expected)
    await sums(['0.00', '5.00', '−5.00', '1,500.00', '400.00', '1,095.00'])
    await page.getByRole('link', { name: 'Still to pay 400.00' }).click()
    await page.getByRole('button', { name: /^Record Rent/ }).click()
    await page.getByText(/^Rent of .* is recorded/).waitFor()
    await open(page, 'Overview')
    await sums(['0.00', '405.00', '−405.00', '1,500.00', '0.00', '1,095.00'])
    await press(page, 'The month before')
    await sums(['0.00', '0.00', '0.00'])
  })

  test('has nothing that axe finds, and fits 320 pixels', async () => {
    const long = 'Donaudampfschifffahrtsgesellschaft'.repeat(3)
    const person = await newUnfiledPayer('suggestions-axe@example.com', { [long]: { amount: '123456.78' } })
    const { page } = await openAs(person, '/recurring', { viewport: { width: 320, height: 700 } })
    await suggested(page, 'Netflix').waitFor()
    await expectAccessible(page)
  })
})
