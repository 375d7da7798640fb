import { expect, test } from 'vitest'
import { ConnectionError, type Ledger, LedgerError, memoryStorage } from '../../../../client/index.ts'
import { groupOf } from '../../../../client/ledger/pending.ts'
import { fieldsThatGoTogether } from '../../../../src/upload/fields-contract.ts'
import { create, upload } from '../../fixtures/uploads.ts'
import { openAccount, recordTransaction } from '../../fixtures/world.ts'
import { fillableStorage, newWorld, openDevice, readLedger } from './ledger-world.ts'
import { expectTruth, losing, offline, syncOver, twoDevices } from './two-devices.ts'

function first<T>([one]: T[]): T {
  if (!one) throw new Error('There is none')
  return one
}

const amountOf = (ledger: Ledger, key: string) => ledger.transaction(key)?.amount

test('the fields that go together are those of the contract', () => {
  for (const field of fieldsThatGoTogether) expect(groupOf(field)).toEqual([...fieldsThatGoTogether])
})

test('a person decides once between two corrections of a field, and other changes merge', async () => {
  const { person, tea, one, two } = await twoDevices()
  await one.ledger.update('transaction', tea, { amount: 4 })
  await one.ledger.sync()
  await two.ledger.update('transaction', tea, { amount: 5, description: 'Green tea' })
  expect(await two.ledger.sync()).toMatchObject({ sent: 0, conflicts: 1, stopped: null })
  const met = { noun: 'transaction', key: tea, fields: ['amount'] }
  expect(two.ledger.conflicts()).toEqual([{ ...met, mine: { amount: '5.00' }, theirs: { amount: '4.00' } }])
  expect(two.ledger.transaction(tea)).toMatchObject({ amount: '5.00', waits: 'conflict' })
  // It is neither reported again nor forgotten.
  expect(await two.ledger.sync()).toMatchObject({ sent: 0, conflicts: 0 })
  const [conflict] = (await two.open()).conflicts()
  expect(conflict).toMatchObject(met)

  await two.ledger.keepTheirs(first(two.ledger.conflicts()))
  expect(two.ledger.transaction(tea)).toMatchObject({ amount: '4.00', description: 'Green tea' })
  expect(await two.ledger.sync()).toMatchObject({ sent: 1, conflicts: 0 })
  await expectTruth(person, two.ledger)

  await one.ledger.update('transaction', tea, { amount: 6 })
  await two.ledger.update('transaction', tea, { amount: 7 })
  await two.ledger.sync()
  expect(await one.ledger.sync()).toMatchObject({ conflicts: 1 })
  await one.ledger.keepMine(first(one.ledger.conflicts()))
  expect(await one.ledger.sync()).toMatchObject({ sent: 1, conflicts: 0 })
  expect(amountOf(one.ledger, tea)).toBe('6.00')
  await expectTruth(person, one.ledger)
})

test('whoever deletes what another has corrected is asked, and whoever corrects what another has deleted is told', async () => {
  const { person, tea, expense, one, two } = await twoDevices()
  await one.ledger.update('transaction', tea, { amount: 4 })
  await one.ledger.sync()
  await two.ledger.remove('transaction', tea)
  expect(await two.ledger.sync()).toMatchObject({ conflicts: 1 })
  expect(two.ledger.conflicts()).toMatchObject([
    { fields: ['amount'], mine: null, theirs: { amount: '4.00' } },
  ])
  await two.ledger.keepMine(first(two.ledger.conflicts()))
  await one.ledger.update('transaction', tea, { amount: 5 })
  expect(await two.ledger.sync()).toMatchObject({ sent: 1 })

  expect(await one.ledger.sync()).toMatchObject({ sent: 0, rejected: 1 })
  expect(one.ledger.rejected()).toMatchObject([
    { op: 'update', set: { amount: '5.00' }, errors: { row: [expect.any(String)] } },
  ])
  await one.ledger.discard(first(one.ledger.rejected()))
  await expectTruth(person, one.ledger)
  await expect(one.ledger.update('transaction', tea, expense)).rejects.toThrow(LedgerError)
})

