import { expect, test } from 'vitest'
import type { Ledger, LedgerTransaction } from '../../../../client/index.ts'
import { Dice } from '../../../dice.ts'
import { stopClock } from '../../fixtures/clock.ts'
import { openAccount, recordTransaction, verifyAddress } from '../../fixtures/world.ts'
import { edit } from './edits.ts'
import { fillableStorage, newWorld, openDevice, readLedger, readService } from './ledger-world.ts'
import { expectTruth, losing, offline, syncOver, twoDevices, unsteady } from './two-devices.ts'

/** All that a person has, by names, since a row that comes back is another one to the service. */
function contents(ledger: Ledger) {
  const nameOf = (row: { name: string } | null) => row?.name ?? null
  const inOrder = (rows: unknown[]) => rows.map((row) => JSON.stringify(row)).sort()
  return {
    accounts: inOrder(
      ledger.accounts().map(({ name, type, notes, balance }) => ({ name, type, notes, balance })),
    ),
    categories: inOrder(ledger.categories().map(({ name, type }) => ({ name, type }))),
    transactions: inOrder(
      ledger.transactions({ per_page: 500 }).data.map((row: LedgerTransaction) => ({
        ...{ account: nameOf(row.account), to: nameOf(row.to_account), category: nameOf(row.category) },
        ...{ type: row.type, amount: row.amount, date: row.transaction_date },
        ...{ description: row.description, reference: row.reference },
      })),
    ),
  }
}

/** Opens an account, transfers money to it and syncs. Returns its key. */
async function transferToSavings(ledger: Ledger, account_id: number): Promise<string> {
  const savings = await ledger.create('account', { name: 'Savings', type: 'bank', starting_balance: 0 })
  await ledger.create('transaction', {
    ...{ account_id, to_account_id: savings, type: 'transfer' },
    ...{ amount: 7, transaction_date: '2026-11-20' },
  })
  await ledger.sync()
  return savings
}

test('steps that are undone leave everything as it was, whatever of them was sent or lost', async () => {
  stopClock()
  const world = newWorld()
  const person = await world.register()
  const { ledger, network } = await openDevice(world, person)
  const { fetch } = network
  const dice = new Dice(20_261_122)
  const tally = { 'never sent': 0, lost: 0, answered: 0 }
  const flush = async () => {
    network.fetch = fetch
    do expect(await ledger.sync()).toMatchObject({ conflicts: 0, rejected: 0, stopped: null })
    while (ledger.waiting().length > 0)
    network.fetch = unsteady(fetch, dice, tally)
  }
  let number = 0
  const step = (kinds = {}) => edit(ledger, dice, () => `s${++number}`, { undo: 0, ...kinds })
  for (let steps = 1; steps <= 30; steps++) await step({ close: 0, remove: 0 })
  await flush()
  for (let round = 1; round <= 10; round++) {
    const before = contents(ledger)
    const isChanged: boolean[] = []
    for (let steps = dice.from(1, 3); steps > 0; steps--) {
      const shown = JSON.stringify([contents(ledger), ledger.waiting()])
      await step({ close: 4, remove: 6 })
      isChanged.push(shown !== JSON.stringify([contents(ledger), ledger.waiting()]))
      if (dice.isOnceIn(2)) await ledger.sync()
    }
    for (const _ of isChanged.filter(Boolean)) {
      expect(await ledger.undo()).toBe(true)
      if (dice.isOnceIn(3)) await ledger.sync()
    }
    expect(contents(ledger)).toEqual(before)
    await flush()
    expect(contents(ledger)).toEqual(before)
    if (round % 5 === 0) expect(readLedger(ledger)).toEqual(await readService(person, ledger))
  }
  expect(Math.min(...Object.values(tally))).toBeGreaterThan(0)
})

/** What became of a deletion whose response was lost, and what is right once it has been taken back. */
const fates = [
  { name: 'had arrived', arrives: true },
  { name: 'had not arrived', arrives: false },
  { name: 'had not arrived, and the row was corrected elsewhere', arrives: false, corrected: '4.00' },
]

