import { expect, test } from 'vitest'
import { expectWhole, FeedCopy } from '../fixtures/feed-copy.ts'
import { createWorld, expectInvalid } from '../fixtures/world.ts'
import { createHousehold } from '../laws/every-route.ts'

test('a snapshot is everything, and a pull what has changed since, each row once and as it is now', async () => {
  const household = await createHousehold(createWorld())
  const { person, cash, category, spend } = household
  const [kept, deleted] = [await spend(), await spend()]
  const copy = new FeedCopy(person)
  const [snapshot] = await copy.pull()
  expect(snapshot).toMatchObject({ has_more: false, snapshot: true })
  await expectWhole(copy, person)

  await person.put(`/api/transactions/${kept.id}`, { amount: '1.00' })
  await person.put(`/api/transactions/${kept.id}`, { amount: '2.00' })
  await person.delete(`/api/transactions/${deleted.id}`)
  await person.put(`/api/accounts/${cash.id}`, { name: 'Purse' })
  await person.delete(`/api/categories/${category.id}`)
  const [page] = await copy.pull()
  expect(page).toMatchObject({
    changes: [
      { noun: 'transaction', id: kept.id, data: { amount: '2.00', category_id: null } },
      { noun: 'transaction', id: deleted.id, data: null },
      { noun: 'account', id: cash.id, data: { name: 'Purse', version: 2 } },
      { noun: 'category', id: category.id, data: null },
    ],
    has_more: false,
    snapshot: false,
  })
  await expectWhole(copy, person)

  const [nothing] = await copy.pull()
  expect(nothing).toMatchObject({ changes: [], cursor: page.cursor, has_more: false })
})

test.each(['before what is left is removed', 'after that'])(
  'a transaction that moved to an account which was then deleted is gone for those who knew it elsewhere, %s',
  async (when) => {
    const world = createWorld()
    const { person, cash, checking, spend } = await createHousehold(world)
    const [moved, received] = [await spend(), await spend()]
    const copy = new FeedCopy(person)
    await copy.pull()
    await person.put(`/api/transactions/${moved.id}`, { account_id: cash.id })
    await person.put(`/api/transactions/${received.id}`, { type: 'transfer', to_account_id: cash.id })
    await person.put(`/api/transactions/${moved.id}`, { amount: '2.00' })
    const other = new FeedCopy(person)
    Object.assign(other, { cursor: copy.cursor })
    expect((await other.page(1)).changes).toMatchObject([{ id: moved.id, data: { account_id: cash.id } }])
    await person.delete(`/api/accounts/${cash.id}`)
    if (when === 'after that') await world.removeDeleted()
    await copy.pull(1)
    await expectWhole(copy, person)
    expect([...copy.accounts.keys()]).toEqual([checking.id])
  },
)

test('start=now gives only a cursor, for what changes from now on', async () => {
  const { person, spend } = await createHousehold(createWorld())
  await spend()
  const { body } = await person.get('/api/changes?start=now')
  expect(body).toMatchObject({ changes: [], has_more: false, snapshot: false })
  const { id } = await spend()
  const { body: next } = await person.get(`/api/changes?cursor=${body.cursor}`)
  expect(next.changes).toMatchObject([{ noun: 'transaction', id }])
})

test.each([
  ['cursor', 'abc', 'The selected cursor is invalid.'],
  ['cursor', '%00', 'The cursor field contains characters that cannot be stored.'],
  ['cursor', 'W10', 'The selected cursor is invalid.'],
  ['limit', '0', 'The limit field must be an integer from 1 to 1000.'],
  ['limit', '1001', 'The limit field must be an integer from 1 to 1000.'],
  ['limit', 'many', 'The limit field must be an integer from 1 to 1000.'],
  ['start', 'yesterday', 'The selected start is invalid.'],
])('%s=%s is a 422', async (name, value, text) => {
  const person = await createWorld().register()
  expectInvalid(await person.get(`/api/changes?${name}=${value}`), { [name]: [text] })
})

test('a cursor of another user is a 410', async () => {
  const world = createWorld()
  const [one, other] = [await world.register(), await world.register()]
  const { cursor } = (await one.get('/api/changes')).body
  const response = await other.get(`/api/changes?cursor=${cursor}`)
  expect([response.status, response.body]).toEqual([
    410,
    { message: 'The cursor is no longer valid.', code: 'cursor_expired' },
  ])
})
