import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { databaseOf } from '../../../scale/ids.ts'
import { keptTables, movingTables } from '../../../scale/move.ts'
import { findDifferences } from '../../../src/db/check.ts'
import { openDatabase } from '../../databases/open.ts'
import { toQueue } from '../answers.ts'
import { expectWhole, FeedCopy } from '../feed-copy.ts'
import type { Json } from '../world.ts'
import { createDatabases, type Databases, deadUrl, type Resident } from './many-databases.ts'

const today = '2026-11-20'

test('somebody who has moved finds everything as it was, with the ids it had and the token they have', async () => {
  const world = await createDatabases(4)
  const person = await somebodyWithAHistory(world)
  const neighbour = await somebodyWithAHistory(world)
  const [before, beside] = [await everythingOf(person), await everythingOf(neighbour)]

  await world.add()
  await world.move(person.id, 0, 4)
  expect(await everythingOf(person)).toEqual(before)
  expect(await everythingOf(neighbour)).toEqual(beside)
  expect(await peopleIn(world)).toEqual([1, 0, 0, 0, 1])
  for (const { db } of world.numbered) expect(await findDifferences(db)).toEqual([])
  const { db } = world.database(0)
  const [[left]] = await db.batch([db.all<Json>(sql`select count(*) as n from departures`)])
  expect(left.n).toBe(0)

  // The first request asked the directory; from then on it is one round trip again.
  expect(await world.requestsDuring(() => person.get('/api/summary'))).toEqual([0, 0, 0, 0, 1, 0])
})

test('after a move everything that leads to a user leads to the new database', async () => {
  const world = await createDatabases(2)
  const person = await somebodyWithAHistory(world)
  const { email, password } = person
  await world.call('POST', '/api/forgot-password', { body: { email } })
  await world.move(person.id, 0, 1)

  const signedIn = await world.call('POST', '/api/login', { body: { email, password } })
  expect(databaseOf(Number.parseInt(signedIn.body.access_token, 10))).toBe(1)
  expect((await world.verify(person)).headers.get('Location')).toContain('verified=already')
  // What is created there has ids from its own range.
  const account = (await person.post('/api/accounts', { name: 'New', type: 'cash', starting_balance: 0 }))
    .body
  expect(databaseOf(account.id)).toBe(1)
  const token = new URL(world.mail('reset_password', email).url).searchParams.get('token')
  const reset = { token, email, password: 'another password', password_confirmation: 'another password' }
  expect((await world.call('POST', '/api/reset-password', { body: reset })).status).toBe(200)
  expect((await person.get('/api/me')).status).toBe(401)
  const again = { name: 'B', email, password, password_confirmation: password }
  expect((await world.call('POST', '/api/register', { body: again })).status).toBe(422)
})

test('a directory that is made anew knows those who have moved', async () => {
  const world = await createDatabases(2)
  const person = await world.register()
  await world.move(person.id, 0, 1)
  await world.directoryDb.batch([world.directoryDb.run(sql`delete from homes`)])
  for (const { number } of world.numbered) await world.enrol(number)
  // No isolate remembers where the token has moved to.
  world.reconfigure({})
  expect((await person.get('/api/summary')).status).toBe(200)
  expect((await world.verify(person)).headers.get('Location')).toContain('verified=1')
})

test('a batch that was accepted before the move is processed after it, once', async () => {
  const world = await createDatabases(2)
  const person = await somebodyWithAHistory(world)
  const { body: accounts } = await person.get('/api/accounts')
  const items = [1, 2, 3].map((n) => ({ ...expense(accounts[0].id, n), client_id: `phone-${n}` }))
  const options = toQueue(person.token, items)
  const accepted = await world.call('POST', '/api/transactions/sync', options)
  await world.move(person.id, 0, 1)

  // Its message still names the old database, where there is nothing any more.
  await world.deliver('purse-sync', world.syncs.splice(0))
  const status = `/api/transactions/sync/${accepted.body.sync_id}`
  const { db } = world.database(1)
  await world.runCron('* * * * *')
  expect(world.syncs.map(({ home }) => home)).toEqual([1])
  expect((await person.get(status)).body.status).toBe('pending')
  await world.deliver('purse-sync', world.syncs)
  await world.deliver('purse-sync', world.syncs)
  expect((await person.get(status)).body.counts).toMatchObject({ total: 3, created: 3 })
  expect(await findDifferences(db)).toEqual([])
})

