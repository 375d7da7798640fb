import { beforeAll, describe, expect, test } from 'vitest'
import { createWorld } from '../fixtures/world.ts'
import {
  createHousehold,
  goodCall,
  type Household,
  importOne,
  protectedRoutes,
  rememberLayout,
} from './every-route.ts'

const rowRoutes = protectedRoutes.filter((route) => route.includes(':id'))
const noRows = ['0', '-1', '1e3', 'abc', '1.5', '9'.repeat(20), '999999', '%20', '1%00', 'null', '١']

/** What the id in a path refers to, by the path before it, and how a household gets one. */
const rows: Record<string, { noun: string; idOf: (household: Household) => Promise<string | number> }> = {
  '/api/accounts': { noun: 'Account', idOf: async ({ cash }) => cash.id },
  '/api/categories': { noun: 'Category', idOf: async ({ category }) => category.id },
  '/api/recurring': { noun: 'Recurring transaction', idOf: ({ repeat }) => repeat() },
  '/api/balance-checks': { noun: 'Balance check', idOf: ({ checkBalance }) => checkBalance() },
  '/api/transactions': { noun: 'Transaction', idOf: async ({ spend }) => (await spend()).id },
  '/api/tokens': { noun: 'Token', idOf: async ({ person }) => person.token.split('|')[0] ?? '' },
  '/api/imports': { noun: 'Import', idOf: importOne },
  '/api/imports/layouts': { noun: 'Layout', idOf: rememberLayout },
  '/api/transactions/sync': {
    noun: 'Sync batch',
    idOf: async ({ person, expense }) =>
      (await person.post('/api/transactions/sync', { transactions: [expense()] })).body.sync_id,
  },
}

let requester: Household
beforeAll(async () => {
  requester = await createHousehold(createWorld())
})

describe.each(rowRoutes)('%s', (route) => {
  const [method = '', path = ''] = route.split(' ')
  const row = rows[path.slice(0, path.indexOf('/:id'))]
  const body = method === 'PUT' || method === 'PATCH' ? {} : undefined

  test("is 403 on another user's row, and does nothing to it", async () => {
    const world = createWorld()
    const owner = await createHousehold(world)
    const id = await row?.idOf(owner)
    const before = await everything(owner)

    const stranger = await createHousehold(world)
    const response = await world.call(method, path.replace(':id', String(id)), {
      token: stranger.person.token,
      body,
    })
    expect(response.status).toBe(403)
    expect(response.body).toEqual({ message: 'This action is unauthorized.' })
    expect(await everything(owner)).toEqual(before)
  })

  test.each(noRows)('is 404 for the id %s', async (id) => {
    const { world, person } = requester
    const response = await world.call(method, path.replace(':id', id), { token: person.token, body })
    expect(response.status).toBe(404)
    expect(response.body).toEqual({ message: `${row?.noun} not found.` })
  })
})

describe('an id in a body', () => {
  test.each(['account_id', 'to_account_id', 'category_id'])(
    'is the same 422 as %s, whether it is another user’s or does not exist',
    async (field) => {
      const world = createWorld()
      const owner = await createHousehold(world)
      const stranger = await createHousehold(world)
      const mine = await stranger.spend()
      const foreign = field === 'category_id' ? owner.category.id : owner.cash.id
      const type = field === 'to_account_id' ? 'transfer' : 'expense'
      const responses = []
      for (const id of [foreign, 999_999]) {
        const fields = { ...stranger.expense(), type, [field]: id }
        responses.push(await stranger.person.post('/api/transactions', fields))
        responses.push(await stranger.person.put(`/api/transactions/${mine.id}`, { type, [field]: id }))
      }
      const message = `The selected ${field.replaceAll('_', ' ')} is invalid.`
      for (const { status, body } of responses) {
        expect(status).toBe(422)
        expect(body).toEqual({ message: 'The given data was invalid.', errors: { [field]: [message] } })
      }
      expect((await owner.person.get('/api/transactions')).body.total).toBe(0)
    },
  )

  test('finds no row of another user through a filter', async () => {
    const world = createWorld()
    const owner = await createHousehold(world)
    await owner.spend()
    const stranger = await createHousehold(world)
    for (const filter of [`account_id=${owner.checking.id}`, `category_id=${owner.category.id}`]) {
      const { status, body } = await stranger.person.get(`/api/transactions?${filter}`)
      expect(status).toBe(200)
      expect(body).toMatchObject({ data: [], total: 0 })
    }
  })
})

test('no valid call of one user changes what another one sees', async () => {
  const world = createWorld()
  const bystander = await createHousehold(world)
  await bystander.spend()
  const before = await everything(bystander)
  const actor = await createHousehold(world)
  for (const route of protectedRoutes) {
    const { call, status } = await goodCall(route, actor)
    expect((await call(actor.person)).status, route).toBe(status)
  }
  expect(await everything(bystander)).toEqual(before)
})

/** Everything that a person can see of their data. */
async function everything({ person }: Awaited<ReturnType<typeof createHousehold>>) {
  const reports = [
    'summary?month=2020-01',
    'reports/monthly?to=2026-11',
    'reports/balances?to=2026-11-30&every=month',
  ]
  const paths = ['me', 'accounts', 'categories', 'transactions', ...reports]
  return Promise.all(paths.map(async (path) => (await person.get(`/api/${path}`)).body))
}