test('what is refused waits to be corrected, and what names it waits with it', async () => {
  const { person, expense, one } = await twoDevices()
  const { ledger } = one
  const long = { type: 'bank' as const, starting_balance: 0, notes: 'x'.repeat(60_000) }
  const account_id = await ledger.create('account', { ...long, name: 'Savings' })
  await upload(
    person,
    ['a1', 'a2', 'a3', 'a4'].map((name) => create('account', name, { ...long, name })),
  )
  const key = await ledger.create('transaction', { ...expense, account_id })
  expect(await ledger.sync()).toMatchObject({ sent: 0, rejected: 1, waiting: 1 })
  expect(ledger.rejected()).toMatchObject([
    { noun: 'account', key: account_id, errors: { notes: [expect.any(String)] } },
  ])
  expect(ledger.transaction(key)).toMatchObject({ id: null, waits: 'waiting' })
  expect(await ledger.sync()).toMatchObject({ sent: 0, rejected: 0, waiting: 1 })
  await ledger.update('account', account_id, { notes: null })
  expect(await ledger.sync()).toMatchObject({ sent: 2, waiting: 0 })
  await expectTruth(person, ledger)
  // The key names the row for ever.
  expect(ledger.transaction(key)?.id).toEqual(expect.any(Number))

  await ledger.create('account', { ...long, name: 'Another' })
  expect(await ledger.sync()).toMatchObject({ rejected: 1 })
  await ledger.discard(first(ledger.rejected()))
  await expectTruth(person, ledger)
  await ledger.create('transaction', { ...expense, account_id, amount: '.5' })
  expect(await ledger.sync()).toMatchObject({ sent: 1 })
  await expectTruth(person, ledger)
})

test('a new category whose name another device has taken is that one, and what names it follows', async () => {
  const { person, category, expense, one } = await twoDevices()
  const { ledger } = one
  const category_id = await ledger.create('category', { name: 'Books', type: category.type })
  const { body } = await person.post('/api/categories', { name: 'books', type: category.type })
  const key = await ledger.create('transaction', { ...expense, category_id })
  const tea = await ledger.create('transaction', expense)
  await syncOver(losing, one)
  // Changed before the outcome is known.
  await ledger.update('transaction', tea, { category_id })
  await ledger.update('transaction', key, { amount: 9 })
  expect(await ledger.sync()).toMatchObject({ rejected: 0, conflicts: 0, waiting: 0 })
  for (const row of [key, tea]) expect(ledger.transaction(row)?.category?.id).toBe(body.id)
  expect(ledger.categories().filter(({ name }) => name.toLowerCase() === 'books')).toHaveLength(1)
  await expectTruth(person, ledger)
})

test('rows of money are sent without a category that another device has deleted', async () => {
  const { person, expense, one, two } = await twoDevices()
  const { ledger } = one
  const [trip] = ledger.categories()
  await two.ledger.remove('category', trip?.key ?? '')
  await two.ledger.sync()
  const keys: string[] = []
  for (const amount of [1, 2, 3, 4, 5])
    keys.push(await ledger.create('transaction', { ...expense, amount, category_id: trip?.key ?? '' }))
  expect(await ledger.sync()).toMatchObject({ sent: 5, rejected: 0, waiting: 0 })
  for (const key of keys) expect(ledger.transaction(key)).toMatchObject({ waits: null, category: null })
  await expectTruth(person, ledger)
})

test('a category that is deleted and created again offline has its name, and what is recorded in it', async () => {
  const { person, expense, one } = await twoDevices()
  const { ledger } = one
  const [trip] = ledger.categories()
  const { name = '', type = 'expense' } = trip ?? {}
  await ledger.remove('category', trip?.key ?? '')
  const category_id = await ledger.create('category', { name, type })
  const key = await ledger.create('transaction', { ...expense, amount: 7, category_id })
  expect(await ledger.sync()).toMatchObject({ rejected: 0, waiting: 0 })
  expect(ledger.transaction(key)?.category).toMatchObject({ key: category_id, name })
  await expectTruth(person, ledger)
})

test('a row that is deleted while its edit is being refused is deleted', async () => {
  const { person, category, tea, one, two } = await twoDevices()
  const gone = two.ledger.categories().find(({ id }) => id !== category.id)
  await two.ledger.remove('category', gone?.key as string)
  await two.ledger.sync()
  const { ledger, network } = one
  await ledger.update('transaction', tea, { category_id: gone?.id ?? 0 })
  const { fetch } = network
  network.fetch = async (...call) => {
    const response = await fetch(...call)
    network.fetch = fetch
    await ledger.remove('transaction', tea)
    return response
  }
  expect(await ledger.sync()).toMatchObject({ rejected: 0, waiting: 0, stopped: null })
  await expectTruth(person, ledger)
  expect(ledger.transactions().data).toEqual([])
})

