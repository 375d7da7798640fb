import { expect, test } from 'vitest'
import { localDatabase } from '../../dev/local-database.ts'
import { openDatabase } from '../databases/open.ts'
import { checkDatabase } from './fixtures/check-database.ts'
import { clientOf, linkInMail, register, verifyByMail } from './fixtures/client.ts'
import { loseMessages } from './fixtures/lost-messages.ts'
import { newPlace, sharedPlace, start, until } from './fixtures/stack.ts'

test('what got a response before a SIGKILL survives it: rows written one by one and batches, each exactly once', async () => {
  const place = await newPlace()
  const stack = await start(place).ready()
  const api = clientOf(place)
  const email = 'ada@example.com'
  const { access_token: token } = await register(place, email)
  await verifyByMail(place, email)
  const open = async (name: string) =>
    (await api('POST', '/accounts', { name, type: 'bank', starting_balance: 0 }, token)).body
  const [account, uploaded] = [await open('Written'), await open('Uploaded')]
  const [category] = (await api('GET', '/categories', undefined, token)).body

  const answered: number[] = []
  let isKilled = false
  const writer = async (offset: number) => {
    for (let i = 0; !isKilled; i++) {
      const fields = {
        account_id: account.id,
        category_id: category.id,
        type: 'expense',
        amount: 0.01,
        force: true,
      }
      const body = { ...fields, transaction_date: '2026-11-20', description: `writer ${offset}, ${i}` }
      const response = await api('POST', '/transactions', body, token).catch(() => undefined)
      if (response?.status === 201) answered.push(response.body.id)
    }
  }
  const writers = [0, 1, 2, 3, 4, 5, 6, 7].map(writer)
  expect(await until(() => answered.length >= 40)).toBe(true)
  const fields = { account_id: uploaded.id, type: 'income', amount: 1, transaction_date: '2026-11-20' }
  // The first may be processed as it is accepted, unless another overtakes it; the others go through the queue.
  const batches = [100, 150, 150].map((length, batch) =>
    Array.from({ length }, (_, i) => ({ ...fields, client_id: `${batch}-${i}` })),
  )
  const accepted = await Promise.all(
    batches.map((transactions) => api('POST', '/transactions/sync', { transactions }, token)),
  )
  stack.signal('SIGKILL')
  await stack.exit()
  isKilled = true
  await Promise.all(writers)
  expect(accepted.map(({ status }) => status)).toEqual([200, 200, 200])

  await checkDatabase(place)
  const again = await start(place).ready()
  expect(await stack.nothingLeft()).toBe(true)
  const database = await localDatabase(place.STATE_DIR, Number(place.LIBSQL_PORT))
  await loseMessages(openDatabase({ ...database, timeoutMs: 10_000 }))
  for (const { body } of accepted) {
    const status = `/transactions/sync/${body.sync_id}`
    const isDone = async () => (await api('GET', status, undefined, token)).body.status === 'completed'
    expect(await until(isDone)).toBe(true)
  }
  const found = new Set<number>()
  for (let page = 1, last = 1; page <= last; page++) {
    const path = `/transactions?account_id=${account.id}&page=${page}`
    const { body } = await api('GET', path, undefined, token)
    last = body.last_page
    for (const { id } of body.data) found.add(id)
  }
  expect(answered.filter((id) => !found.has(id))).toEqual([])
  const balanceOf = async ({ id }: { id: number }) =>
    (await api('GET', `/accounts/${id}`, undefined, token)).body.balance
  expect(Math.round((await balanceOf(account)) * 100)).toBe(-found.size)
  expect(await balanceOf(uploaded)).toBe(400)
  again.signal('SIGINT')
  expect(await again.exit()).toBe(0)
  await checkDatabase(place)
})

test('a user registers, verifies, forgets, resets and signs in through the provider, by real emails and queues', async () => {
  const place = await sharedPlace()
  const api = clientOf(place)
  const email = 'grace@example.com'
  const { access_token: token } = await register(place, email)

  const verify = await linkInMail(place, email, /Verify your email/)
  const clicked = await fetch(verify, { redirect: 'manual' })
  expect([clicked.status, clicked.headers.get('Location')]).toEqual([
    302,
    'http://localhost:5173/dashboard?verified=1',
  ])
  expect((await api('GET', '/email/verification-status', undefined, token)).body.email_verified).toBe(true)

  expect((await api('POST', '/forgot-password', { email })).status).toBe(200)
  const reset = new URL(await linkInMail(place, email, /Reset your password/))
  const chosen = { password: 'a new password', password_confirmation: 'a new password' }
  const body = { email, token: reset.searchParams.get('token'), ...chosen }
  expect((await api('POST', '/reset-password', body)).status).toBe(200)
  expect((await api('GET', '/me', undefined, token)).status).toBe(401)
  expect((await api('POST', '/login', { email, password: chosen.password })).status).toBe(200)

  const { url } = (await api('GET', '/auth/idp?login_hint=alan@example.com')).body
  const backHere = (await fetch(url, { redirect: 'manual' })).headers.get('Location') ?? ''
  const signedIn = await fetch(backHere, { redirect: 'manual' })
  const login = new URL(signedIn.headers.get('Location') ?? '')
  expect(`${login.origin}${login.pathname}`).toBe('http://localhost:5173/login')
  const me = (await api('GET', '/me', undefined, login.searchParams.get('token') ?? '')).body
  expect(me).toMatchObject({ email: 'alan@example.com', email_verified_at: expect.any(String) })
})
