import { expect, test } from 'vitest'
import { LedgerError } from '../../../../client/index.ts'
import { noon, setClock } from '../../fixtures/clock.ts'
import { openAccount, registerVerified } from '../../fixtures/world.ts'
import { sendFile } from '../../imports/send-file.ts'
import { newWorld, openDevice } from './ledger-world.ts'
import { expectTruth } from './two-devices.ts'

const lastDay = '2026-10-31'
const errors = { transaction_date: ['The account is reconciled through 31 October 2026.'] }
const override = { override_reconciled: true }

/** A user with two accounts, a device, and a row of 12 October in a period that is reconciled through the 31st. */
async function withLock() {
  setClock(noon)
  const world = newWorld()
  const person = await registerVerified(world)
  const [account, cash] = [await openAccount(person), await openAccount(person, { name: 'Cash' })]
  const category = (await person.get('/api/categories')).body[0]
  const expense = {
    ...{ account_id: String(account.id), category_id: String(category.id), type: 'expense' as const },
    ...{ amount: '12.50', transaction_date: '2026-10-12', description: 'Tea' },
  }
  const { body: row } = await person.post('/api/transactions', { ...expense, account_id: account.id })
  const device = await openDevice(world, person)
  const { ledger } = device
  await ledger.sync()
  const check = await ledger.addCheck({ account_id: account.id, date: lastDay, balance: '87.50' })
  await ledger.reconcile(account.id, lastDay)
  expect(await ledger.sync()).toMatchObject({ rejected: 0, stopped: null })
  const state = () => ledger.check(check)?.state
  return { world, person, account, cash, expense, tea: String(row.id), device, ledger, check, state }
}

/** How a ledger refuses something. */
async function refusal(work: () => Promise<unknown>) {
  const error = await work().catch((error: unknown) => error)
  expect(error).toBeInstanceOf(LedgerError)
  const { message, errors, reconciledThrough } = error as LedgerError
  expect(message).toBe('The given data was invalid.')
  return { errors, reconciledThrough }
}
const locked = { errors, reconciledThrough: lastDay }

test('a write in a reconciled period is refused at once, and with the override breaks the check until it is undone', async () => {
  const { person, ledger, expense, tea, cash, state } = await withLock()
  const ways: ((options?: { override_reconciled: boolean }) => Promise<unknown>)[] = [
    (options) => ledger.create('transaction', expense, options),
    (options) => ledger.update('transaction', tea, { amount: '13.00' }, options),
    (options) => ledger.update('transaction', [tea], { account_id: cash.id }, options),
    (options) => ledger.update('transaction', tea, { transaction_date: '2026-11-01' }, options),
    (options) => ledger.remove('transaction', tea, options),
  ]
  for (const isSent of [false, true])
    for (const way of ways) {
      expect(await refusal(() => way())).toEqual(locked)
      expect(await refusal(() => way({ override_reconciled: false }))).toEqual(locked)
      expect(state()).toBe('ok')
      await way(override)
      expect(state()).toBe('broken')
      if (isSent) expect(await ledger.sync()).toMatchObject({ rejected: 0, stopped: null })
      expect(await ledger.undo()).toBe(true)
      expect(state()).toBe('ok')
      if (isSent) expect(await ledger.sync()).toMatchObject({ rejected: 0, stopped: null })
    }
  await ledger.update('transaction', ledger.transactions().data[0]?.key ?? '', {
    ...{ category_id: null, description: 'Beans', amount: 12.5 },
  })
  await ledger.sync()
  await expectTruth(person, ledger)
})

test('a step before the period was reconciled is undone only with the override', async () => {
  const { person, ledger, account, tea, check, state } = await withLock()
  await ledger.reconcile(account.id, null)
  await ledger.update('transaction', tea, { amount: '13.50' })
  await ledger.update('balance_check', check, { balance: '86.50' })
  await ledger.sync()
  await person.put(`/api/accounts/${account.id}`, { reconciled_through: lastDay })
  await ledger.sync()
  expect(await refusal(() => ledger.undo())).toEqual({
    ...{ errors: { date: errors.transaction_date }, reconciledThrough: lastDay },
  })
  await ledger.undo(override)
  expect(await refusal(() => ledger.undo())).toEqual(locked)
  expect(state()).toBe('broken')
  await ledger.undo(override)
  expect(state()).toBe('ok')
  expect(await ledger.sync()).toMatchObject({ rejected: 0, stopped: null })
  await expectTruth(person, ledger)
})

