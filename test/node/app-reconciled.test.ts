import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { hasBrowser } from './fixtures/browser.ts'
import { verifyByMail } from './fixtures/client.ts'
import { choose, flaws, open, press, pressToPost, serveExampleApp } from './fixtures/example-app.ts'

const reconcile = 'Reconcile through 31 Oct 2026'
/** A statement of a bank, made in November. */
const statementOf = (
  ...rows: string[]
) => `OFXHEADER:100\nDATA:OFXSGML\n\n<OFX><SIGNONMSGSRSV1><SONRS><DTSERVER>20261102</SONRS></SIGNONMSGSRSV1>
<BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR<BANKACCTFROM><BANKID>1<ACCTID>2<ACCTTYPE>CHECKING</BANKACCTFROM><BANKTRANLIST>
${rows.join('\n')}</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>`
const debit = (day: string, amount: string, name: string) =>
  `<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>${day}<TRNAMT>-${amount}<FITID>${name}<NAME>${name}</STMTTRN>`

describe.skipIf(!hasBrowser)('reconciled periods in the example app', () => {
  const { app, newPerson, openAs } = serveExampleApp()

  /** A person whose October has been compared with the bank, on the page of the account. */
  async function compared(email: string) {
    const person = await newPerson(email)
    await person.add('Coffee', '12.50', { transaction_date: '2026-10-12' })
    const check = { account_id: person.account_id, date: '2026-10-31', balance: '87.50' }
    await person.call('POST', '/balance-checks', check)
    const { context, page } = await openAs(person)
    const lock = async () => {
      await press(page, reconcile)
      await page.getByText('Reconciled through 31 Oct 2026', { exact: true }).waitFor()
      await allSaved(page)
    }
    await openAccount(page)
    return { person, context, page, lock }
  }
  const openAccount = async (page: Page) => {
    await open(page, 'Accounts')
    await page.locator('a.row', { hasText: 'Checking' }).click()
    await page.getByText('Bank on 31 Oct 2026: 87.50').waitFor()
  }
  const importFile = async (page: Page, email: string, statement: string) => {
    await verifyByMail(app.place, email)
    await open(page, 'Import')
    const file = { name: 'bank.ofx', mimeType: 'text/plain', buffer: Buffer.from(statement) }
    await page.getByLabel('File').setInputFiles(file)
    await pressToPost(page, 'Look at the file', '/api/import')
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
      .getByText(/^0\.50 less than the bank since .*, when .* updated 12\.50 of 12 Oct 2026 to 13\.00\.$/)
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
    await importFile(page, person.email, statementOf(...rows))
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
    await importFile(page, person.email, statementOf(debit('20261013', '12.50', 'Coffee')))
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

  test('a change of several rows asks before it changes a locked month, and its undo asks nothing', async () => {
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
    await press(page, 'Undo')
    await page.getByText('Undone.').waitFor()
    await allSaved(page)
    expect((await person.get('/balance-checks'))[0]).toMatchObject({ state: 'ok' })
  })
})
