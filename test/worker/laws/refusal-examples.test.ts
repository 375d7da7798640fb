import { beforeAll, expect, test } from 'vitest'
import { app } from '../../../src/app.ts'
import { openApiDocument } from '../../../src/document.ts'
import {
  type ApiResponse,
  createWorld,
  type Json,
  openAccount,
  recordTransaction,
} from '../fixtures/world.ts'
import { sendFile } from '../imports/send-file.ts'
import { createHousehold, type Household } from './every-route.ts'

/** By operation, a call that gets the example of its 422 as its response. */
const invalidCalls: Record<string, (household: Household) => Promise<ApiResponse>> = {
  register: ({ world, person }) =>
    world.call('POST', '/api/register', {
      body: {
        name: 'Mary',
        email: person.email,
        password: 'long enough',
        password_confirmation: 'long enough',
      },
    }),
  login: ({ world, person }) =>
    world.call('POST', '/api/login', { body: { email: person.email, password: 'not the password' } }),
  forgotPassword: ({ world }) =>
    world.call('POST', '/api/forgot-password', { body: { email: 'unknown@example.com' } }),
  resetPassword: ({ world, person }) =>
    world.call('POST', '/api/reset-password', {
      body: {
        token: 'used',
        email: person.email,
        password: 'long enough',
        password_confirmation: 'long enough',
      },
    }),
  updateProfile: ({ person }) => person.put('/api/me', { timezone: 'Mars/Olympus', reminder_time: '25:00' }),
  deleteProfile: ({ person }) => person.delete('/api/me', { password: 'not the password' }),
  updatePassword: ({ person }) =>
    person.put('/api/me/password', {
      current_password: 'not the password',
      password: 'long enough',
      password_confirmation: 'long enough',
    }),
  updateEmail: async ({ world, person }) => {
    const { email } = await world.register()
    return person.put('/api/me/email', { email, current_password: person.password })
  },
  makeToken: ({ person }) =>
    person.post('/api/tokens', { abilities: ['write'], expires_at: '2020-01-01T00:00:00Z' }),
  createAccount: ({ person }) =>
    person.post('/api/accounts', { type: 'savings', starting_balance: '12.345' }),
  updateAccount: ({ person, cash }) => person.put(`/api/accounts/${cash.id}`, { name: '' }),
  createCategory: ({ person }) => person.post('/api/categories', { name: 'groceries', type: 'expense' }),
  updateCategory: ({ person, category }) =>
    person.put(`/api/categories/${category.id}`, { type: 'transfer' }),
  importFile: (household) => sendFile(household, 'store', 'date,amount,account\n01/02/2026,-3.20,Checking\n'),
  importStatement: (household) =>
    sendFile(household, 'bank/store', 'Date,Debit,Description\n2026-11-19,3.20,Bakery\n'),
  suggestCategories: ({ person }) => person.post('/api/categories/suggest', {}),
  listTransactions: ({ person }) => person.get('/api/transactions?from=yesterday&per_page=1000'),
  createTransaction: ({ person, checking }) =>
    person.post('/api/transactions', {
      account_id: checking.id,
      type: 'expense',
      amount: 0,
      transaction_date: '2026-02-31',
    }),
  updateTransaction: async ({ person, spend }) =>
    person.put(`/api/transactions/${(await spend()).id}`, { type: 'transfer' }),
  deleteTransaction: async (household) => {
    const { row } = await reconcile(household)
    return household.person.delete(`/api/transactions/${row.id}`)
  },
  deleteBalanceCheck: async (household) => {
    const { check } = await reconcile(household)
    return household.person.delete(`/api/balance-checks/${check.id}`)
  },
  syncTransactions: ({ person, expense }) =>
    person.post('/api/transactions/sync', { transactions: [expense(), { ...expense(), account_id: 999 }] }),
  pullChanges: ({ person }) => person.get('/api/changes?limit=0'),
  uploadOperations: ({ person }) => person.post('/api/changes', { ops: [] }),
  listMatches: ({ person }) => person.get('/api/matches?from=2026-12-01&to=2026-11-01'),
  joinMatch: ({ person }) => person.post('/api/matches/join', { kind: 'duplicate', ids: [1, 1] }),
  separateMatch: async ({ person, spend }) =>
    person.post('/api/matches/separate', { id: (await spend()).id }),
  rejectMatch: ({ person }) => person.post('/api/matches/reject', { kind: 'same', ids: [1, 2] }),
  takeRejectionBack: ({ person }) => person.delete('/api/matches/reject', { kind: 'duplicate', ids: [1] }),
  createRecurring: ({ person, expense }) => {
    const { transaction_date: starts_on, ...template } = expense()
    return person.post('/api/recurring', { ...template, starts_on, rrule: 'FREQ=MONTHLY;BYHOUR=9' })
  },
  dismissRecurringSuggestion: ({ person }) => person.post('/api/recurring/suggestions/dismiss', {}),
  listUpcoming: ({ person }) => person.get('/api/recurring/upcoming?days=0'),
  forecast: ({ person }) => person.get('/api/reports/forecast?to=2020-01-01'),
  updateRecurring: async ({ person, repeat }) =>
    person.put(`/api/recurring/${await repeat()}`, { from: '2026-12-21' }),
  updateOccurrence: async ({ person, repeat }) =>
    person.put(`/api/recurring/${await repeat()}/occurrences/2026-12-20`, { transaction_id: 999_999 }),
  recordOccurrence: async ({ person, repeat }) => {
    const path = `/api/recurring/${await repeat()}/occurrences/2026-12-20`
    await person.put(path, { skip: true })
    return person.post(`${path}/record`)
  },
  listBalanceChecks: ({ person }) => person.get('/api/balance-checks?state=wrong'),
  createBalanceCheck: async ({ person, checking, checkBalance }) => {
    await checkBalance()
    const [{ date }] = (await person.get('/api/balance-checks')).body
    return person.post('/api/balance-checks', { account_id: checking.id, date, balance: 5 })
  },
  updateBalanceCheck: async ({ person, checkBalance }) =>
    person.put(`/api/balance-checks/${await checkBalance()}`, { date: '2100-01-01' }),
  reportMonths: ({ person }) => person.get('/api/reports/monthly?from=2026'),
  reportBalances: ({ person }) => person.get('/api/reports/balances?every=year'),
  showSummary: ({ person }) => person.get('/api/summary?month=2026-13'),
  exportEverything: ({ person }) => person.get('/api/export?from=2026-01-01'),
}

