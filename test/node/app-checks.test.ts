import { describe, expect, test } from 'vitest'
import { browser as executable } from './fixtures/browser.ts'
import { open, press, serveExampleApp } from './fixtures/example-app.ts'

describe.skipIf(!executable)('balance checks in the example app', () => {
  const { newDevice, newPerson, signIn } = serveExampleApp()

  test('a check turns red on one device when another deletes a row, says so in one sentence, and can be mended', async () => {
    const person = await newPerson('checks@example.com')
    await person.add('Coffee', '12.50', { transaction_date: '2026-10-12' })
    const [, page] = await newDevice()
    await signIn(page, person.email)
    await open(page, 'Accounts')
    await page.locator('a.row', { hasText: 'Checking' }).click()
    await press(page, 'Check the balance')
    await page.getByLabel('At the end of').fill('2026-10-31')
    await page.getByLabel('The bank has').fill('87.50')
    await press(page, 'Save')
    await page.getByText('Bank on 31 Oct 2026: 87.50').waitFor()
    await page.getByText('✓').waitFor()
    await page.getByText('Online · all saved').waitFor()

    const { data } = await person.get('/transactions')
    await person.call('DELETE', `/transactions/${data[0].id}`)
    await page.reload()
    const sentence = page.getByText(
      /^12\.50 more than the bank since .*, when .* deleted 12\.50 of 12 Oct 2026\.$/,
    )
    await sentence.waitFor()
    await open(page, 'Accounts')
    await page.getByText('12.50 more than the bank').waitFor()
    await page.locator('a.row', { hasText: 'Checking' }).click()
    await press(page, 'Adjust')
    await page.getByText('✓').waitFor()
    await page.getByText('Online · all saved').waitFor()
    expect((await person.get('/balance-checks'))[0]).toMatchObject({ state: 'ok', difference: 0 })
  })
})
