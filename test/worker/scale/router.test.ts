import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { databaseOf, idsPerDatabase } from '../../../scale/ids.ts'
import { findDifferences } from '../../../src/db/check.ts'
import { toQueue } from '../answers.ts'
import { type Json, pathOf } from '../world.ts'
import { createDatabases, type Databases, deadUrl, type Resident } from './many-databases.ts'

test('a hundred people live in four databases, each with everything that is theirs in one of them', async () => {
  const world = await createDatabases(4)
  const people: Resident[] = []
  for (let i = 0; i < 100; i += 10) {
    const newcomers = Array.from({ length: 10 }, () => world.register())
    people.push(...(await Promise.all(newcomers)))
  }
  await Promise.all(people.map((person) => liveADay(person)))

  const numbers = people.map(({ id }) => databaseOf(id))
  for (const { number, db } of world.numbered) {
    const living = people.filter(({ id }) => databaseOf(id) === number)
    expect(living.length).toBeGreaterThan(5)
    const [[counted]] = await db.batch([
      db.all<Json>(sql`
        select (select count(*) from users) as users, (select count(*) from accounts) as accounts,
               (select count(*) from transactions) as transactions,
               (select min(id) from (select id from users union select id from tokens union select id from accounts
                 union select id from categories union select id from transactions)) as lowest,
               (select max(id) from transactions) as highest,
               (select count(*) from sqlite_sequence where typeof(seq) <> 'integer') as fractions`),
    ])
    const start = number * idsPerDatabase
    expect(counted).toMatchObject({
      users: living.length,
      accounts: living.length,
      transactions: living.length,
      fractions: 0,
    })
    expect(counted.lowest).toBe(start + 1)
    expect(counted.highest).toBe(start + living.length)
    expect(await findDifferences(db)).toEqual([])
  }
  expect(new Set(numbers).size).toBe(4)
  const [[settled]] = await world.directoryDb.batch([
    world.directoryDb.all<Json>(
      sql`select count(*) as homes, (select count(*) from users) as users from homes`,
    ),
  ])
  expect(settled).toEqual({ homes: 100, users: 0 })
})

test('a request with a token makes one round trip, to the database of its user and to no other', async () => {
  const world = await createDatabases(4)
  const residents = await oneOfEach(world)
  for (const [home, person] of residents.entries()) {
    const account = (await openAccount(person)).id
    const { body: categories } = await person.get('/api/categories')
    const expense = { account_id: account, category_id: categories[0].id, type: 'expense', amount: 5 }
    const calls = [
      () => person.get('/api/me'),
      () => person.get('/api/summary'),
      () => person.get('/api/transactions'),
      () => person.post('/api/transactions', { ...expense, transaction_date: '2026-11-20' }),
      () => person.put(`/api/accounts/${account}`, { name: 'Renamed' }),
      () => person.post('/api/logout'),
    ]
    for (const call of calls) {
      const expected = [0, 0, 0, 0, 0]
      expected[home] = 1
      expect(await world.requestsDuring(async () => expect((await call()).status).toBeLessThan(300))).toEqual(
        expected,
      )
    }
    // Revoked: the directory is asked too, since the token might have moved.
    const expected = [0, 0, 0, 0, 1]
    expected[home] = 1
    expect(
      await world.requestsDuring(async () => expect((await person.get('/api/me')).status).toBe(401)),
    ).toEqual(expected)
  }
})

test('a request without a token asks the directory, and the database where the address lives', async () => {
  const world = await createDatabases(4)
  const [, , person] = await oneOfEach(world)
  if (!person) throw new Error('Nobody lives in number 2')
  const { email, password } = person
  const signIn = () => world.call('POST', '/api/login', { body: { email: email.toUpperCase(), password } })
  expect(await world.requestsDuring(signIn)).toEqual([0, 0, 2, 0, 1])
  expect((await world.as((await signIn()).body.access_token).get('/api/me')).body.id).toBe(person.id)

  const forgot = () => world.call('POST', '/api/forgot-password', { body: { email } })
  expect(await world.requestsDuring(forgot)).toEqual([0, 0, 1, 0, 1])
  const mail = world.mail('reset_password', email)
  expect(mail.home).toBe(2)
  const token = new URL(mail.url).searchParams.get('token')
  const body = { token, email, password: 'another password', password_confirmation: 'another password' }
  const reset = async () =>
    expect((await world.call('POST', '/api/reset-password', { body })).status).toBe(200)
  expect(await world.requestsDuring(reset)).toEqual([0, 0, 2, 0, 1])
  expect((await person.get('/api/me')).status).toBe(401)

  // Somebody unknown reaches no database of users, and gets the same answer as from one.
  const stranger = { email: 'nobody@example.com', password }
  const refused = async () => {
    const answer = await world.call('POST', '/api/login', { body: stranger })
    expect(answer).toMatchObject({ status: 422, body: (await signIn()).body })
  }
  await refused()
  expect(await world.requestsDuring(() => world.call('POST', '/api/login', { body: stranger }))).toEqual([
    0, 0, 0, 0, 2,
  ])
})