test.each(fates)('a deletion without a response, which $name, is undone', async ({ arrives, corrected }) => {
  const { person, tea, one, two } = await twoDevices()
  const { ledger } = one
  const all = () => ledger.transactions().data.map(({ amount, description }) => [amount, description])
  for (const then of ['nothing', 'edit', 'delete again', 'undo late', 'start anew']) {
    const key = ledger.transactions().data[0]?.key as string
    const amount = corrected ?? '3.00'
    await ledger.update('transaction', key, { amount: 3 })
    await ledger.sync()
    await two.ledger.sync()
    await ledger.remove('transaction', key)
    await syncOver(arrives ? losing : () => offline, one)
    if (corrected) {
      const theirs = two.ledger.transactions().data[0]?.key as string
      await two.ledger.update('transaction', theirs, { amount: corrected })
      await two.ledger.sync()
    }
    if (then === 'undo late') {
      await ledger.sync()
      if (corrected) expect(ledger.conflicts()).toMatchObject([{ mine: null }])
    }
    await ledger.undo()
    if (!(corrected && then === 'undo late')) expect(all()).toEqual([['3.00', 'Tea']])
    if (then === 'edit') {
      const shown = ledger.transactions().data[0]?.key as string
      await ledger.update('transaction', shown, { description: 'Chai' })
    }
    if (then === 'delete again') {
      await ledger.remove('transaction', ledger.transactions().data[0]?.key as string)
      await ledger.undo()
    }
    const at = then === 'start anew' ? await one.open() : ledger
    expect(await at.sync(), then).toMatchObject({ conflicts: 0, rejected: 0, stopped: null })
    expect(await at.sync()).toMatchObject({ conflicts: 0, rejected: 0, waiting: 0 })
    await ledger.sync()
    expect(all()).toEqual([[amount, then === 'edit' ? 'Chai' : 'Tea']])
    if (then === 'edit') {
      await ledger.undo()
      expect(all()).toEqual([[amount, 'Tea']])
    }
    await ledger.sync()
    await expectTruth(person, ledger)
  }
  expect(ledger.transaction(tea) === undefined).toBe(arrives || corrected === undefined)
})

test('what went with an account or named a category comes back with it, and earlier steps can still be undone', async () => {
  const { world, person, account, category, expense, one, two } = await twoDevices()
  const { ledger } = one
  const other = await openAccount(person, { name: 'Savings' })
  await recordTransaction(person, {
    ...expense,
    ...{ type: 'transfer', to_account_id: other.id, category_id: null, reference: 'r1' },
  })
  const { category_id, ...uncategorised } = { ...expense, amount: '2.50' }
  await verifyAddress(world, person)
  expect((await person.post('/api/import/store', { transactions: [uncategorised] })).status).toBe(200)
  await ledger.sync()
  const [made] = [await ledger.create('transaction', { ...expense, reference: 'made' })]
  await ledger.update('transaction', made, { amount: '7.25' })
  const before = contents(ledger)
  const keyOf = (name: string) => ledger.accounts().find((row) => row.name === name)?.key as string
  for (const sync of [true, false]) {
    await ledger.remove('account', keyOf(account.name))
    if (sync) await ledger.sync()
    await ledger.undo()
    expect(contents(ledger)).toEqual(before)
    expect(await ledger.sync()).toMatchObject({ rejected: 0, conflicts: 0, waiting: 0, stopped: null })
    expect(contents(ledger)).toEqual(before)
    await expectTruth(person, ledger)
  }
  const key = ledger.categories().find(({ name }) => name === category.name)?.key as string
  await ledger.remove('category', key)
  await ledger.sync()
  await two.ledger.sync()
  // Another user has found a place for one of them.
  const [moved] = two.ledger.transactions({ q: 'made' }).data
  const elsewhere = two.ledger.categories()[0]?.key as string
  await two.ledger.update('transaction', moved?.key as string, { category_id: elsewhere })
  await two.ledger.sync()
  await ledger.sync()
  await ledger.undo()
  await ledger.sync()
  expect(contents(ledger).categories).toEqual(before.categories)
  expect(ledger.transactions({ q: 'made' }).data[0]?.category?.name).toBe(
    two.ledger.transactions({ q: 'made' }).data[0]?.category?.name,
  )
  expect(
    ledger
      .transactions({ q: 'tea' })
      .data.map((row) => row.category?.name ?? null)
      .sort(),
  ).toEqual([category.name, two.ledger.categories()[0]?.name, null, null].sort())
  await ledger.undo()
  expect(ledger.transactions({ q: 'made' }).data).toMatchObject([{ amount: '3.00' }])
  await ledger.undo()
  expect(ledger.transactions({ q: 'made' }).data).toEqual([])
  expect(await ledger.undo()).toBe(false)
  expect(await ledger.sync()).toMatchObject({ rejected: 0 })
})