test('a row whose category was deleted before it was sent is created without one', async () => {
  const { person, account, expense, one } = await twoDevices()
  const { ledger } = one
  for (const { key } of ledger.categories()) await ledger.remove('category', key)
  await ledger.sync()
  await ledger.create('category', { name: 'Mine', type: 'expense' })
  const other = await ledger.create('category', { name: 'Other', type: 'expense' })
  await ledger.create('transaction', { ...expense, account_id: account.id, category_id: other })
  await ledger.remove('category', other)
  expect(await ledger.sync()).toMatchObject({ rejected: 0, waiting: 0, stopped: null })
  expect(ledger.transactions().data).toMatchObject([{ category: null }, { description: 'Tea' }])
  await expectTruth(person, ledger)
})

test('what is moved out of an account in time stays when that is deleted, although its own upload got no response', async () => {
  const { person, account, expense, one } = await twoDevices()
  const { ledger } = one
  const savings = await ledger.create('account', { name: 'Savings', type: 'bank', starting_balance: 0 })
  await ledger.sync()
  const milk = await ledger.create('transaction', { ...expense, description: 'Milk' })
  await syncOver(losing, one)
  await ledger.update('transaction', milk, { account_id: savings })
  await ledger.remove('account', account.id)
  expect(await ledger.sync()).toMatchObject({ rejected: 0, waiting: 0, stopped: null })
  expect(ledger.transactions().data).toMatchObject([{ description: 'Milk', account: { name: 'Savings' } }])
  await expectTruth(person, ledger)
})

test('a category that is deleted is taken from a row that was put into it after an upload without a response', async () => {
  const { person, expense, one } = await twoDevices()
  const { ledger } = one
  const [deleted, kept] = ledger.categories()
  const milk = await ledger.create('transaction', { ...expense, description: 'Milk' })
  await ledger.sync()
  await ledger.update('transaction', milk, { category_id: kept?.key ?? '' })
  await syncOver(losing, one)
  await ledger.update('transaction', milk, { category_id: deleted?.key ?? '' })
  await ledger.remove('category', deleted?.key ?? '')
  expect(await ledger.sync()).toMatchObject({ rejected: 0, conflicts: 0, waiting: 0, stopped: null })
  expect(ledger.transaction(milk)?.category).toBe(null)
  await expectTruth(person, ledger)
})

test('what was recorded for an account that is deleted elsewhere can be moved to another', async () => {
  const { person, account, expense, one } = await twoDevices()
  const { ledger } = one
  const { id } = await openAccount(person)
  await ledger.sync()
  const key = await ledger.create('transaction', { ...expense, account_id: id, description: 'Moved' })
  await person.delete(`/api/accounts/${id}`)
  expect(await ledger.sync()).toMatchObject({ rejected: 1, stopped: null })
  const rejection = first(ledger.rejected())
  expect(rejection).toMatchObject({ key, errors: { account_id: [expect.any(String)] } })
  await ledger.update('transaction', key, { account_id: account.id })
  expect(ledger.transaction(key)).toMatchObject({ description: 'Moved', waits: 'waiting' })
  await ledger.undo()
  expect(ledger.rejected()).toEqual([rejection])
  await ledger.update('transaction', key, { account_id: account.id })
  expect(await ledger.sync()).toMatchObject({ sent: 1, rejected: 0 })
  await expectTruth(person, ledger)
  await ledger.undo()
  expect(await ledger.sync()).toMatchObject({ rejected: 1 })
  await ledger.discard(first(ledger.rejected()))
  await expectTruth(person, ledger)
  expect(ledger.transaction(key)?.account.id).toBe(account.id)
})

test('the last steps are undone, whether they have been sent or not', async () => {
  const { person, account, tea, expense, one } = await twoDevices()
  const { ledger } = one
  const before = readLedger(ledger)
  await ledger.create('transaction', expense)
  await ledger.update('transaction', tea, { amount: 9, description: 'Coffee' })
  await ledger.remove('account', account.id)
  expect(ledger.transactions().total).toBe(0)
  for (let step = 1; step <= 3; step++) expect(await ledger.undo()).toBe(true)
  expect(await ledger.undo()).toBe(false)
  expect(readLedger(ledger)).toEqual(before)
  expect(ledger.waiting()).toEqual([])

  const key = await ledger.create('transaction', expense)
  await ledger.update('transaction', tea, { amount: 9, description: 'Coffee' })
  await ledger.sync()
  await ledger.remove('transaction', key)
  await ledger.sync()
  await ledger.undo()
  await ledger.sync()
  expect(ledger.transactions().total).toBe(2)
  await ledger.undo()
  expect(ledger.transaction(tea)).toMatchObject({ amount: '3.00', description: 'Tea' })
  await ledger.sync()
  await expectTruth(person, ledger)
})

