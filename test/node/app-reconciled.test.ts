import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { browser as executable } from './fixtures/browser.ts'
import { verifyByMail } from './fixtures/client.ts'
import { choose, open, press, pressToPost, serveExampleApp } from './fixtures/example-app.ts'

const reconcile = 'Reconcile through 31 Oct 2026'
const chromeOnWindows =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36'
/** A statement of a bank, made in November. */
const statementOf = (
  ...rows: string[]
) => `OFXHEADER:100\nDATA:OFXSGML\n\n<OFX><SIGNONMSGSRSV1><SONRS><DTSERVER>20261102</SONRS></SIGNONMSGSRSV1>
<BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR<BANKACCTFROM><BANKID>1<ACCTID>2<ACCTTYPE>CHECKING</BANKACCTFROM><BANKTRANLIST>
${rows.join('\n')}</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>`
const debit = (day: string, amount: string, name: string) =>
  `<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>${day}<TRNAMT>-${amount}<FITID>${name}<NAME>${name}</STMTTRN>`

describe.skipIf(!executable)('reconciled periods in the example app', () => {
  const { app, newDevice, newPerson, signIn } = serveExampleApp()

  /** A person whose October has been compared with the bank, on the page of the account. */
  async function compared(email: string) {
    const person = await newPerson(email)
    await person.add('Coffee', '12.50', { transaction_date: '2026-10-12' })
    const check = { account_id: person.account_id, date: '2026-10-31', balance: '87.50' }
    await person.call('POST', '/balance-checks', check)
    const [context, page] = await newDevice({ userAgent: chromeOnWindows })
    await signIn(page, person.email)
    await openAccount(page)
    const lock = async () => {
      await press(page, reconcile)
      await page.getByText('Reconciled through 31 Oct 2026', { exact: true }).waitFor()
      await allSaved(page)
    }
    return { person, context, page, lock }
  }
  const openAccount = async (page: Page) => {
    await open(page, 'Accounts')
    await page.locator('a.row', { hasText: 'Checking' }).click()
    await page.getByText('Bank on 31 Oct 2026: 87.50').waitFor()
  }
  const look = async (page: Page, email: string, statement: string) => {
    await verifyByMail(app.place, email)
    await open(page, 'Import')
    const file = { name: 'bank.ofx', mimeType: 'text/plain', buffer: Buffer.from(statement) }
    await page.getByLabel('File').setInputFiles(file)
    await pressToPost(page, 'Look at the file', '/api/import')
  }
  /** What axe finds on a page. */
  const flaws = async (page: Page) => {
    await page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'))
    return page.evaluate(async () => {
      const { axe } = globalThis as { axe?: typeof import('axe-core') }
      return (await axe?.run())?.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
    })
  }
  const allSaved = (page: Page) => page.getByText('Online · all saved').waitFor()
  const questionOn = (page: Page) => page.getByRole('dialog', { name: 'Reconciled period' })
  const edited = (page: Page) => page.getByRole('dialog', { name: 'Change transaction' })

  test('a month is locked with one press, changed only after a question, named by the check, opened, mended and locked again', async () => {
    const { person, page, lock } = await compared('reconciled@example.com')
    await lock()
    expect(await page.getByRole('button', { name: reconcile }).count()).toBe(0)
    await choose(page, 'Coffee')
    await edited(page).getByLabel('Amount').fill('13.00')
    await press(page, 'Save')
    const text = await questionOn(page).innerText()
    expect(text).toContain('The account is reconciled through 31 October 2026.')
    expect(text).toContain('This changes “Coffee”, 12.50, 12 Oct 2026: amount 13.00.')
    expect(text).toContain('turns red')
    await page.setViewportSize({ width: 320, height: 700 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
    expect(await flaws(page)).toEqual([])
    // Cancel has the focus.
    await page.keyboard.press('Enter')
    await questionOn(page).waitFor({ state: 'detached' })
    await edited(page).getByText('The account is reconciled through 31 October 2026.').waitFor()
    expect(await edited(page).getByLabel('Amount').inputValue()).toBe('13.00')
    await press(page, 'Save')
    await press(questionOn(page), 'Do it anyway')
    await edited(page).waitFor({ state: 'detached' })
    expect(await flaws(page)).toEqual([])
    await page
      .getByText(
        /^0\.50 less than the bank since .*, when Chrome on Windows updated 12\.50 of 12 Oct 2026 to 13\.00\.$/,
      )
      .waitFor()
    await press(page, 'Reopen')
    await page.getByText('Reconciled through 31 Oct 2026', { exact: true }).waitFor({ state: 'detached' })
    await choose(page, 'Coffee')
    await edited(page).getByLabel('Amount').fill('12.50')
    await press(page, 'Save')
    await edited(page).waitFor({ state: 'detached' })
    await lock()
    expect(await person.get('/accounts')).toMatchObject([{ reconciled_through: '2026-10-31' }])
    expect(await person.get('/balance-checks')).toMatchObject([{ state: 'ok' }])
  })

  test('undoing an override asks nothing, and undoing what was done before the period was locked asks', async () => {
    const { person, page, lock } = await compared('reconciled-undo@example.com')
    const red = page.getByText(/^12\.50 more than the bank/)
    await lock()
    await choose(page, 'Coffee')
    await press(edited(page), 'Delete')
    await press(questionOn(page), 'Do it anyway')
    await red.waitFor()
    await press(page, 'Undo')
    await red.waitFor({ state: 'detached' })
    await page.getByText('Undone.').waitFor()
    // The lock is the step before, and it is taken back and done again elsewhere.
    await page.keyboard.press('Control+z')
    await page.getByText('Reconciled through 31 Oct 2026', { exact: true }).waitFor({ state: 'detached' })
    await choose(page, 'Coffee')
    await edited(page).getByLabel('Date', { exact: true }).fill('2026-10-13')
    await press(page, 'Save')
    await allSaved(page)
    await person.call('PUT', `/accounts/${person.account_id}`, { reconciled_through: '2026-10-31' })
    await page.evaluate(() => dispatchEvent(new Event('focus')))
    await page.getByText('Reconciled through 31 Oct 2026', { exact: true }).waitFor()
    await page.keyboard.press('Control+z')
    await questionOn(page).getByText('This undoes your last change.').waitFor()
    await press(questionOn(page), 'Cancel')
    await page.getByText(/^13 Oct 2026/).waitFor()
    await page.keyboard.press('Control+z')
    await press(questionOn(page), 'Do it anyway')
    await page.getByText(/^12 Oct 2026/).waitFor()
  })

  test('what was changed offline in a month that another device has locked is made after a question', async () => {
    const { person, context, page } = await compared('reconciled-offline@example.com')
    await context.setOffline(true)
    await choose(page, 'Coffee')
    await edited(page).getByLabel('Amount').fill('13.00')
    await press(page, 'Save')
    await page
      .getByText(/^0\.50 less than the bank, since you updated .* on this device, which is not sent yet\.$/)
      .waitFor()
    await person.call('PUT', `/accounts/${person.account_id}`, { reconciled_through: '2026-10-31' })
    await context.setOffline(false)
    await page.getByText('1 change to look at').click()
    await page.getByText('The account is reconciled through 31 October 2026.').waitFor()
    await press(page, 'Do it anyway …')
    await press(questionOn(page), 'Do it anyway')
    await page.getByText('Everything is saved.').waitFor()
    expect((await person.get('/balance-checks'))[0]).toMatchObject({ state: 'broken', difference: -0.5 })
  })

  test('a file with new rows of a locked month is asked about, with the rows, and says what was left out', async () => {
    const { person, page, lock } = await compared('reconciled-import@example.com')
    await lock()
    const rows = [debit('20261014', '4.00', 'Bakery'), debit('20261101', '7.00', 'Florist')]
    await look(page, person.email, statementOf(...rows))
    const question = page.getByRole('group', { name: '1 new row would change a reconciled period.' })
    expect(await question.innerText()).toContain('The account is reconciled through 31 October 2026.')
    expect(await question.innerText()).toContain('14 Oct 2026: −4.00 Bakery')
    await question.getByLabel('Leave them out, so that the period stays as it is.').check()
    await pressToPost(page, 'Look at the file', '/api/import')
    await page.getByText('14 Oct 2026 · Checking · left out').waitFor()
    await page.getByText('1 line left out').click()
    await page.getByRole('row', { name: /Bakery.*reconciled period/ }).waitFor()
    await pressToPost(page, 'Import 1 transaction', '/api/import')
    await page.getByText('Successfully imported 1 transaction.').waitFor()
    const { data } = await person.get('/transactions')
    expect(data.map(({ description }: { description: string }) => description)).toEqual(['Florist', 'Coffee'])
  })

  test('two rows of a locked month are joined after a question, and separated without one', async () => {
    const { person, page } = await compared('reconciled-join@example.com')
    await look(page, person.email, statementOf(debit('20261013', '12.50', 'Coffee')))
    await pressToPost(page, 'Import 1 transaction', '/api/import')
    await page.getByText('Successfully imported 1 transaction.').waitFor()
    const [check] = await person.get('/balance-checks')
    await person.call('PUT', `/balance-checks/${check.id}`, { balance: '75.00' })
    await person.call('PUT', `/accounts/${person.account_id}`, { reconciled_through: '2026-10-31' })
    await open(page, 'Matches')
    await pressToPost(page, 'Join', '/api/matches/join')
    await questionOn(page).getByText('This joins 1 pair of transactions.').waitFor()
    await press(questionOn(page), 'Cancel')
    await page.getByText('0 pairs joined.').waitFor()
    await pressToPost(page, 'Join', '/api/matches/join')
    await press(questionOn(page), 'Do it anyway')
    await page.getByText('1 pair joined.').waitFor()
    expect((await person.get('/balance-checks'))[0]).toMatchObject({ state: 'broken', difference: 12.5 })
    await press(page.getByRole('status').filter({ hasText: '1 pair joined.' }), 'Undo')
    await page.getByText('Undone.').waitFor()
    expect((await person.get('/balance-checks'))[0]).toMatchObject({ state: 'ok' })
  })

  test('an occurrence in a reconciled period stays due until the person records it all the same', async () => {
    const { person, page } = await compared('reconciled-occurrence@example.com')
    const { from: today } = await person.get('/reports/forecast')
    const rent = { account_id: person.account_id, type: 'expense', amount: '5.00', description: 'Rent' }
    const category_id = (await person.get('/categories'))[0].id
    const schedule = { starts_on: today, rrule: 'FREQ=MONTHLY' }
    await person.call('POST', '/recurring', { ...rent, category_id, ...schedule })
    const check = { account_id: person.account_id, date: today, balance: '87.50' }
    await person.call('POST', '/balance-checks', check)
    await person.call('PUT', `/accounts/${person.account_id}`, { reconciled_through: today })
    await open(page, 'Recurring')
    await page.evaluate(() => dispatchEvent(new Event('focus')))
    const record = page.getByRole('button', { name: /^Record Rent of/ }).first()
    await page.getByText('Due today').waitFor()
    await record.click()
    await questionOn(page)
      .getByText(/^This records Rent of/)
      .waitFor()
    await press(questionOn(page), 'Cancel')
    await record.click()
    await press(questionOn(page), 'Do it anyway')
    await page.getByText(/^Rent of .* is recorded\.$/).waitFor()
    await allSaved(page)
    expect(await person.get('/balance-checks')).toMatchObject([{ state: 'ok' }, { state: 'broken' }])
  })

  test('a change of several rows asks before it changes a locked month', async () => {
    const { person, page, lock } = await compared('reconciled-several@example.com')
    await lock()
    await open(page, 'Transactions')
    await press(page, 'Select')
    await press(page, 'Select all 1')
    await press(page, 'Delete …')
    await press(page, 'Delete 1 transaction')
    await questionOn(page).getByText('This deletes 1 transaction.').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').getByText('The account is reconciled through 31 October 2026.').waitFor()
    await press(page, 'Delete 1 transaction')
    await press(questionOn(page), 'Do it anyway')
    await page.getByText('1 transaction deleted.').waitFor()
    await allSaved(page)
    expect((await person.get('/balance-checks'))[0]).toMatchObject({ state: 'broken', difference: 12.5 })
  })
})