test('the keys that rows had before they came back are still understood', async () => {
  const { person, account, expense, tea, one } = await twoDevices()
  const { ledger } = one
  const key = String(account.id)
  for (let times = 0; times < 2; times++) {
    await ledger.remove('account', key)
    await syncOver(losing, one)
    await ledger.undo()
    await ledger.sync()
    expect(ledger.transactions({ account_id: key })).toMatchObject({ total: 1 + times })
    await ledger.update('account', key, { name: `Back ${times}` })
    await ledger.update('transaction', tea, { amount: 4 + times })
    await ledger.create('transaction', { ...expense, account_id: key, reference: `new ${times}` })
    expect(await ledger.sync()).toMatchObject({ rejected: 0, conflicts: 0, waiting: 0, stopped: null })
  }
  expect(ledger.accounts()).toMatchObject([{ name: 'Back 1' }])
  expect(ledger.transaction(tea)).toMatchObject({ amount: '5.00' })
  await expectTruth(person, ledger)
})

test('an undo leaves alone what others have done since', async () => {
  const { person, tea, expense, one, two } = await twoDevices()
  await one.ledger.update('transaction', tea, { amount: 9, description: 'Coffee' })
  await one.ledger.sync()
  await two.ledger.sync()
  await two.ledger.update('transaction', tea, { amount: 8, reference: 'theirs' })
  await two.ledger.sync()
  await one.ledger.sync()
  await one.ledger.undo()
  expect(await one.ledger.sync()).toMatchObject({ sent: 1, conflicts: 0 })
  expect(one.ledger.transaction(tea)).toMatchObject({
    amount: '8.00',
    description: 'Tea',
    reference: 'theirs',
  })
  await one.ledger.update('transaction', tea, { description: 'Coffee' })
  const made = await one.ledger.create('transaction', { ...expense, reference: 'made' })
  await one.ledger.sync()
  await two.ledger.sync()
  await two.ledger.update('transaction', made, { amount: 5 })
  await two.ledger.remove('transaction', tea)
  await two.ledger.sync()
  await one.ledger.sync()
  // Of a correction that the person has not seen when they made it, they are asked.
  await one.ledger.undo()
  expect(await one.ledger.sync()).toMatchObject({ conflicts: 1 })
  expect(one.ledger.conflicts()).toMatchObject([{ mine: null, theirs: { amount: '5.00' } }])
  await one.ledger.keepTheirs(one.ledger.conflicts()[0] as never)
  await one.ledger.undo()
  expect(one.ledger.transaction(tea)).toBeUndefined()
  await one.ledger.sync()
  await expectTruth(person, one.ledger)

  const account = await one.ledger.create('account', { name: 'Purse', type: 'cash', starting_balance: 0 })
  await one.ledger.sync()
  await two.ledger.sync()
  await two.ledger.create('transaction', { ...expense, account_id: account })
  await two.ledger.sync()
  await one.ledger.sync()
  await expect(one.ledger.undo()).rejects.toThrow('The account has transactions.')
  await expectTruth(person, one.ledger)
})

test('a step that cannot be undone for want of room can be undone later', async () => {
  const { world, person, tea } = await twoDevices()
  const { room, storage } = fillableStorage()
  const { ledger } = await openDevice(world, person, { storage })
  await ledger.sync()
  await ledger.update('transaction', tea, { amount: 9 })
  room.isFull = true
  await expect(ledger.undo()).rejects.toThrow('The storage is full')
  expect(ledger.transaction(tea)?.amount).toBe('9.00')
  // What was refused is no step.
  await expect(ledger.update('transaction', tea, { amount: 10 })).rejects.toThrow('The storage is full')
  room.isFull = false
  expect(await ledger.undo()).toBe(true)
  expect(ledger.waiting()).toEqual([])
})

