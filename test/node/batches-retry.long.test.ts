import { expect, test } from 'vitest'
import { clientOf, register, verifyByMail } from './fixtures/client.ts'
import { runCommand } from './fixtures/run-command.ts'
import { sharedPlace, until } from './fixtures/stack.ts'

/** An account can hold nine of these on top of the same starting balance. */
const most = '9999999999999.99'

test('a batch that failed is tried again by its id, once, and is processed by the real sweep and queue', async () => {
  const place = await sharedPlace()
  const api = clientOf(place)
  const email = 'edith@example.com'
  const { access_token: token } = await register(place, email)
  await verifyByMail(place, email)
  const account = { name: 'Vault', type: 'bank', starting_balance: most }
  const { id: account_id } = (await api('POST', '/accounts', account, token)).body
  const categories = (await api('GET', '/categories', undefined, token)).body as {
    id: number
    type: string
  }[]
  const category_id = categories.find(({ type }) => type === 'income')?.id
  const income = (day: number, amount: string) => {
    const transaction_date = `2026-11-${String(day).padStart(2, '0')}`
    return { account_id, category_id, type: 'income', amount, transaction_date }
  }
  const rows: number[] = []
  for (let day = 1; day <= 8; day++) {
    const { status, body } = await api('POST', '/transactions', income(day, most), token)
    expect(status).toBe(201)
    rows.push(body.id)
  }

  const transactions = [income(20, most), income(21, '0.05')]
  const { sync_id } = (await api('POST', '/transactions/sync', { transactions }, token)).body
  const batch = async () => (await api('GET', `/transactions/sync/${sync_id}`, undefined, token)).body
  expect(await until(async () => (await batch()).status === 'failed')).toBe(true)

  await api('DELETE', `/transactions/${rows[0]}`, undefined, token)
  const absent = crypto.randomUUID()
  const retry = (...ids: string[]) => runCommand('batches-retry', place, ...ids)
  expect(await retry(sync_id, absent)).toEqual({
    code: 1,
    stdout: `${sync_id}: 2 items are waiting again; queued within a minute.\n${absent}: there is no such batch.\n`,
    stderr: '',
  })
  await fetch(`http://127.0.0.1:${place.PORT}/cdn-cgi/handler/scheduled?cron=*+*+*+*+*`)
  expect(await until(async () => (await batch()).status === 'completed')).toBe(true)
  expect((await batch()).counts).toMatchObject({ total: 2, created: 2, failed: 0 })

  expect(await retry(sync_id)).toEqual({
    code: 1,
    stdout: `${sync_id}: has not failed but is completed; left as it is.\n`,
    stderr: '',
  })
  expect(await retry()).toMatchObject({ code: 2, stdout: '' })
  expect((await api('GET', '/transactions', undefined, token)).body.total).toBe(9)
})
