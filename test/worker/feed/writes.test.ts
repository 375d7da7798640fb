import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { expectWhole, FeedCopy } from '../fixtures/feed-copy.ts'
import { createWorld, type Json, signInThroughProvider, verifyAddress } from '../fixtures/world.ts'
import { sendFile } from '../imports/send-file.ts'
import { askDatabase, createHousehold, type Household, importOne } from '../laws/every-route.ts'

/** A household with a copy that has seen everything so far. */
async function withCopy() {
  const household = await createHousehold(createWorld())
  for (let n = 0; n < 3; n++) await household.spend()
  const copy = new FeedCopy(household.person)
  await copy.pull()
  return { ...household, household, copy }
}

type Write = (household: Household) => Promise<unknown>

const writes: Record<string, { write: Write; tells: string[] }> = {
  'opening, changing and deleting an account': {
    write: async ({ person }) => {
      const { body } = await person.post('/api/accounts', { name: 'A', type: 'bank', starting_balance: 5 })
      await person.put(`/api/accounts/${body.id}`, { starting_balance: 7 })
      const other = await person.post('/api/accounts', { name: 'B', type: 'bank', starting_balance: 5 })
      await person.delete(`/api/accounts/${other.body.id}`)
    },
    tells: ['account', 'account null'],
  },
  'adding, changing and deleting a category': {
    write: async ({ person, category }) => {
      const { body } = await person.post('/api/categories', { name: 'A', type: 'income' })
      await person.put(`/api/categories/${body.id}`, { name: 'B' })
      await person.delete(`/api/categories/${category.id}`)
    },
    tells: ['category', 'category null'],
  },
  'recording, changing and deleting a transaction': {
    write: async ({ person, cash, spend }) => {
      const [one, other] = [await spend(), await spend()]
      await person.put(`/api/transactions/${one.id}`, { account_id: cash.id, description: 'x' })
      await person.delete(`/api/transactions/${other.id}`)
    },
    tells: ['transaction', 'transaction null'],
  },
  'a batch': {
    write: async ({ world, person, expense }) => {
      const transactions = [1, 2, 3].map((n) => ({ ...expense(), amount: n, client_id: `phone-${n}` }))
      await person.post('/api/transactions/sync', { transactions })
      await world.deliverSyncs()
    },
    tells: ['transaction', 'transaction', 'transaction'],
  },
  'an import with a new category, and undoing another': {
    write: async (household) => {
      const { person, checking } = household
      const csv = 'date,amount,category\n2026-11-01,-5,Hobby\n2026-11-02,-6,Hobby\n'
      const { body } = await sendFile(household, `store?account_id=${checking.id}`, csv)
      expect(body.import.counts.created).toBe(2)
      await person.delete(`/api/imports/${await importOne(household)}`)
    },
    tells: ['category', 'transaction', 'transaction', 'transaction null'],
  },
  'an import that is a dry run': {
    write: ({ person, expense }) =>
      person.post('/api/import/store', { transactions: [{ ...expense(), amount: 7 }], dry_run: true }),
    tells: [],
  },
  'a change of the profile': {
    write: ({ person }) => person.patch('/api/me', { name: 'Ada', reminder_time: null }),
    tells: ['profile'],
  },
  'a write that is refused': {
    write: ({ person, cash }) => person.put(`/api/accounts/${cash.id}`, { type: 'shoe' }),
    tells: [],
  },
}

test.each(Object.entries(writes))(
  '%s is reported, and leaves the copy complete',
  async (_, { write, tells }) => {
    const { person, household, copy } = await withCopy()
    await write(household)
    const [page] = await copy.pull()
    const told = page.changes.map(({ noun, data }: Json) => (data ? noun : `${noun} null`))
    expect(told.sort()).toEqual(tells.sort())
    await expectWhole(copy, person)
  },
)

test('deleting an account is one entry, and removing what it held later adds none', async () => {
  const { world, person, checking, cash, expense, copy } = await withCopy()
  const transfer = { ...expense(), type: 'transfer', category_id: null, to_account_id: cash.id }
  await person.post('/api/transactions', transfer)
  await person.post('/api/transactions', { ...expense(), account_id: cash.id })
  await copy.pull()
  await person.delete(`/api/accounts/${checking.id}`)
  const [page] = await copy.pull()
  expect(page.changes).toEqual([{ noun: 'account', id: checking.id, data: null }])
  expect(copy.transactions.size).toBe(1)
  await expectWhole(copy, person)
  await world.removeDeleted()
  expect((await copy.pull())[0].changes).toEqual([])
  await expectWhole(copy, person)
})

test('a snapshot leaves out what a deleted account held, before it is removed and after', async () => {
  const { world, person, checking, cash, expense } = await withCopy()
  await person.post('/api/transactions', { ...expense(), account_id: cash.id })
  await person.delete(`/api/accounts/${checking.id}`)
  for (const remove of [async () => undefined, world.removeDeleted]) {
    await remove()
    const copy = new FeedCopy(person)
    await copy.pull(2)
    expect(copy.transactions.size).toBe(1)
    await expectWhole(copy, person)
  }
})

test('verifying the address and signing in through the provider are changes of the profile', async () => {
  const world = createWorld()
  const person = await world.register({ email: `${crypto.randomUUID()}@example.com` })
  const copy = new FeedCopy(person)
  await copy.pull()
  await verifyAddress(world, person)
  expect((await copy.pull())[0].changes).toMatchObject([{ noun: 'profile', id: person.id }])
  expect(copy.profile.email_verified_at).not.toBeNull()
  // The provider vouches for the address, so whoever registered without proof is signed out.
  const { token } = await signInThroughProvider(world, person.email)
  const { body } = await world.call('GET', `/api/changes?cursor=${copy.cursor}`, { token })
  expect(body.changes).toMatchObject([{ noun: 'profile', data: { idp_id: expect.any(String) } }])
})

test('a change of any field that GET /api/me shows is one of the profile, a new field included', async () => {
  const world = createWorld()
  const person = await world.register()
  const columns = await askDatabase(
    world,
    sql`select name, lower(type) as type from pragma_table_info('users')`,
  )
  const isText = (field: string) => columns.some(({ name, type }) => name === field && type === 'text')
  const formatted: Record<string, string> = { email: 'other@example.com', reminder_time: '07:15' }
  const { body: me } = await person.get('/api/me')
  const fields = Object.keys(me).filter((field) => field !== 'id')
  expect(fields).toContain('timezone')
  for (const field of fields) {
    const { body: start } = await person.get('/api/changes?start=now')
    const value = isText(field) ? (formatted[field] ?? `another ${field}`) : 1_000
    await askDatabase(
      world,
      sql`update users set ${sql.identifier(field)} = ${value} where id = ${person.id} returning id`,
    )
    const { body } = await person.get(`/api/changes?cursor=${start.cursor}`)
    expect([field, body.changes]).toMatchObject([field, [{ noun: 'profile', id: person.id }]])
  }
})

test('a deleted user leaves nothing in the log', async () => {
  const { world, person, copy } = await withCopy()
  await person.delete('/api/me', { password: person.password })
  await world.removeDeleted()
  expect((await person.get(`/api/changes?cursor=${copy.cursor}`)).status).toBe(401)
  expect(await askDatabase(world, sql`select count(*) as entries from changes`)).toEqual([{ entries: 0 }])
})