test('after a lost response the same is sent again: nothing is stored twice, and what was done meanwhile comes after it', async () => {
  const { person, tea, expense, one } = await twoDevices()
  const { fetch } = one.network
  one.network.fetch = losing(fetch)
  const key = await one.ledger.create('transaction', expense)
  const doomed = await one.ledger.create('transaction', { ...expense, description: 'Doomed' })
  await one.ledger.update('transaction', tea, { amount: 4 })
  expect(await one.ledger.sync()).toMatchObject({
    sent: 0,
    stopped: { reason: 'offline', error: expect.any(ConnectionError) },
  })
  // The app is started anew in between.
  const ledger = await one.open()
  await ledger.update('transaction', key, { amount: 8 })
  await ledger.remove('transaction', doomed)
  await ledger.update('transaction', tea, { amount: 5 })
  expect(
    ledger
      .transactions()
      .data.map(({ amount }) => amount)
      .sort(),
  ).toEqual(['5.00', '8.00'])
  one.network.fetch = offline
  expect(await ledger.sync()).toMatchObject({ stopped: { reason: 'offline' }, waiting: 3 })
  one.network.fetch = fetch
  expect(await ledger.sync()).toMatchObject({ conflicts: 0, rejected: 0 })
  expect(await ledger.sync()).toMatchObject({ conflicts: 0, rejected: 0, waiting: 0 })
  await expectTruth(person, ledger)
  expect(ledger.transactions().total).toBe(2)
})

test('a cursor that is no longer valid leads to a snapshot, and pending operations stay', async () => {
  const { world, person, tea, expense, one, two } = await twoDevices()
  await one.ledger.create('transaction', expense)
  const restored = newWorld({ TURSO_DATABASE_URL: world.databaseUrl, CHANGES_EPOCH: '2' })
  const moved = await openDevice(restored, person)
  for (const device of [one, two]) {
    device.network.fetch = moved.network.fetch
    device.network.calls.length = 0
  }
  await two.ledger.remove('transaction', tea)
  expect(await two.ledger.sync()).toMatchObject({ sent: 1, stopped: null })
  expect(await one.ledger.sync()).toMatchObject({ sent: 1, conflicts: 0, stopped: null })
  // The first is responded with 410.
  expect(one.network.calls).toEqual(['POST /api/changes', 'POST /api/changes', 'POST /api/changes'])
  expect(one.ledger.transaction(tea)).toBeUndefined()
  await expectTruth(person, one.ledger)
})

test('a snapshot that was interrupted resumes where it was, and until it ends the ledger shows what it had', async () => {
  const { world, person, tea, expense, one } = await twoDevices()
  for (const reference of ['a', 'b', 'c', 'd'])
    await recordTransaction(person, { ...expense, reference, force: true })
  const inner = memoryStorage()
  const limits = { operations: 500, bytes: 1_000_000, rows: 2 }
  const { network, open, ledger } = await openDevice(world, person, { storage: inner, limits })
  const { fetch } = network
  let left = 4
  network.fetch = (url, init) => (--left < 0 ? offline(url, init) : fetch(url, init))
  expect(await ledger.sync()).toMatchObject({ stopped: { reason: 'offline' } })
  expect(ledger.transactions().total).toBe(0)
  await one.ledger.sync()
  await one.ledger.remove('transaction', tea)
  await one.ledger.sync()
  left = Number.POSITIVE_INFINITY
  network.calls.length = 0
  const again = await open()
  const report = await again.sync()
  expect(report).toMatchObject({ stopped: null })
  // What had come before is not received again.
  expect(report.received).toBeLessThan(readLedger(again).categories.length + 6)
  await expectTruth(person, again)
})