test('what comes back is reported, stands where it stood, and is listed once whatever becomes of it', async () => {
  const { person, account, expense, one } = await twoDevices()
  const { ledger } = one
  for (const reference of ['a', 'b', 'c', 'd']) await ledger.create('transaction', { ...expense, reference })
  await ledger.sync()
  const references = () => ledger.transactions().data.map(({ reference }) => reference)
  const before = references()
  expect(before).toEqual(['d', 'c', 'b', 'a', null])
  await ledger.remove('account', account.id)
  await ledger.sync()
  let told: unknown[] = []
  ledger.subscribe(() => {
    told = ledger.transactions().data
  })
  await ledger.undo()
  expect(references()).toEqual(before)
  expect(told).toEqual(ledger.transactions().data)
  const keyOf = (reference: string) =>
    ledger.transactions().data.find((row) => row.reference === reference)?.key as string
  await ledger.update('transaction', keyOf('b'), { amount: 9 })
  await ledger.remove('transaction', keyOf('c'))
  expect(references()).toEqual(['d', 'b', 'a', null])
  expect(ledger.transactions().data.map(({ key }) => ledger.transaction(key))).toEqual(
    ledger.transactions().data,
  )
  await ledger.sync()
  expect(references()).toEqual(['d', 'b', 'a', null])
  await expectTruth(person, ledger)
})

test('earlier steps can be undone although there was no room to undo a deletion', async () => {
  const { world, person, tea } = await twoDevices()
  const { room, storage } = fillableStorage()
  const { ledger } = await openDevice(world, person, { storage })
  await ledger.sync()
  await ledger.update('transaction', tea, { amount: 9 })
  await ledger.remove('transaction', tea)
  await ledger.sync()
  room.isFull = true
  await expect(ledger.undo()).rejects.toThrow('The storage is full')
  room.isFull = false
  await ledger.undo()
  await ledger.undo()
  expect(ledger.transactions().data).toMatchObject([{ amount: '3.00' }])
  await ledger.sync()
  await expectTruth(person, ledger)
})

test('an unsent category leaves its transactions behind, whether it is deleted or its creation undone', async () => {
  const { world, person, category, expense, one } = await twoDevices()
  const { ledger } = one
  const tab = (await openDevice(world, person, { storage: one.storage })).ledger
  for (const way of ['remove', 'undo']) {
    const category_id = await ledger.create('category', { name: way, type: category.type })
    await tab.refresh()
    await tab.create('transaction', { ...expense, category_id, reference: way })
    await ledger.refresh()
    if (way === 'remove') await ledger.remove('category', category_id)
    else await ledger.undo()
    expect(ledger.transactions({ q: way }).data).toMatchObject([{ category: null }])
    expect(await ledger.sync()).toMatchObject({ rejected: 0, conflicts: 0, stopped: null })
    await ledger.sync()
    await expectTruth(person, ledger)
    expect(ledger.transactions({ q: way }).data).toMatchObject([{ category: null }])
  }
})

test('a category comes back to a transaction that has been changed since', async () => {
  const { person, category, tea, one } = await twoDevices()
  const { ledger } = one
  await ledger.remove('category', String(category.id))
  await ledger.sync()
  const tab = await one.open()
  await tab.update('transaction', tea, { amount: 4 })
  await ledger.undo()
  await ledger.sync()
  expect(ledger.transaction(tea)).toMatchObject({ amount: '4.00', category: { name: category.name } })
  await ledger.sync()
  await expectTruth(person, ledger)
})

test('a step whose row has gone with its account leaves that alone', async () => {
  const { person, account, tea, one, two } = await twoDevices()
  await one.ledger.update('transaction', tea, { amount: 4 })
  await one.ledger.sync()
  await two.ledger.sync()
  await two.ledger.remove('account', account.id)
  await two.ledger.sync()
  await one.ledger.sync()
  await one.ledger.undo()
  expect(await one.ledger.sync()).toMatchObject({ rejected: 0 })
  await expectTruth(person, one.ledger)
})

test('what is done to the transactions of an account that has come back, before its deletion gets a response, is done', async () => {
  const { person, account, expense, tea, one } = await twoDevices()
  const { ledger } = one
  const milk = await ledger.create('transaction', { ...expense, description: 'Milk' })
  await ledger.update('transaction', tea, { description: 'Green tea' })
  await ledger.sync()
  await ledger.remove('account', account.id)
  await syncOver(losing, one)
  await ledger.undo()
  await ledger.undo()
  await ledger.update('transaction', tea, { amount: 30 })
  await ledger.remove('transaction', milk)
  expect(await ledger.sync()).toMatchObject({ conflicts: 0, rejected: 0, waiting: 0, stopped: null })
  expect(ledger.transactions().data).toMatchObject([{ amount: '30.00', description: 'Tea' }])
  await expectTruth(person, ledger)
})