test('a period is reconciled only with a check that is ok, opened, mended and reconciled again, all before it is sent', async () => {
  const { person, ledger, account, tea, expense, check, state } = await withLock()
  const noCheck = {
    errors: { reconciled_through: ['There is no matching balance check on this day.'] },
    reconciledThrough: undefined,
  }
  expect(await refusal(() => ledger.reconcile(account.id, '2026-10-30'))).toEqual(noCheck)
  await ledger.reconcile(account.id, null)
  await ledger.update('transaction', tea, { amount: '11.00' })
  expect(await refusal(() => ledger.reconcile(account.id, lastDay))).toEqual(noCheck)
  await ledger.create('transaction', { ...expense, amount: '1.50' })
  await ledger.update('account', account.id, { starting_balance: '101.00' })
  await ledger.update('balance_check', check, { balance: '88.50' })
  await ledger.reconcile(account.id, lastDay)
  expect(await refusal(() => ledger.remove('transaction', tea))).toEqual(locked)
  expect(await refusal(() => ledger.update('account', account.id, { starting_balance: 1 }))).toEqual({
    ...{ errors: { starting_balance: errors.transaction_date }, reconciledThrough: lastDay },
  })
  expect(await ledger.sync()).toMatchObject({ conflicts: 0, rejected: 0, stopped: null })
  expect([state(), ledger.accounts()[0]?.reconciled_through]).toEqual(['ok', lastDay])
  await expectTruth(person, ledger)
})

test('a new account is reconciled before it is sent, in uploads of any size', async () => {
  const { world, person, expense } = await withLock()
  const limits = { operations: 1, bytes: 1_000_000, rows: 5_000 }
  const { ledger } = await openDevice(world, person, { limits })
  await ledger.sync()
  const account_id = await ledger.create('account', {
    ...{ name: 'Wallet', type: 'cash', starting_balance: '20.00' },
  })
  await ledger.create('transaction', { ...expense, account_id })
  await ledger.addCheck({ account_id, date: lastDay, balance: '7.50' })
  await ledger.reconcile(account_id, lastDay)
  expect(await ledger.sync()).toMatchObject({ rejected: 0, waiting: 0, stopped: null })
  expect(ledger.accounts().at(-1)).toMatchObject({ name: 'Wallet', reconciled_through: lastDay })
  await expectTruth(person, ledger)
})

test('what another device has reconciled meanwhile is rejected, shown as mine, and made with the override', async () => {
  const { world, person, ledger: one, account, tea, expense } = await withLock()
  const { ledger: two } = await openDevice(world, person)
  await one.reconcile(account.id, null)
  await one.sync()
  await two.sync()
  await one.reconcile(account.id, lastDay)
  await one.sync()
  await two.update('transaction', tea, { amount: '13.00' })
  const other = await two.create('transaction', { ...expense, amount: '1.00' })
  const late = await two.create('transaction', { ...expense, transaction_date: '2026-11-02' })
  expect(await two.sync()).toMatchObject({ rejected: 2, stopped: null })
  const rejected = () =>
    two.rejected().map(({ key, errors, reconciled_through: through }) => ({ key, errors, through }))
  expect(rejected()).toEqual([tea, other].map((key) => ({ key, errors, through: lastDay })))
  // A change that was refused has not been made: the row may go back to what it is for the service.
  expect(await refusal(() => two.update('transaction', tea, { amount: '14.00' }))).toEqual(locked)
  await two.update('transaction', tea, { amount: '12.50' })
  await two.update('transaction', other, { transaction_date: '2026-11-01' })
  expect(await two.sync()).toMatchObject({ rejected: 0, stopped: null })
  await two.update('transaction', tea, { amount: '13.00' }, override)
  await person.delete(`/api/transactions/${two.transaction(late)?.id}`)
  expect(await two.sync()).toMatchObject({ rejected: 0, stopped: null })
  await expectTruth(person, two)
})