test('what would push a balance past its bounds is sent in halves, and the change that cannot be stored is reported', async () => {
  const { person, account, expense, one } = await twoDevices()
  const { ledger } = one
  const most = '9999999999999.99'
  for (let at = 1; at <= 11; at++)
    await ledger.create('transaction', { ...expense, type: 'income', amount: most, reference: `r${at}` })
  const report = await ledger.sync()
  expect(report).toMatchObject({ conflicts: 0, stopped: null })
  expect(report.sent + report.rejected).toBe(11)
  expect(ledger.rejected().length).toBeGreaterThan(0)
  for (const one of ledger.rejected()) await ledger.discard(one)
  await expectTruth(person, ledger)
  expect(ledger.accounts().find(({ id }) => id === account.id)?.balance).toBeGreaterThan(8e13)
})

test('nothing goes out without a token, under one that was revoked, or under another person’s', async () => {
  const { world, person, expense, one } = await twoDevices()
  const { ledger, tokens, network } = one
  await ledger.create('transaction', expense)
  await tokens.set((await world.register()).token)
  network.calls.length = 0
  expect(await ledger.sync()).toMatchObject({ stopped: { reason: 'other-user' }, waiting: 1 })
  expect(network.calls).toEqual(['GET /api/me'])
  const signedIn = (await world.call('POST', '/api/login', { body: person })).body.access_token
  await tokens.set(signedIn)
  await world.call('POST', '/api/logout', { token: signedIn })
  expect(await ledger.sync()).toMatchObject({ stopped: { reason: 'signed-out' }, waiting: 1 })
  expect(await ledger.sync()).toMatchObject({ stopped: { reason: 'signed-out' }, waiting: 1 })
  await tokens.set(person.token)
  expect(await ledger.sync()).toMatchObject({ sent: 1, stopped: null })
  await expectTruth(person, ledger)
})

test('a sync sends under the token with which it began, even if another person signs in meanwhile', async () => {
  const { world, person, expense, one } = await twoDevices()
  const { ledger, tokens, network } = one
  const other = await world.register()
  const { fetch } = network
  const sentUnder: (string | null)[] = []
  network.fetch = async (url, init) => {
    sentUnder.push(new Headers(init.headers).get('Authorization'))
    await tokens.set(other.token)
    return fetch(url, init)
  }
  const token = (await world.call('POST', '/api/login', { body: person })).body.access_token
  await tokens.set(token)
  await ledger.create('transaction', expense)
  expect(await ledger.sync()).toMatchObject({ sent: 1, stopped: null })
  expect(new Set(sentUnder)).toEqual(new Set([`Bearer ${token}`]))
  expect(sentUnder.length).toBeGreaterThan(1)
})

test('two tabs on one storage do not lose each other’s work', async () => {
  const { world, person, expense, one } = await twoDevices()
  const [a, b] = [
    (await openDevice(world, person, { storage: one.storage })).ledger,
    (await openDevice(world, person, { storage: one.storage })).ledger,
  ]
  await Promise.all([
    a.create('transaction', { ...expense, reference: 'a' }),
    b.create('transaction', { ...expense, reference: 'b' }),
  ])
  let told = 0
  const end = a.subscribe(() => told++)
  await a.refresh()
  expect([told, a.transactions().total]).toEqual([1, 3])
  end()
  // Who takes what others have done while they write is told of it as well.
  let shown = 0
  const endToo = a.subscribe(() => {
    shown = a.transactions().total
  })
  await b.remove('transaction', b.transactions({ q: 'b' }).data[0]?.key as string)
  await a.update('profile', person.id, { name: 'Somebody' })
  expect(shown).toBe(2)
  endToo()
  await b.undo()
  const reports = await Promise.all([a.sync(), b.sync()])
  expect(reports.map(({ sent }) => sent)).toEqual([3, 0])
  expect(told).toBe(1)
  for (const tab of [a, b]) {
    await tab.refresh()
    await expectTruth(person, tab)
  }
})

test('what a full storage cannot keep is not shown, and damaged rows are requested again', async () => {
  const { world, person, expense } = await twoDevices()
  const { room, storage } = fillableStorage()
  const { ledger, open } = await openDevice(world, person, { storage })
  await ledger.sync()
  const kept = await ledger.create('transaction', expense)
  room.isFull = true
  const lost = ledger.create('transaction', { ...expense, reference: 'too much' })
  expect(ledger.transactions().total).toBe(3)
  await expect(lost).rejects.toThrow('The storage is full')
  expect(ledger.transactions().total).toBe(2)
  await expect(ledger.sync()).rejects.toThrow('The storage is full')
  room.isFull = false
  const [block] = await storage.list(`purse/${person.id}/ledger/rows/1/transaction`)
  await storage.write([[block?.[0] as string, '{damaged']])
  const again = await open()
  expect(again.transaction(kept)).toMatchObject({ waits: 'waiting' })
  expect(await again.sync()).toMatchObject({ sent: 1, stopped: null })
  await expectTruth(person, again)
})