test('a transfer between two deleted accounts comes back once, though only one of the deletions was sent', async () => {
  const { person, account, one, two } = await twoDevices()
  const { ledger } = one
  await transferToSavings(ledger, account.id)
  const before = contents(ledger)
  const keyOf = (name: string) => ledger.accounts().find((row) => row.name === name)?.key as string
  // Both deletions are sent, and neither gets a response.
  for (const name of [account.name, 'Savings']) await ledger.remove('account', keyOf(name))
  await syncOver(losing, one)
  for (let steps = 0; steps < 2; steps++) await ledger.undo()
  await ledger.sync()
  expect(contents(ledger)).toEqual(before)
  await expectTruth(person, ledger)
  // Or one is not sent, since a conflict holds it back.
  await two.ledger.sync()
  const theirs = two.ledger.accounts().find((row) => row.name === account.name)?.key as string
  await two.ledger.update('account', theirs, { name: 'Theirs' })
  await two.ledger.sync()
  await ledger.update('account', keyOf(account.name), { name: 'Mine' })
  expect(await ledger.sync()).toMatchObject({ conflicts: 1 })
  const shown = contents(ledger)
  for (const name of ['Mine', 'Savings']) await ledger.remove('account', keyOf(name))
  await ledger.sync()
  for (let steps = 0; steps < 2; steps++) await ledger.undo()
  expect(contents(ledger)).toEqual(shown)
  expect(await ledger.sync()).toMatchObject({ rejected: 0 })
  expect(contents(ledger)).toEqual(shown)
})

test('transactions come back with their account although their category has been deleted before', async () => {
  const { person, account, category, one } = await twoDevices()
  const { ledger } = one
  await ledger.remove('category', category.id)
  await ledger.sync()
  await ledger.remove('account', account.id)
  await ledger.sync()
  await ledger.undo()
  expect(await ledger.sync()).toMatchObject({ rejected: 0, waiting: 0, stopped: null })
  expect(ledger.transactions().data).toMatchObject([{ description: 'Tea', category: null }])
  // The category finds the transaction under its new key.
  await ledger.undo()
  await ledger.sync()
  expect(ledger.transactions().data).toMatchObject([{ category: { name: category.name } }])
  await expectTruth(person, ledger)
})

test('a transaction that was refused comes back with its account once, and is still refused', async () => {
  const { account, expense, one, two } = await twoDevices()
  const { ledger } = one
  const savings = await ledger.create('account', { name: 'Savings', type: 'bank', starting_balance: 0 })
  await ledger.sync()
  await two.ledger.sync()
  await two.ledger.remove('account', savings)
  await two.ledger.sync()
  const transfer = { ...expense, type: 'transfer' as const, to_account_id: savings }
  await ledger.create('transaction', { ...transfer, description: 'Cake' })
  expect(await ledger.sync()).toMatchObject({ rejected: 1 })
  await ledger.remove('account', account.id)
  await ledger.sync()
  await ledger.undo()
  await ledger.sync()
  const [rejected] = ledger.rejected()
  const expenseAgain = { type: 'expense' as const, to_account_id: null }
  await ledger.update('transaction', rejected?.key as string, expenseAgain)
  expect(await ledger.sync()).toMatchObject({ rejected: 0, waiting: 0 })
  expect(ledger.transactions().data.map(({ description }) => description)).toEqual(['Cake', 'Tea'])
})

test.each([
  { way: 'never arrived', network: () => offline },
  { way: 'was lost', network: losing },
])('a category comes back to what was recorded in it, though the upload of both $way', async (fate) => {
  const { person, category, expense, one } = await twoDevices()
  const { ledger } = one
  const recorded = await ledger.create('transaction', { ...expense, description: 'Cake' })
  await ledger.remove('category', category.id)
  await syncOver(fate.network, one)
  await ledger.undo()
  expect(await ledger.sync()).toMatchObject({ rejected: 0, conflicts: 0, stopped: null })
  await ledger.sync()
  expect(ledger.transaction(recorded)).toMatchObject({ category: { name: category.name } })
  await expectTruth(person, ledger)
})

test('a category that was never sent, or whose transaction has had another since, comes back to its transaction', async () => {
  const { person, category, expense, tea, one } = await twoDevices()
  const { ledger } = one
  const pets = await ledger.create('category', { name: 'Pets', type: 'expense' })
  const food = await ledger.create('transaction', { ...expense, category_id: pets })
  await ledger.remove('category', pets)
  await ledger.sync()
  await ledger.undo()
  await ledger.sync()
  expect(ledger.transaction(food)).toMatchObject({ category: { name: 'Pets' } })
  await ledger.remove('category', category.id)
  await ledger.update('transaction', tea, { category_id: ledger.categories()[0]?.key as string })
  await ledger.sync()
  await ledger.undo()
  await ledger.undo()
  await ledger.sync()
  expect(ledger.transaction(tea)).toMatchObject({ category: { name: category.name } })
  await ledger.sync()
  await expectTruth(person, ledger)
})

