import { describe, expect, test } from 'vitest'
import { hasBrowser } from './fixtures/browser.ts'
import { verifyByMail } from './fixtures/client.ts'
import { choose, look, open, press, pressToPost, serveExampleApp } from './fixtures/example-app.ts'

const firefoxOnAndroid = 'Mozilla/5.0 (Android 16; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0'
/** A statement of October, made in November. */
const statement = `OFXHEADER:100\nDATA:OFXSGML\n\n<OFX><SIGNONMSGSRSV1><SONRS><DTSERVER>20261102</SONRS></SIGNONMSGSRSV1>
<BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR<BANKACCTFROM><BANKID>1<ACCTID>2<ACCTTYPE>CHECKING</BANKACCTFROM><BANKTRANLIST>
<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20261012<TRNAMT>-12.50<FITID>F1<NAME>Shop</STMTTRN>
<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20261014<TRNAMT>-4.00<FITID>F2<NAME>Bakery</STMTTRN></BANKTRANLIST>
<LEDGERBAL><BALAMT>1210.50<DTASOF>20261031</LEDGERBAL></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>`

describe.skipIf(!hasBrowser)('balance checks in the example app', () => {
  const { app, newDevice, newPerson, openAs, signInByForm } = serveExampleApp()

  test('a check turns red on one device when another deletes a row, says so in one sentence, and can be mended', async () => {
    const person = await newPerson('checks@example.com')
    await person.add('Coffee', '12.50', { transaction_date: '2026-10-12' })
    const { page } = await openAs(person, '/accounts')
    await page.locator('a.row', { hasText: 'Checking' }).click()
    await press(page, 'Check the balance')
    await page.getByRole('dialog').getByLabel('At the end of').fill('2026-10-31')
    await page.getByLabel('The bank has').fill('87.50')
    await press(page, 'Save')
    await page.getByText('Bank on 31 Oct 2026: 87.50').waitFor()
    await page.getByText('✓').waitFor()
    await page.getByText('Online · all saved').waitFor()

    const [, phone] = await newDevice({ userAgent: firefoxOnAndroid })
    await signInByForm(phone, person.email)
    await open(phone, 'Transactions')
    await choose(phone, 'Coffee')
    await press(phone, 'Delete')
    await phone.getByText('Online · all saved').waitFor()
    await look(page)
    await page
      .getByText(
        /^12\.50 more than the bank since .*, when Firefox on Android deleted 12\.50 of 12 Oct 2026\.$/,
      )
      .waitFor()
    await open(page, 'Accounts')
    await page.getByText('12.50 more than the bank').waitFor()
    await page.locator('a.row', { hasText: 'Checking' }).click()
    await press(page, 'Adjust')
    await page.getByText('✓').waitFor()
    await page.getByText('Online · all saved').waitFor()
    expect((await person.get('/balance-checks'))[0]).toMatchObject({ state: 'ok', difference: 0 })
  })

  test('a first import says what the bank has, and its starting balance takes one tap', async () => {
    const person = await newPerson('first-import@example.com')
    await verifyByMail(app.place, person.email)
    const { page } = await openAs(person, '/import')
    const file = { name: 'october.ofx', mimeType: 'text/plain', buffer: Buffer.from(statement) }
    await page.getByLabel('File').setInputFiles(file)
    await pressToPost(page, 'Look at the file', '/api/import')
    await pressToPost(page, 'Import 2 transactions', '/api/import')
    await page.getByText('On 31 Oct 2026 the bank has 1,210.50 and Purse 83.50.').waitFor()
    await press(page, 'Set the starting balance to 1,227.00')
    await page.getByText('✓ On 31 Oct 2026 the bank and Purse have 1,210.50.').waitFor()
    await page.getByText('Online · all saved').waitFor()
    expect(await person.get('/balance-checks')).toMatchObject([{ state: 'ok' }])
    await page.getByRole('link', { name: 'Accounts', exact: true }).click()
    await page.locator('a.row', { hasText: 'Checking' }).click()
    await page.getByText('Bank on 31 Oct 2026: 1,210.50').waitFor()
    const current = page.getByRole('navigation').locator('[aria-current=page]:visible')
    expect(await current.allInnerTexts()).toEqual(['Accounts'])
  })
})