test('what was damaged while it waited is shown with what can be read of it, and stays until a person drops it', async () => {
  const { person, tea, expense, one } = await twoDevices()
  const { ledger, storage, open } = one
  const made = await ledger.create('transaction', expense)
  await ledger.update('transaction', tea, { amount: 4 })
  const [entry, ...others] = await storage.list(`purse/${person.id}/ledger/waits/transaction ${made}`)
  expect(others).toEqual([])
  const [name, value] = entry as [string, string]
  const damaged = value.slice(0, -20)
  await storage.write([
    [name, damaged],
    [`purse/${person.id}/ledger/waits/transaction ${tea}`, 'null'],
    [`purse/${person.id}/ledger/meta`, '{'],
  ])
  const again = await open()
  // The rows are still shown, and requested again.
  expect(again.transaction(tea)).toMatchObject({ amount: '3.00', waits: 'rejected' })
  expect(again.rejected()).toMatchObject([
    { key: made, set: {}, errors: { row: [expect.stringContaining(damaged)] } },
    { key: tea, set: {}, errors: { row: [expect.any(String)] } },
  ])
  expect(await again.sync()).toMatchObject({ sent: 0, rejected: 0, stopped: null })
  expect(await storage.list(name)).toEqual([[name, damaged]])
  await again.update('transaction', tea, { amount: 5 })
  await again.discard(first(again.rejected()))
  expect(await storage.list(name)).toEqual([])
  expect(await again.sync()).toMatchObject({ sent: 1 })
  await expectTruth(person, again)
})

test('an app that is older than what is stored asks for the update, and leaves the storage alone', async () => {
  const { world, person, tea, one } = await twoDevices()
  const { ledger, storage, open } = one
  await ledger.update('transaction', tea, { amount: 4 })
  const meta = `purse/${person.id}/ledger/meta`
  const [stored] = await storage.list(meta)
  const form = JSON.parse(stored?.[1] as string)
  const newer = { ...form, version: form.version + 1, revision: form.revision + 1 }
  await storage.write([[meta, JSON.stringify(newer)]])
  const before = await storage.list('')
  const refused = { name: 'LedgerVersionError' }
  await expect(open()).rejects.toMatchObject(refused)
  // So is a tab that has been open since before the update.
  await expect(ledger.update('transaction', tea, { amount: 5 })).rejects.toMatchObject(refused)
  expect(amountOf(ledger, tea)).toBe('4.00')
  await expect(ledger.undo()).rejects.toMatchObject(refused)
  await expect(ledger.sync()).rejects.toMatchObject(refused)
  expect(await storage.list('')).toEqual(before)
  // Before there was a number, the form was the same.
  const { version, ...unnumbered } = form
  await storage.write([[meta, JSON.stringify(unnumbered)]])
  const again = await openDevice(world, person, { storage })
  expect(await again.ledger.sync()).toMatchObject({ sent: 1 })
  await expectTruth(person, again.ledger)
})

test('while the service is away for a week nothing is lost, and a clock that jumps changes only the month', async () => {
  const { world, person, expense, tea, one } = await twoDevices()
  let now = Date.parse('2026-11-22')
  const { network, storage, open } = await openDevice(world, person, { storage: one.storage, now: () => now })
  const { fetch } = network
  const away = (status: number) => async () =>
    Response.json({ message: 'Later.' }, { status, headers: { 'Retry-After': '3600' } })
  let made = 0
  for (const [days, response] of [away(503), away(429), away(502), away(503), offline].entries()) {
    now += (days - 3) * 86_400_000 * 400
    network.fetch = response
    const ledger = await open()
    await ledger.create('transaction', { ...expense, reference: `r${++made}` })
    await ledger.update('transaction', tea, { amount: 10 + made })
    const { stopped, waiting } = await ledger.sync()
    const reason = response === offline ? 'offline' : 'busy'
    expect([stopped?.reason, waiting]).toEqual([reason, made + 1])
    expect(ledger.transactions().total).toBe(made + 1)
    expect(ledger.summary().monthly_summary.expense).toBe(0)
  }
  now = Number.NaN
  network.fetch = fetch
  const ledger = await open()
  expect(await ledger.sync()).toMatchObject({ sent: made + 1, conflicts: 0, waiting: 0, stopped: null })
  now = Date.now()
  expect(await storage.list(`purse/${person.id}/ledger/waits/`)).toEqual([])
  await expectTruth(person, ledger)
})