test('a transaction that was moved to another account in time does not come back a second time', async () => {
  const { person, account, tea, one, two } = await twoDevices()
  const savings = await two.ledger.create('account', { name: 'Savings', type: 'bank', starting_balance: 0 })
  await two.ledger.sync()
  await one.ledger.sync()
  await two.ledger.update('transaction', tea, { account_id: savings })
  await two.ledger.sync()
  await one.ledger.remove('account', account.id)
  await one.ledger.sync()
  await one.ledger.undo()
  await one.ledger.sync()
  expect(one.ledger.transactions().data).toMatchObject([{ account: { name: 'Savings' } }])
  await expectTruth(person, one.ledger)
})

test('rows that were never sent, or changes that cancel out, can be undone after their account or category is back', async () => {
  for (const noun of ['account', 'category'] as const) {
    const { person, account, category, expense, tea, one } = await twoDevices()
    const { ledger } = one
    const milk = await ledger.create('transaction', { ...expense, description: 'Milk' })
    await ledger.remove('transaction', milk)
    for (const amount of [9, 3]) await ledger.update('transaction', tea, { amount })
    await ledger.remove(noun, { account, category }[noun].id)
    await ledger.sync()
    await ledger.undo()
    await ledger.sync()
    await ledger.undo()
    expect(ledger.transactions().data).toMatchObject([{ amount: '9.00', category: { name: category.name } }])
    await ledger.undo()
    await ledger.undo()
    expect(await ledger.sync()).toMatchObject({ rejected: 0, waiting: 0, stopped: null })
    expect(
      ledger
        .transactions()
        .data.map(({ description }) => description)
        .sort(),
    ).toEqual(['Milk', 'Tea'])
    await expectTruth(person, ledger)
  }
})

test('a category and a transaction of it, whose deletions got no response, come back together', async () => {
  const { person, category, tea, one } = await twoDevices()
  const { ledger } = one
  await ledger.remove('category', category.id)
  await ledger.remove('transaction', tea)
  await syncOver(losing, one)
  for (let steps = 0; steps < 2; steps++) await ledger.undo()
  await ledger.sync()
  expect(ledger.transactions().data).toMatchObject([{ category: { name: category.name } }])
  await expectTruth(person, ledger)
})

test('a transfer waits for the second of its accounts to come back', async () => {
  const { person, account, one } = await twoDevices()
  const { ledger } = one
  const savings = await transferToSavings(ledger, account.id)
  const before = contents(ledger)
  for (const key of [account.id, savings]) await ledger.remove('account', key)
  await ledger.sync()
  await ledger.undo()
  expect(await ledger.sync()).toMatchObject({ rejected: 0, waiting: 0 })
  await expectTruth(person, ledger)
  await ledger.undo()
  expect(await ledger.sync()).toMatchObject({ rejected: 0, waiting: 0 })
  expect(contents(ledger)).toEqual(before)
})

test('several transactions are deleted in one step, and brought back by one undo, even after a sync', async () => {
  const world = newWorld()
  const person = await world.register()
  const { id: account_id } = await openAccount(person)
  const { id: category_id } = (await person.get('/api/categories')).body[0]
  const tea = { account_id, category_id, type: 'expense', transaction_date: '2026-11-20' }
  for (const amount of ['1.00', '2.00', '3.00']) await recordTransaction(person, { ...tea, amount })
  const { ledger } = await openDevice(world, person)
  await ledger.sync()
  const before = contents(ledger)
  const [first, second] = ledger.transactions().data.map(({ key }) => key)
  await ledger.remove('transaction', [first ?? '', second ?? '', first ?? ''])
  expect(ledger.transactions().data.map(({ amount }) => amount)).toEqual(['1.00'])
  await ledger.sync()
  expect(await ledger.undo()).toBe(true)
  expect(contents(ledger)).toEqual(before)
  await ledger.sync()
  expect(contents(ledger)).toEqual(before)
  await ledger.remove('transaction', [])
  expect(await ledger.undo()).toBe(false)
})
