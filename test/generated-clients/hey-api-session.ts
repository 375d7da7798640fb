import { createClient } from './generated/hey-api/client/index.ts'
import {
  createAccount,
  createTransaction,
  listCategories,
  register,
  showSummary,
  showSync,
  syncTransactions,
} from './generated/hey-api/sdk.gen.ts'
import { aDay, password, poll, type SessionResult, type SessionStart } from './session.ts'

/** Registers, records, syncs and reads the summary with the client that Hey API generates. */
export async function heyApiSession({ baseUrl, email, verify }: SessionStart): Promise<SessionResult> {
  let token = ''
  const client = createClient({ baseUrl, auth: () => token })
  const registered = await register({
    client,
    body: { name: 'Ada', email, password, password_confirmation: password },
    throwOnError: true,
  })
  token = registered.data.access_token
  await verify(email)

  const account = await createAccount({
    client,
    body: { name: 'Checking', type: 'bank', starting_balance: '100.00' },
    throwOnError: true,
  })
  const categories = await listCategories({ client, throwOnError: true })
  const expense = { account_id: account.data.id, type: 'expense', transaction_date: aDay } as const
  await createTransaction({
    client,
    body: { ...expense, category_id: categories.data[0]?.id, amount: '12.50' },
    throwOnError: true,
  })
  const refused = await createTransaction({ client, body: { ...expense, amount: '-1' } })

  const sync = await syncTransactions({
    client,
    body: { transactions: [{ ...expense, amount: '3.20', client_id: 'phone-1' }] },
    throwOnError: true,
  })
  const outcomes = await poll(async () => {
    const { data } = await showSync({ client, path: { id: sync.data.sync_id }, throwOnError: true })
    return data.status === 'completed' ? data.items.map(({ outcome }) => outcome) : undefined
  })
  const summary = await showSummary({ client, query: { month: '2026-11' }, throwOnError: true })
  return {
    balance: summary.data.total_balance,
    outcomes,
    refusal: refused.error && 'errors' in refused.error ? (refused.error.errors.amount?.[0] ?? '') : '',
  }
}