test('each person of a device has a ledger of their own', async () => {
  const { world, person, expense, one } = await twoDevices()
  const other = await world.register()
  await one.ledger.create('transaction', { ...expense, description: 'Secret' })
  const theirs = await openDevice(world, other, { storage: one.storage })
  expect(theirs.ledger.waiting()).toEqual([])
  expect(await theirs.ledger.sync()).toMatchObject({ sent: 0, stopped: null })
  await expectTruth(other, theirs.ledger)
  expect(theirs.ledger.transactions().total).toBe(0)
  const mine = await one.open()
  expect(await mine.sync()).toMatchObject({ sent: 1 })
  await expectTruth(person, mine)
})

test('keeping mine does not undo what others have changed since', async () => {
  const { tea, one, two } = await twoDevices()
  const change = async (fields: object) => {
    await one.ledger.sync()
    await one.ledger.update('transaction', tea, fields)
    await one.ledger.sync()
  }
  await change({ amount: 4 })
  await two.ledger.update('transaction', tea, { amount: 5, description: 'Green tea' })
  await two.ledger.sync()
  const seen = first(two.ledger.conflicts())
  await change({ description: 'Black tea' })
  await two.ledger.sync()
  await two.ledger.keepMine(first(two.ledger.conflicts()))
  expect(await two.ledger.sync()).toMatchObject({ conflicts: 1 })
  expect(two.ledger.conflicts()).toMatchObject([
    { fields: ['description'], mine: { description: 'Green tea' }, theirs: { description: 'Black tea' } },
  ])
  await two.ledger.keepTheirs(first(two.ledger.conflicts()))
  expect(await two.ledger.sync()).toMatchObject({ sent: 1, conflicts: 0 })

  await two.ledger.update('transaction', tea, { amount: 6 })
  await change({ amount: 7 })
  await two.ledger.sync()
  const shown = first(two.ledger.conflicts())
  expect([seen.theirs, shown.theirs]).toEqual([{ amount: '4.00' }, { amount: '7.00' }])
  // The person answers a question that is older than the last change.
  await change({ amount: 8 })
  await two.ledger.sync()
  await two.ledger.keepMine(shown)
  expect(await two.ledger.sync()).toMatchObject({ sent: 0, conflicts: 1 })
  expect(two.ledger.conflicts()).toMatchObject([{ mine: { amount: '6.00' }, theirs: { amount: '8.00' } }])
})

test('keeping theirs gives up only what the question showed', async () => {
  const { person, tea, one, two } = await twoDevices()
  const { ledger } = two
  const clash = async (theirs: object, mine: object) => {
    await one.ledger.sync()
    await one.ledger.update('transaction', tea, theirs)
    await one.ledger.sync()
    await ledger.update('transaction', tea, mine)
    await ledger.sync()
    return first(ledger.conflicts())
  }
  const shown = await clash({ amount: 4 }, { amount: 5 })
  await ledger.update('transaction', tea, { amount: 6, reference: 'mine' })
  await ledger.keepTheirs(shown)
  expect(ledger.conflicts()).toMatchObject([{ mine: { amount: '6.00' }, theirs: { amount: '4.00' } }])
  await ledger.remove('transaction', tea)
  await ledger.keepTheirs(shown)
  expect(ledger.conflicts()).toMatchObject([{ mine: null }])
  await ledger.undo()
  await ledger.keepMine(shown)
  await ledger.sync()
  // The old question is answered once more, after another one has come up.
  const next = await clash({ description: 'Black tea' }, { description: 'Green tea' })
  await ledger.keepTheirs(shown)
  expect(ledger.conflicts()).toEqual([next])
  await ledger.keepTheirs(next)
  await ledger.sync()
  expect(ledger.transaction(tea)).toMatchObject({
    amount: '6.00',
    reference: 'mine',
    description: 'Black tea',
  })
  await expectTruth(person, ledger)
})