test('a deletion that was refused is made with the override', async () => {
  const { world, person, ledger: one, account, tea, device } = await withLock()
  const { ledger: two } = await openDevice(world, person)
  await one.reconcile(account.id, null)
  await one.sync()
  await two.sync()
  await one.reconcile(account.id, lastDay)
  await one.sync()
  await two.remove('transaction', tea)
  expect(await two.sync()).toMatchObject({ rejected: 1 })
  const [rejection] = two.rejected()
  expect(rejection).toMatchObject({ op: 'delete', errors, reconciled_through: lastDay })
  if (rejection) await two.overrideReconciled(rejection)
  expect(await two.sync()).toMatchObject({ sent: 1, rejected: 0 })
  await device.ledger.sync()
  await expectTruth(person, one)
})

test('an occurrence in a reconciled period stays due until it is recorded with the override', async () => {
  const { person, ledger, expense } = await withLock()
  const { transaction_date: starts_on, ...template } = expense
  setClock(Date.parse('2026-10-01T12:00:00Z'))
  const rule = await ledger.create('recurring', { ...template, starts_on, rrule: 'FREQ=MONTHLY' })
  await ledger.sync()
  setClock(noon)
  const states = () =>
    ledger.upcoming().occurrences.map(({ occurrence_date, state }) => [occurrence_date, state])
  const before = states()
  const date = String(before[0]?.[0])
  expect(date).toBe(starts_on)
  for (let times = 0; times < 2; times++) {
    expect(await refusal(() => ledger.recordOccurrence(rule, date))).toEqual(locked)
    expect(states()).toEqual(before)
    await ledger.sync()
  }
  await ledger.recordOccurrence(rule, date, override)
  expect(await ledger.sync()).toMatchObject({ rejected: 0, stopped: null })
  expect(states()).not.toEqual(before)
  await expectTruth(person, ledger)
})

test('the deletion of an account is not bound by the periods of others, nor is undoing it', async () => {
  const { person, ledger, account, expense, state } = await withLock()
  for (const isSent of [false, true]) {
    const key = await ledger.create('account', { name: 'Other', type: 'bank', starting_balance: 0 })
    const to = { account_id: key, to_account_id: account.id, type: 'transfer' as const }
    await ledger.create('transaction', { ...expense, ...to }, override)
    if (isSent) await ledger.sync()
    expect(state()).toBe('broken')
    await ledger.remove('account', key)
    expect(state()).toBe('ok')
    if (isSent) await ledger.sync()
    await ledger.undo()
    expect(state()).toBe('broken')
    if (isSent) expect(await ledger.sync()).toMatchObject({ rejected: 0 })
    await ledger.remove('account', ledger.accounts().at(-1)?.key ?? '')
    expect(await ledger.sync()).toMatchObject({ rejected: 0, stopped: null })
  }
  await expectTruth(person, ledger)
})

test('a row of a file keeps the day of the bank when its date is edited, so its period does not bind that', async () => {
  const { world, person, ledger, account, state } = await withLock()
  await ledger.reconcile(account.id, null)
  await ledger.sync()
  const csv = 'Date,Amount,Description\n2026-10-20,-5.00,Soap\n'
  const file = await sendFile({ world, person }, `bank/store?account_id=${account.id}&signs=as_written`, csv)
  expect(file.status, file.text).toBe(200)
  await ledger.sync()
  await ledger.addCheck({ account_id: account.id, date: '2026-10-30', balance: '82.50' })
  await ledger.reconcile(account.id, '2026-10-30')
  await ledger.sync()
  const [soap] = ledger.transactions({ q: 'Soap' }).data
  await ledger.update('transaction', soap?.key ?? '', { transaction_date: '2026-11-03' })
  expect(ledger.transaction(soap?.key ?? '')?.booked_on).toBe('2026-10-20')
  expect(await refusal(() => ledger.update('transaction', soap?.key ?? '', { amount: 6 }))).toMatchObject({
    reconciledThrough: '2026-10-30',
  })
  expect(await ledger.sync()).toMatchObject({ rejected: 0, stopped: null })
  expect(ledger.transaction(soap?.key ?? '')?.booked_on).toBe('2026-10-20')
  expect(state()).toBe('broken')
  await expectTruth(person, ledger)
})
