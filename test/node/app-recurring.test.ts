import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { addDays } from '../../src/domain/dates.ts'
import { occurrencesBetween } from '../../src/domain/recurrence/dates.ts'
import { parseRecurrenceRule } from '../../src/domain/recurrence/rule.ts'
import { hasBrowser } from './fixtures/browser.ts'
import { expectAccessible, open, press, serveExampleApp } from './fixtures/example-app.ts'

const today = new Date().toISOString().slice(0, 10)
/** As the app writes it. */
const shortDay = (date: string) =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(date))
/** The next days of a rent on the 31st. */
const days = occurrencesBetween(
  { startsOn: '2026-01-31', rule: parseRecurrenceRule('FREQ=MONTHLY') },
  today,
  addDays(today, 366),
)
const [first = '', second = '', third = ''] = days

describe.skipIf(!hasBrowser)('recurring transactions in the example app', () => {
  const { newPerson, openAs } = serveExampleApp()

  const saved = (page: Page) => page.getByText('Online · all saved').waitFor()
  const record = (page: Page, date: string) =>
    page.getByRole('button', { name: `Record Rent of ${shortDay(date)}` })

  test('a rent on the 31st shows its next days while it is typed; one is recorded, one skipped, one changed, and then all that follow', async () => {
    const person = await newPerson('recurring@example.com', '1000.00')
    const { page } = await openAs(person, '/recurring')
    await page.getByText('Nothing repeats yet').waitFor()
    await press(page, 'Add recurring transaction')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Amount').fill('950')
    await dialog.getByLabel('Description').fill('Rent')
    await dialog.getByLabel('Category').selectOption({ index: 1 })
    await dialog.getByLabel('First on').fill('2026-01-31')
    await dialog.getByText(`Next on ${[first, second, third].map(shortDay).join(', ')}`).waitFor()
    await dialog.getByLabel('Repeats').selectOption('Every week')
    await dialog.getByText(/^Next on/).waitFor()
    await dialog.getByLabel('Repeats').selectOption('Every month')
    await dialog.getByText(`Next on ${[first, second, third].map(shortDay).join(', ')}`).waitFor()
    await press(page, 'Save')
    await dialog.waitFor({ state: 'detached' })

    await record(page, first).click()
    await page.getByText(`Rent of ${shortDay(first)} is recorded.`).waitFor()
    await record(page, first).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: `Skip Rent of ${shortDay(second)}` }).click()
    await page.getByRole('button', { name: `Restore Rent of ${shortDay(second)}` }).click()
    await page
      .locator('button.row', { hasText: shortDay(second) })
      .first()
      .click()
    await dialog.getByLabel('Amount').fill('980')
    await press(page, 'Save')
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('−980.00').waitFor()
    await saved(page)
    const [rule] = await person.get('/recurring')
    expect(rule).toMatchObject({
      ...{ starts_on: '2026-01-31', rrule: 'FREQ=MONTHLY', amount: '950.00' },
      exceptions: { [second]: { amount: '980.00' } },
    })

    await page
      .locator('button.row', { hasText: shortDay(second) })
      .first()
      .click()
    await dialog.getByLabel('Amount').fill('990')
    await dialog.getByText('This and all that follow').click()
    await press(page, 'Save')
    await dialog.waitFor({ state: 'detached' })
    await saved(page)
    const [ended, successor] = await person.get('/recurring')
    expect(ended).toMatchObject({ amount: '950.00', next: null, successor_id: successor.id })
    expect(successor).toMatchObject({ amount: '990.00', starts_on: second, exceptions: {} })
    const { occurrences } = await person.get('/recurring/upcoming?days=3')
    expect(occurrences.map(({ state }: { state: string }) => state)).toEqual(
      first <= addDays(today, 3) ? ['recorded'] : [],
    )
  })

  test('without a network, one is recorded ahead; the overview shows when the balance is lowest', async () => {
    const person = await newPerson('ahead@example.com', '1000.00')
    const [account] = await person.get('/accounts')
    const [category] = await person.get('/categories')
    const rent = { account_id: account.id, category_id: category.id, type: 'expense', amount: 400 }
    const rule = { ...rent, description: 'Rent', starts_on: '2026-01-31', rrule: 'FREQ=MONTHLY' }
    await person.call('POST', '/recurring', rule)
    const { context, page } = await openAs(person, '/dashboard', { serviceWorkers: 'allow' })
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
    const { lowest } = await person.get(`/reports/forecast?to=${addDays(today, 90)}`)
    await page.getByText(`Lowest on ${shortDay(lowest[0].date)}`).waitFor()
    await page
      .getByText(`−${Math.abs(lowest[0].balance)}.00`)
      .first()
      .waitFor()
    await page.getByRole('link', { name: /recurring transactions expected$/ }).click()
    await page.getByRole('heading', { name: 'Recurring', level: 1 }).waitFor()
    await context.setOffline(true)
    await record(page, first).click()
    await record(page, first).waitFor({ state: 'detached' })
    await page.getByText('Offline · 1 change waiting').waitFor()
    await page.reload()
    await record(page, second).waitFor()
    expect(await record(page, first).count()).toBe(0)
    await context.setOffline(false)
    await saved(page)
    const { data } = await person.get('/transactions')
    expect(data).toMatchObject([{ amount: '400.00', occurrence_date: first, transaction_date: first }])
  })

  test('has nothing that axe finds, and fits 320 pixels', async () => {
    const person = await newPerson('recurring-axe@example.com', '1000.00')
    const [account] = await person.get('/accounts')
    const [category] = await person.get('/categories')
    const rent = { account_id: account.id, category_id: category.id, type: 'expense', amount: '123456.78' }
    const description = 'Donaudampfschifffahrtsgesellschaft'.repeat(4)
    const rule = { ...rent, description, starts_on: today, rrule: 'FREQ=WEEKLY' }
    const { id } = await person.call('POST', '/recurring', rule)
    await person.call('POST', '/recurring', { ...rule, description: 'Old', rrule: 'FREQ=WEEKLY;COUNT=1' })
    await person.call('PUT', `/recurring/${id}/occurrences/${addDays(today, 7)}`, { skip: true })
    const { page } = await openAs(person, '/dashboard', { viewport: { width: 320, height: 700 } })
    await page
      .getByText(/^Lowest on/)
      .first()
      .waitFor()
    await expectAccessible(page)
    await open(page, 'Recurring')
    await page.getByText('Restore').waitFor()
    await expectAccessible(page)
    await page.locator('.line > button.row').first().click()
    await page.getByRole('dialog').waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await press(page, 'Add recurring transaction')
    await page.getByRole('dialog').waitFor()
    await expectAccessible(page)
  })
})