test('what another tab has decided, or sent meanwhile, is not decided again', async () => {
  const { world, person, tea, one, two } = await twoDevices()
  const tab = await openDevice(world, person, { storage: one.storage })
  await two.ledger.remove('transaction', tea)
  await one.ledger.update('transaction', tea, { amount: 4 })
  await one.ledger.sync()
  await two.ledger.sync()
  const [conflict] = two.ledger.conflicts()
  const other = (await two.open()) as Ledger
  await two.ledger.keepMine(conflict as never)
  two.network.fetch = losing(two.network.fetch)
  await two.ledger.sync()
  const waiting = two.ledger.waiting()
  await other.keepTheirs(conflict as never)
  await two.ledger.refresh()
  expect(two.ledger.waiting()).toEqual(waiting)
  await tab.ledger.sync()
  expect(tab.ledger.transaction(tea)).toBeUndefined()
})

test('rows that two tabs make at once are listed once each, whatever becomes of them', async () => {
  const { world, person, expense, one } = await twoDevices()
  const tabs = [one.ledger, (await openDevice(world, person, { storage: one.storage })).ledger]
  const keys = await Promise.all(
    tabs.map((tab, at) => tab.create('transaction', { ...expense, reference: `tab ${at}` })),
  )
  await Promise.all(
    tabs.map((tab, at) => tab.create('account', { name: `tab ${at}`, type: 'cash', starting_balance: 0 })),
  )
  for (const tab of tabs) await tab.refresh()
  expect(tabs[0]?.accounts()).toEqual(tabs[1]?.accounts())
  for (const key of keys) await tabs[0]?.update('transaction', key, { amount: 5 })
  for (const tab of tabs) {
    await tab.refresh()
    const listed = tab.transactions().data
    expect(listed.map(({ reference }) => reference).sort()).toEqual([null, 'tab 0', 'tab 1'].sort())
    expect(listed.map(({ key }) => tab.transaction(key))).toEqual(listed)
  }
  await one.ledger.sync()
  await expectTruth(person, one.ledger)
})

test('wherever an app dies while it syncs, it continues from there, as it does after the storage was full', async () => {
  for (const isDone of [false, true])
    for (let last = 0; ; last++) {
      const { world, person, tea, expense, one, two } = await twoDevices()
      const inner = memoryStorage()
      let writes = Number.POSITIVE_INFINITY
      const write: typeof inner.write = async (entries) => {
        if (isDone || writes > 0) await inner.write(entries)
        if (--writes < 0) throw new Error('The phone is dead')
      }
      const device = await openDevice(world, person, { storage: { ...inner, write } })
      await device.ledger.sync()
      await two.ledger.update('transaction', tea, { amount: 8 })
      await two.ledger.create('transaction', { ...expense, reference: 'theirs' })
      await two.ledger.sync()
      const { ledger } = device
      const account_id = await ledger.create('account', { name: 'Wallet', type: 'cash', starting_balance: 1 })
      await ledger.create('transaction', { ...expense, account_id, reference: 'mine' })
      await ledger.update('transaction', tea, { description: 'Chai' })
      writes = last
      const hasDied = await ledger.sync().then(
        () => false,
        () => true,
      )
      writes = Number.POSITIVE_INFINITY
      // The same tab goes on, and so does an app that is started anew.
      const next = last % 2 ? ledger : await device.open()
      expect(await next.sync()).toMatchObject({ conflicts: 0, rejected: 0, waiting: 0, stopped: null })
      await one.ledger.sync()
      expect(readLedger(next)).toEqual(readLedger(one.ledger))
      await expectTruth(person, next)
      expect(
        next
          .transactions()
          .data.map(({ reference }) => reference)
          .sort(),
      ).toEqual(['mine', 'theirs', null].sort())
      if (!hasDied) break
    }
})

test('a page of the first snapshot that the storage refused is requested again', async () => {
  const world = newWorld()
  const person = await world.register()
  const inner = memoryStorage()
  const limits = { operations: 500, bytes: 1_000_000, rows: 5 }
  let writes = 0
  const write: typeof inner.write = async (entries) => {
    if (++writes % 2) return inner.write(entries)
    throw new Error('The storage is full')
  }
  const { ledger } = await openDevice(world, person, { storage: { ...inner, write }, limits })
  const isDone = () =>
    ledger.sync().then(
      () => true,
      () => false,
    )
  for (let run = 0; run < 20 && !(await isDone()); run++);
  await expectTruth(person, ledger)
})
