import createClient from 'openapi-fetch'
import type { paths } from './generated/openapi-typescript.ts'
import { aDay, password, poll, type SessionResult, type SessionStart } from './session.ts'

/** Registers, records, syncs and reads the summary with openapi-fetch and the types of openapi-typescript. */
export async function openapiFetchSession({ baseUrl, email, verify }: SessionStart): Promise<SessionResult> {
  const client = createClient<paths>({ baseUrl })
  const registered = await client.POST('/api/register', {
    body: { name: 'Ada', email, password, password_confirmation: password },
  })
  if (!registered.data) throw new Error(registered.error.message)
  client.use({
    onRequest: ({ request }) =>
      request.headers.set('Authorization', `Bearer ${registered.data.access_token}`),
  })
  await verify(email)

  const account = await client.POST('/api/accounts', {
    body: { name: 'Checking', type: 'bank', starting_balance: '100.00' },
  })
  const categories = await client.GET('/api/categories')
  const account_id = account.data?.id ?? 0
  const expense = { account_id, type: 'expense', transaction_date: aDay } as const
  await client.POST('/api/transactions', {
    body: { ...expense, category_id: categories.data?.[0]?.id, amount: '12.50' },
  })
  const refused = await client.POST('/api/transactions', { body: { ...expense, amount: '-1' } })

  const sync = await client.POST('/api/transactions/sync', {
    body: { transactions: [{ ...expense, amount: '3.20', client_id: 'phone-1' }] },
  })
  const outcomes = await poll(async () => {
    const { data } = await client.GET('/api/transactions/sync/{id}', {
      params: { path: { id: sync.data?.sync_id ?? '' } },
    })
    return data?.status === 'completed' ? data.items.map(({ outcome }) => outcome) : undefined
  })
  const summary = await client.GET('/api/summary', { params: { query: { month: '2026-11' } } })
  return {
    balance: summary.data?.total_balance ?? Number.NaN,
    outcomes,
    refusal: refused.error && 'errors' in refused.error ? (refused.error.errors.amount?.[0] ?? '') : '',
  }
}