test('a cursor from before a move works after it, and misses nothing', async () => {
  const world = await createDatabases(2)
  const person = await somebodyWithAHistory(world)
  const copy = new FeedCopy(person)
  await copy.pull()
  const snapshot = new FeedCopy(person)
  await snapshot.page(3)
  const [{ id: kept }, { id: closed }] = (await person.get('/api/accounts')).body
  const [gone] = (await person.get('/api/transactions')).body.data
  await person.delete(`/api/transactions/${gone.id}`)
  await person.put(`/api/accounts/${kept}`, { name: 'Renamed' })

  await world.move(person.id, 0, 1)
  await person.put(`/api/accounts/${kept}`, { notes: 'Moved' })
  await person.delete(`/api/accounts/${closed}`)
  const [page] = await copy.pull()
  expect(page).toMatchObject({ snapshot: false, has_more: false })
  expect(page.changes.map(({ noun, id, data }: Json) => [noun, id, data?.notes])).toEqual([
    ['transaction', gone.id, undefined],
    ['account', kept, 'Moved'],
    ['account', closed, undefined],
  ])
  await expectWhole(copy, person)
  await snapshot.pull(3)
  await expectWhole(snapshot, person)
})

test('a user moves with a deleted account that is still to be removed, and its client ids stay spent', async () => {
  const world = await createDatabases(2)
  const person = await somebodyWithAHistory(world)
  const [checking, savings] = (await person.get('/api/accounts')).body
  const [one, two] = (await person.get(`/api/transactions?account_id=${savings.id}&type=expense`)).body.data
  const twins = [one.id, two.id]
  await person.put(`/api/transactions/${one.id}`, { amount: two.amount })
  expect((await person.post('/api/matches/join', { kind: 'duplicate', ids: twins })).status).toBe(200)
  const other = (await person.get(`/api/transactions?account_id=${checking.id}`)).body.data[0].id
  const rejected = { kind: 'transfer', ids: [twins[0], other] }
  expect((await person.post('/api/matches/reject', rejected)).status).toBe(204)
  const [third, gone, kept] = (await person.get(`/api/transactions?account_id=${checking.id}&type=expense`))
    .body.data
  await person.put(`/api/transactions/${gone.id}`, { amount: kept.amount })
  await person.post('/api/matches/join', { kind: 'duplicate', ids: [kept.id, gone.id] })
  await person.post('/api/matches/reject', { kind: 'duplicate', ids: [kept.id, third.id] })
  await person.delete(`/api/accounts/${savings.id}`)
  await world.move(person.id, 0, 1)

  const { db } = world.database(1)
  const [rejections] = await db.batch([
    db.all<{ first_id: number; second_id: number }>(sql`select first_id, second_id from rejected_matches`),
  ])
  expect(rejections).toEqual([{ first_id: kept.id, second_id: third.id }])
  expect((await person.post('/api/matches/separate', { id: kept.id })).body.transactions).toHaveLength(2)
  const again = { ...expense(checking.id, 8), category_id: (await person.get('/api/categories')).body[0].id }
  const answer = await person.post('/api/transactions', { ...again, client_id: 'phone' })
  expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ['client_id']])
  expect(await findDifferences(db)).toEqual([])
})

test('a long history moves in parts, each row once', async () => {
  const world = await createDatabases(2)
  const person = await somebodyWithAHistory(world)
  const { body: accounts } = await person.get('/api/accounts')
  const texts = { description: 'd'.repeat(250), reference: 'r'.repeat(250) }
  const items = Array.from({ length: 1_000 }, (_, n) => ({ ...expense(accounts[0].id, n + 1), ...texts }))
  for (let n = 0; n < 3; n++) await person.post('/api/transactions/sync', { transactions: items })
  while (world.syncs.length > 0) await world.deliver('purse-sync', world.syncs.splice(0))
  const before = await everythingOf(person)
  expect(before[3].total).toBe(3_008)
  await world.move(person.id, 0, 1)
  expect(await everythingOf(person)).toEqual(before)
  const { db } = world.database(1)
  expect(await findDifferences(db)).toEqual([])
  const [arrivals] = await db.batch([
    db.all<{ step: number; parts: number }>(sql`select step, count(*) as parts from arrivals group by step`),
  ])
  const partsOf = (table: string) => arrivals.find(({ step }) => movingTables[step] === table)?.parts
  expect(['users', 'accounts', 'transactions', 'sync_parts'].map(partsOf)).toEqual([1, 1, 2, 2])
})