test('links in emails lead to the database of their user', async () => {
  const world = await createDatabases(4)
  const [, person] = await oneOfEach(world)
  if (!person) throw new Error('Nobody lives in number 1')
  const link = pathOf(world.mail('verify_address', person.email).url)
  const follow = async () =>
    expect((await world.call('GET', link)).headers.get('Location')).toContain('verified=1')
  expect(await world.requestsDuring(follow)).toEqual([0, 2, 0, 0, 1])
  expect((await person.get('/api/email/verification-status')).body.email_verified).toBe(true)
})

test('of two simultaneous registrations of one address one succeeds, whichever database it is', async () => {
  const world = await createDatabases(4)
  for (let i = 0; i < 10; i++) {
    const email = `race${i}@example.com`
    const body = { name: 'A', email, password: 'long enough', password_confirmation: 'long enough' }
    const answers = await Promise.all(
      [email, ` ${email.toUpperCase()} `].map((spelt) =>
        world.call('POST', '/api/register', { body: { ...body, email: spelt } }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422])
  }
  const counts = await Promise.all(
    world.numbered.map(
      async ({ db }) => (await db.batch([db.all<Json>(sql`select count(*) as n from users`)]))[0][0].n,
    ),
  )
  expect(counts.reduce((sum, n) => sum + n, 0)).toBe(10)
})

test('an address stays where it was settled when newcomers go elsewhere', async () => {
  const world = await createDatabases(2)
  const person = await world.register()
  await world.add()
  world.reconfigure({ NEWCOMER_DATABASES: '2' })
  const { email, password } = person
  const taken = { name: 'B', email, password, password_confirmation: password }
  expect((await world.call('POST', '/api/register', { body: taken })).body.errors).toEqual({
    email: ['The email has already been taken.'],
  })
  expect(databaseOf((await world.register()).id)).toBe(2)
})

test('signing in through the provider finds the identity, then the address, then a place for somebody new', async () => {
  const world = await createDatabases(4)
  const address = `provided-${crypto.randomUUID()}@example.com`
  const first = await signInThroughProvider(world, address)
  const again = await signInThroughProvider(world, address)
  expect(again.id).toBe(first.id)
  expect(databaseOf(again.tokenId)).toBe(databaseOf(first.id))
  expect((await world.as(again.token).get('/api/me')).body.email).toBe(address)

  // Somebody with a password, who verified the address, is the same person in the same database.
  const person = await world.register({ email: `linked-${crypto.randomUUID()}@example.com` })
  await world.verify(person)
  expect((await signInThroughProvider(world, person.email)).id).toBe(person.id)

  // Somebody who has left signs up again, by the address.
  const path = '/api/me'
  expect((await world.call('DELETE', path, { token: again.token, body: { email: address } })).status).toBe(
    204,
  )
  const anew = await signInThroughProvider(world, address)
  expect(anew.id).not.toBe(first.id)
  expect((await world.as(anew.token).get('/api/me')).body.email).toBe(address)
})

test('a state of the provider is good once, and a refused sign-in ends at the login page', async () => {
  const world = await createDatabases(2)
  const path = await providerCallback(world, `once-${crypto.randomUUID()}@example.com`)
  expect((await world.call('GET', path)).headers.get('Location')).toContain('token=')
  expect((await world.call('GET', path)).headers.get('Location')).toContain('error_code=invalid_state')
})

test('a batch is processed in the database that its message names', async () => {
  const world = await createDatabases(4)
  const residents = await oneOfEach(world)
  for (const person of residents) {
    await world.verify(person)
    const account = (await openAccount(person)).id
    const options = toQueue(person.token, [coffee(account), coffee(account)])
    await world.call('POST', '/api/transactions/sync', options)
  }
  expect(world.syncs.map(({ home }) => home)).toEqual([0, 1, 2, 3])
  const work = async () => {
    const { explicitAcks } = await world.deliver('purse-sync', world.syncs)
    expect(explicitAcks).toHaveLength(4)
  }
  expect(await world.requestsDuring(work)).toEqual([1, 1, 1, 1, 0])
  for (const person of residents) expect((await person.get('/api/transactions')).body.total).toBe(2)
})

test('cron jobs run in every database', async () => {
  const world = await createDatabases(4)
  expect(await world.requestsDuring(() => world.runCron('* * * * *'))).toEqual([1, 1, 1, 1, 1])
})

test('a database that is down affects only its own users', async () => {
  const world = await createDatabases(4)
  const residents = await oneOfEach(world)
  const urls = world.numbered.map(({ url }, number) => (number === 2 ? deadUrl : url)).join(' ')
  world.reconfigure({ DATABASE_URLS: urls })
  const statuses = await Promise.all(
    residents.map(async (person) => (await person.get('/api/summary')).status),
  )
  expect(statuses).toEqual([200, 200, 503, 200])
  const signIns = await Promise.all(
    residents.map(
      async ({ email, password }) =>
        (await world.call('POST', '/api/login', { body: { email, password } })).status,
    ),
  )
  expect(signIns).toEqual([200, 200, 503, 200])
  // The jobs of the others run; the one that could not run still fails the cron.
  const sweep = () => expect(world.runCron('* * * * *')).rejects.toThrow()
  expect(await world.requestsDuring(sweep)).toEqual([1, 1, 0, 1, 1])
})

test('without the directory nobody signs in, and everybody who has signed in goes on', async () => {
  const world = await createDatabases(2)
  const person = await world.register()
  world.reconfigure({ DIRECTORY_URL: deadUrl })
  expect((await person.get('/api/summary')).status).toBe(200)
  const { email, password } = person
  const refused = await world.call('POST', '/api/login', { body: { email, password } })
  expect(refused.status).toBe(503)
  expect(refused.headers.get('Retry-After')).toBe('5')
  // An unknown token may have moved: a client must not discard it.
  await person.post('/api/logout')
  expect((await person.get('/api/me')).status).toBe(503)
})

test('the database that was there first becomes number 0 as it is', async () => {
  const world = await createDatabases(1)
  const person = await world.register()
  await world.directoryDb.batch([world.directoryDb.run(sql`delete from homes`)])
  await world.enrol(0)
  const { email, password } = person
  expect(person.id).toBe(1)
  expect((await world.call('POST', '/api/login', { body: { email, password } })).status).toBe(200)
})

/** Somebody in each of the databases. */
async function oneOfEach(world: Databases): Promise<Resident[]> {
  const found: Resident[] = []
  for (const { number } of world.numbered) {
    world.reconfigure({ NEWCOMER_DATABASES: String(number) })
    found.push(await world.register())
  }
  world.reconfigure({})
  expect(found.map(({ id }) => databaseOf(id))).toEqual(world.numbered.map(({ number }) => number))
  return found
}

async function openAccount(person: Pick<Resident, 'post'>): Promise<Json> {
  return (await person.post('/api/accounts', { name: 'Checking', type: 'bank', starting_balance: 100 })).body
}

async function liveADay(person: Resident): Promise<void> {
  const account = await openAccount(person)
  const { body: categories } = await person.get('/api/categories')
  const spent = { ...coffee(account.id), category_id: categories[0].id }
  expect((await person.post('/api/transactions', spent)).status).toBe(201)
  expect((await person.get('/api/summary')).body.total_balance).toBe(96.5)
}

function coffee(account: number) {
  return { account_id: account, type: 'expense', amount: 3.5, transaction_date: '2026-11-20', force: true }
}

async function providerCallback(world: Databases, address: string): Promise<string> {
  const { body } = await world.call('GET', `/api/auth/idp?login_hint=${encodeURIComponent(address)}`)
  const response = await fetch(body.url, { redirect: 'manual' })
  await response.text()
  return pathOf(response.headers.get('Location') ?? '')
}

async function signInThroughProvider(world: Databases, address: string) {
  const { headers } = await world.call('GET', await providerCallback(world, address))
  const query = new URL(headers.get('Location') ?? '').searchParams
  const token = query.get('token') ?? ''
  return { token, tokenId: Number(token.split('|')[0]), id: Number(query.get('user')) }
}
