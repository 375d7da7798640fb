import { beforeAll, expect, test } from 'vitest'
import { createWorld, type Json } from '../fixtures/world.ts'
import { createHousehold, type Household } from './every-route.ts'

/** A resource with a POST and a PUT. */
type Resource = {
  path: string
  /** A valid body of a POST. */
  body: (household: Household) => Json
  /** For each field that a client may mean to set, another value than the body's. */
  others: (household: Household, rule: number) => Json
  /** The fields that follow from the rest, which clients send back as they were shown. */
  computed: string[]
}

/** What identifies a row, and follows from its changes. */
const common = ['id', 'user_id', 'client_id', 'version', 'created_at', 'updated_at']
const occurrence = { recurring_id: 0, occurrence_date: '2026-12-20' }
const rule = {
  ...{ type: 'income', amount: '3.00', description: 'Tea', reference: 'R1' },
  ...{ starts_on: '2026-10-20', rrule: 'FREQ=WEEKLY', weekend: 'after', remind_days: 3, paused: true },
  ...{ auto_record: true, amount_tolerance: 5, exceptions: { '2026-12-20': { skip: true } } },
}
const ruleOf = ({ expense }: Household) => {
  const { transaction_date: starts_on, ...template } = expense()
  return { ...template, starts_on, rrule: 'FREQ=MONTHLY' }
}

let day = 0
const resources: Record<string, Resource> = {
  account: {
    path: '/api/accounts',
    body: () => ({ name: 'Giro', type: 'bank', starting_balance: 1 }),
    others: () => ({
      ...{ name: 'Purse', type: 'cash', starting_balance: '5.00', notes: 'Old', closed_on: '2026-01-01' },
      ...{ kind: 'savings', reconciled_through: '2026-10-31' },
    }),
    computed: ['balance'],
  },
  category: {
    path: '/api/categories',
    body: () => ({ name: crypto.randomUUID(), type: 'expense' }),
    others: () => ({ name: crypto.randomUUID(), type: 'income' }),
    computed: [],
  },
  transaction: {
    path: '/api/transactions',
    body: ({ expense }) => ({ ...expense(), force: true }),
    others: ({ cash, category }, recurring_id) => ({
      ...{ account_id: cash.id, to_account_id: cash.id, category_id: category.id + 1, type: 'income' },
      ...{ amount: '3.00', description: 'Tea', reference: 'R1', transaction_date: '2026-11-02' },
      ...{ booked_on: '2026-11-03', to_booked_on: '2026-11-03', ...occurrence, recurring_id },
    }),
    computed: ['import_id', 'is_synced'],
  },
  'recurring transaction': {
    path: '/api/recurring',
    body: ruleOf,
    others: ({ cash, category }) => ({
      ...{ account_id: cash.id, to_account_id: cash.id, category_id: category.id + 1, ...rule },
    }),
    computed: ['open_from', 'next', 'successor_id', 'past'],
  },
  'balance check': {
    path: '/api/balance-checks',
    body: ({ checking }) => {
      day += 1
      return {
        account_id: checking.id,
        date: new Date(Date.UTC(2026, 0, day)).toISOString().slice(0, 10),
        balance: 1,
      }
    },
    others: ({ cash }) => ({ account_id: cash.id, date: '2025-12-31', balance: '5.00' }),
    computed: ['source', 'import_id', 'ledger_balance', 'difference', 'state', 'broken_at'],
  },
}
const each = Object.keys(resources)

let household: Household
let ruleId: number
beforeAll(async () => {
  household = await createHousehold(createWorld({ GENERAL_LIMIT_ENABLED: 'false' }))
  ruleId = await household.repeat()
})

const create = async ({ path, body }: Resource): Promise<Json> =>
  (await household.person.post(path, body(household))).body

/** The fields of which the response says nothing, and which it does not show as they were sent. */
function dropped(sent: Json, { status, body }: { status: number; body: Json }): string[] {
  return Object.keys(sent).filter((field) => {
    const isRefused = status === 422 && Object.keys(body.errors).some((one) => one.split('.')[0] === field)
    return !isRefused && JSON.stringify(body[field]) !== JSON.stringify(sent[field])
  })
}

test.each(each)('%s: every field that it shows is one that this law knows', async (noun) => {
  const resource = resources[noun] as Resource
  const known = [...common, ...resource.computed, ...Object.keys(resource.others(household, ruleId))]
  expect(Object.keys(await create(resource)).filter((field) => !known.includes(field))).toEqual([])
})

test.each(each)('%s: a field that it shows is used or refused, in POST and in PUT', async (noun) => {
  const resource = resources[noun] as Resource
  const { person } = household
  for (const [field, value] of Object.entries(resource.others(household, ruleId))) {
    const posted = await person.post(resource.path, { ...resource.body(household), [field]: value })
    expect(['POST', ...dropped({ [field]: value }, posted)]).toEqual(['POST'])
    if (posted.status < 300) await person.delete(`${resource.path}/${posted.body.id}`)
    const { id } = await create(resource)
    const put = await person.put(`${resource.path}/${id}`, { [field]: value })
    expect(['PUT', ...dropped({ [field]: value }, put)]).toEqual(['PUT'])
    await person.delete(`${resource.path}/${id}`)
  }
})

test.each(each)('%s: a row may be sent back as it was shown', async (noun) => {
  const resource = resources[noun] as Resource
  const { person } = household
  const shown = await create(resource)
  expect((await person.put(`${resource.path}/${shown.id}`, shown)).status).toBe(200)
  const { id, client_id, ...fields } = shown
  await person.delete(`${resource.path}/${id}`)
  expect((await person.post(resource.path, { ...fields, force: true })).status).toBe(201)
})

test('an occurrence and a rule with exceptions may be sent back as they were shown', async () => {
  const { person, repeat } = household
  const path = `/api/recurring/${await repeat()}`
  await person.put(`${path}/occurrences/2027-01-20`, { amount: 3 })
  await person.put(`${path}/occurrences/2026-12-20`, { skip: true })
  const { body: row } = await person.post(`${path}/occurrences/2027-01-20/record`)
  const old = { ...row, recurring_id: null, occurrence_date: null }
  for (const sent of [row, old]) {
    const { status, body } = await person.put(`/api/transactions/${row.id}`, sent)
    expect([status, body.recurring_id, body.occurrence_date]).toEqual([200, row.recurring_id, '2027-01-20'])
  }
  const { body: shown } = await person.get(path)
  expect(Object.keys(shown.exceptions)).toEqual(['2026-12-20', '2027-01-20'])
  expect((await person.put(path, shown)).body.exceptions).toEqual(shown.exceptions)
})