test('with requests in flight, a move loses nothing and does nothing twice', async () => {
  const world = await createDatabases(4)
  const person = await somebodyWithAHistory(world)
  const { body: accounts } = await person.get('/api/accounts')
  const category_id = (await person.get('/api/categories')).body[0].id
  const before = (await person.get('/api/transactions')).body.total
  await world.add()

  let isMoving = true
  let [recorded, signedIn, sentAway] = [0, 0, 0]
  /** Retries like a client that is told to come back later, which only a 503 says. */
  async function persist(expected: number, send: () => Promise<{ status: number }>): Promise<void> {
    for (;;) {
      const { status } = await send()
      if (status === expected) return
      expect(status).toBe(503)
      sentAway += 1
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const writers = [0, 1, 2, 3].map(async (writer) => {
    for (let n = 0; isMoving || n < 5; n++) {
      await persist(201, () =>
        person.post('/api/transactions', { ...expense(accounts[writer % 2].id, 1), category_id }),
      )
      recorded += 1
    }
  })
  const reader = (async () => {
    while (isMoving) await persist(200, () => person.get('/api/summary'))
  })()
  const tokens: string[] = []
  const signer = (async () => {
    const { email, password } = person
    while (isMoving) {
      await persist(200, async () => {
        const answer = await world.call('POST', '/api/login', {
          body: { email, password },
          headers: { 'CF-Connecting-IP': `10.9.${signedIn >> 8}.${signedIn & 255}` },
        })
        if (answer.status === 200) tokens.push(answer.body.access_token)
        signedIn += 1
        return answer
      })
    }
  })()

  await new Promise((resolve) => setTimeout(resolve, 100))
  await world.move(person.id, 0, 4, { graceMs: 3_000 })
  isMoving = false
  await Promise.all([...writers, reader, signer])

  expect(recorded).toBeGreaterThan(20)
  expect(sentAway).toBeGreaterThan(0)
  expect((await person.get('/api/transactions')).body.total).toBe(before + recorded)
  for (const token of tokens) expect((await world.as(token).get('/api/me')).body.id).toBe(person.id)
  expect(await peopleIn(world)).toEqual([0, 0, 0, 0, 1])
  for (const { db } of world.numbered) expect(await findDifferences(db)).toEqual([])
})

test('a move that broke off half-way sends the user away until it is finished', async () => {
  const world = await createDatabases(2)
  const person = await somebodyWithAHistory(world)
  const before = await everythingOf(person)
  // It cannot be reached any more when it is needed, for the first parts to arrive.
  const { db } = world.database(1)
  const breaking = openDatabase({ url: deadUrl, timeoutMs: 1_000 })
  let requests = 0
  const sendToDead = breaking.send
  breaking.send = (statements) => {
    requests += 1
    return requests > 3 ? sendToDead(statements) : db.send(statements)
  }
  await expect(world.move(person.id, 0, 1, { db: breaking })).rejects.toThrow()

  const { email, password } = person
  expect((await person.get('/api/summary')).status).toBe(503)
  expect((await world.call('POST', '/api/login', { body: { email, password } })).status).toBe(503)
  await world.move(person.id, 0, 1)
  expect(await everythingOf(person)).toEqual(before)
  expect((await world.call('POST', '/api/login', { body: { email, password } })).status).toBe(200)
  expect(await peopleIn(world)).toEqual([0, 1])
})

test('nobody moves to a database with a lower number, and somebody who has left is forgotten', async () => {
  const world = await createDatabases(2)
  const person = await somebodyWithAHistory(world)
  await expect(world.move(person.id, 1, 0)).rejects.toThrow('higher number')
  const { email, password } = person
  expect((await person.delete('/api/me', { password })).status).toBe(204)
  await world.move(person.id, 0, 1)
  expect(await peopleIn(world)).toEqual([0, 0])
  expect((await world.call('POST', '/api/login', { body: { email, password } })).status).toBe(422)
})

test('what a move leaves behind is removed there and nowhere else; whoever has left does not move', async () => {
  const world = await createDatabases(2)
  const [person, gone] = [await somebodyWithAHistory(world), await somebodyWithAHistory(world)]
  await gone.delete('/api/me', { password: gone.password })
  world.removals.length = 0
  const before = await everythingOf(person)
  await world.move(person.id, 0, 1)
  await world.move(gone.id, 0, 1)
  await world.runCron('17 * * * *')
  expect(world.removals).toEqual([person.id, gone.id].sort().map((user_id) => ({ user_id, home: 0 })))
  await world.deliver('purse-removal', world.removals.splice(0))
  expect(world.removals).toEqual([])
  const tables = [...keptTables, ...movingTables, 'former_users', 'departures']
  const left = tables.map((table) => sql`select ${table} as "table" from ${sql.identifier(table)}`)
  const { db } = world.database(0)
  const [rows] = await db.batch([db.all<{ table: string }>(sql.join(left, sql` union all `))])
  expect(rows).toEqual([])
  expect(await everythingOf(person)).toEqual(before)
  expect((await person.get('/api/me')).body.id).toBe(person.id)
  expect(await peopleIn(world)).toEqual([0, 1])
})

test('every table that belongs to a user moves, or is computed again', async () => {
  const world = await createDatabases(1)
  const { db } = world.database(0)
  const [tables] = await db.batch([
    db.all<{ name: string }>(sql`
      select t.name from sqlite_master t, pragma_table_info(t.name) c
       where t.type = 'table' and c.name in ('user_id', 'batch_id') group by t.name`),
  ])
  const belonging = [...tables.map(({ name }) => name), 'users']
  expect(belonging.sort()).toEqual([...movingTables, ...keptTables].sort())
})

/** Somebody in number 0 with rows in every table. */
async function somebodyWithAHistory(world: Databases): Promise<Resident> {
  world.reconfigure({ NEWCOMER_DATABASES: '0' })
  const person = await world.register()
  world.reconfigure({})
  await world.verify(person)
  const open = (name: string) => person.post('/api/accounts', { name, type: 'bank', starting_balance: 100 })
  const [checking, savings] = [(await open('Checking')).body.id, (await open('Savings')).body.id]
  const { body: categories } = await person.get('/api/categories')
  const record = async (fields: Record<string, unknown>) => {
    const answer = await person.post('/api/transactions', { category_id: categories[0].id, ...fields })
    expect(answer.status).toBe(201)
    return answer.body
  }
  for (let n = 1; n <= 5; n++) await record(expense(checking, n))
  await record({ ...expense(checking, 25), type: 'transfer', to_account_id: savings, category_id: null })
  const deleted = await record({ ...expense(savings, 9), client_id: 'spent' })
  await person.delete(`/api/transactions/${deleted.id}`)
  const rows = {
    transactions: [{ ...expense(savings, 7), description: 'Ünïcode "quoted"', reference: '007' }],
  }
  await person.post('/api/import/store', rows)
  await person.post('/api/transactions/sync', {
    transactions: [{ ...expense(savings, 8), client_id: 'phone' }],
  })
  expect((await person.get('/api/transactions')).body.total).toBe(8)
  return person
}

function expense(account: number, amount: number) {
  return { account_id: account, type: 'expense', amount, transaction_date: today, force: true }
}

async function everythingOf(person: Resident): Promise<Json[]> {
  const paths = [
    '/api/me',
    '/api/accounts',
    '/api/categories',
    '/api/transactions',
    '/api/summary',
    '/api/imports',
    '/api/tokens',
  ]
  const answers = await Promise.all(paths.map((path) => person.get(path)))
  expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200))
  return answers.map(({ body }) => body)
}

/** How many users each database has. */
function peopleIn(world: Databases): Promise<number[]> {
  return Promise.all(
    world.numbered.map(async ({ db }) => {
      const [[row]] = await db.batch([db.all<{ n: number }>(sql`select count(*) as n from users`)])
      return row?.n ?? 0
    }),
  )
}