/** A row and a check on an account that is reconciled through October. */
async function reconcile({ person, expense }: Household) {
  const account: Json = await openAccount(person, { name: 'Savings', starting_balance: '100.00' })
  const fields = { ...expense(), account_id: account.id, transaction_date: '2026-10-12' }
  const row = await recordTransaction(person, fields)
  const last = { account_id: account.id, date: '2026-10-31' }
  const check: Json = (await person.post('/api/balance-checks', { ...last, balance: '87.50' })).body
  await person.put(`/api/accounts/${account.id}`, { reconciled_through: last.date })
  return { row, check }
}

const examples = Object.values(openApiDocument(app.routes).paths)
  .flatMap((methods) => Object.entries(methods))
  .filter(([method]) => method !== 'patch')
  .flatMap(([, { operationId, responses }]) => {
    const invalid = responses[422]
    if (!invalid || '$ref' in invalid) return []
    return [{ operationId, example: invalid.content?.['application/json']?.example }]
  })

let household: Household
beforeAll(async () => {
  household = await createHousehold(createWorld())
})

test.for(examples)(
  'the example of the 422 of $operationId is what the service responds with',
  async ({ operationId, example }) => {
    const { status, body } = (await invalidCalls[operationId]?.(household)) ?? {}
    expect({ status, body }).toEqual({ status: 422, body: example })
  },
)
