import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { maxAccounts } from '../../../src/database/quotas.ts'
import firefly from '../../corpus/cases/app-firefly-older-opening.csv?raw'
import mint from '../../corpus/cases/app-mint-half-alone.csv?raw'
import ynab from '../../corpus/generic-csv/ynab.csv?raw'
import { createWorld, expectInvalid, type Json } from '../fixtures/world.ts'
import { askDatabase, createHousehold, type Household, verify } from '../laws/every-route.ts'
import { sendFile } from './send-file.ts'

let household: Household
beforeEach(async () => {
  household = await createHousehold(createWorld())
})

const importCsv = (csv: string, query = 'create_accounts=true', headers: Record<string, string> = {}) =>
  sendFile(household, `store?${query}`, csv, headers)

const accounts = async () =>
  (await household.person.get('/api/accounts')).body.map(({ name, type, starting_balance, balance }: Json) =>
    [name, type, starting_balance, balance].join(' '),
  )
const before = ['Checking bank 100.00 100', 'Cash cash 20.00 20']

const csv = `date,type,amount,account,to_account
2026-11-01,income,500,Savings,
2026-11-02,transfer,30,savings,Wallet
2026-11-03,expense,4,CHECKING,
`

describe('create_accounts', () => {
  test('creates the accounts that a file names and the user lacks, and says which', async () => {
    const dryRun = await importCsv(csv, 'create_accounts=true&dry_run=true')
    expect(dryRun.body.import).toMatchObject({
      accounts_created: ['Savings', 'Wallet'],
      counts: { created: 3 },
    })
    expect(dryRun.body.import.preview.rows[1]).toMatchObject({ account: 'savings', to_account: 'Wallet' })
    expect(await accounts()).toEqual(before)

    const key = { 'Idempotency-Key': 'move' }
    const first = await importCsv(csv, 'create_accounts=true', key)
    expect(first.body.import).toMatchObject({
      accounts_created: ['Savings', 'Wallet'],
      counts: { created: 3 },
    })
    const after = ['Checking bank 100.00 96', before[1], 'Savings bank 0.00 470', 'Wallet bank 0.00 30']
    expect(await accounts()).toEqual(after)
    expect((await importCsv(csv, 'create_accounts=true', key)).body).toEqual(first.body)
    const again = await importCsv(csv)
    expect(again.body.import).toMatchObject({ accounts_created: [], counts: { created: 0, duplicate: 3 } })
    expect(await accounts()).toEqual(after)
  })

  test('creates nothing if a row is invalid, or for a user who may not import', async () => {
    const invalid = `${csv}2026-11-04,transfer,5,Brokerage,brokerage\n`
    expectInvalid(await importCsv(invalid), {
      'rows.5.to_account': ['The to account field and account must be different.'],
    })
    expectInvalid(await importCsv(csv, 'create_accounts=false'), {
      'rows.2.account': ['The selected account is invalid.'],
      'rows.3.account': ['The selected account is invalid.'],
      'rows.3.to_account': [
        'The selected to account is invalid.',
        'The to account field and account must be different.',
      ],
    })
    expect(await accounts()).toEqual(before)
    const stranger = await household.world.register()
    household = { ...household, person: stranger }
    expect((await importCsv(csv)).status).toBe(403)
    expect(await accounts()).toEqual([])
  })

  test('respects the bound of accounts, as a whole', async () => {
    await askDatabase(
      household.world,
      sql`insert into accounts (user_id, name, type, starting_balance, created_at, updated_at)
          with recursive n(i) as (select 1 union all select i + 1 from n where i < ${maxAccounts - 3})
          select ${household.person.id}, 'Account ' || i, 'bank', 0, 0, 0 from n`,
    )
    expectInvalid(await importCsv(csv), { account: [`You cannot have more than ${maxAccounts} accounts.`] })
    expect(await accounts()).toHaveLength(maxAccounts - 1)
    const { body } = await importCsv('date,type,amount,account\n2026-11-01,income,500,Savings\n')
    expect(body.import.accounts_created).toEqual(['Savings'])
  })

  test('is refused where nothing names accounts', async () => {
    const errors = { create_accounts: ['Only a file of import/store names accounts that can be created.'] }
    const { person, expense } = household
    const rows = { transactions: [expense()], create_accounts: true }
    expectInvalid(await person.post('/api/import/store', rows), errors)
    expectInvalid(await person.post('/api/import/bank/store', rows), errors)
  })
})

test('the export of another app arrives with its balances, transfers and splits, and only once', async () => {
  const { world, person } = household
  const upload = (query: string) => importCsv(ynab, query)
  const preview = (await upload('create_accounts=true&dry_run=true')).body.import
  expect(preview).toMatchObject({ accounts_created: ['Savings', 'Old Brokerage'], counts: { created: 6 } })
  expect(await accounts()).toEqual(before)
  const { body } = await upload('create_accounts=true')
  expect(body.import).toMatchObject({
    accounts_created: ['Savings', 'Old Brokerage'],
    counts: { created: 6 },
  })
  // Checking exists, so its starting balance is not that of the file.
  expect(body.import.skipped).toBe(2)
  expect(await accounts()).toEqual([
    'Checking bank 100.00 1400',
    before[1],
    'Savings bank 0.00 1500',
    'Old Brokerage bank 0.00 -1250',
  ])
  expect((await upload('create_accounts=true')).body.import.counts).toMatchObject({
    created: 0,
    duplicate: 6,
  })

  household = { ...household, person: await world.register() }
  await verify(world, household.person)
  expect((await upload('create_accounts=true')).body.import.skipped).toBe(1)
  expect(await accounts()).toContain('Checking bank 310.55 1610.55')
  expect((await person.get('/api/transactions?type=transfer')).body.total).toBe(2)
})

describe('names of accounts', () => {
  const rowsOf = async () =>
    (await household.person.get('/api/transactions?per_page=50')).body.data
      .map(({ account, to_account, amount }: Json) => [account.name, to_account?.name ?? null, amount])
      .sort()

  test('that differ in white space alone are two, exactly matched first', async () => {
    const { person } = household
    for (const name of ['Cash  EUR', 'Cash EUR', 'Livret\u00a0A'])
      await person.post('/api/accounts', { name, type: 'bank', starting_balance: 0 })
    const rows = 'date,type,amount,account\n2026-11-01,expense,1,Cash  EUR\n2026-11-02,expense,2,Cash EUR\n'
    expect((await importCsv(rows, 'match=off')).status).toBe(200)
    for (const name of ['livret A', 'Livret\u00a0A']) {
      const file = `date,type,amount,account\n2026-11-03,expense,3,${name}\n`
      expect((await importCsv(file, 'match=off&reimport_deleted=true')).body.errors).toBe(undefined)
    }
    expect(await rowsOf()).toEqual([
      ['Cash  EUR', null, '1.00'],
      ['Cash EUR', null, '2.00'],
      ['Livret\u00a0A', null, '3.00'],
    ])
  })

  test('that a file tells apart are never one account', async () => {
    const rows = 'date,type,amount,account\n2026-11-01,expense,1,Checking\n2026-11-02,expense,2,Check ing\n'
    expectInvalid(await importCsv(rows, 'match=off'), {
      'rows.3.account': ['The selected account is invalid.'],
    })
    const created = await importCsv(rows)
    expect(created.body.import.accounts_created).toEqual(['Check ing'])
    expect(await rowsOf()).toEqual([
      ['Check ing', null, '2.00'],
      ['Checking', null, '1.00'],
    ])
  })
})

test('the accounts of a file win over account_id, or are refused', async () => {
  const { person, checking } = household
  expectInvalid(await importCsv(firefly, `account_id=${checking.id}`), {
    'rows.3.to_account': ['The selected to account is invalid.'],
  })
  await importCsv(firefly, `account_id=${checking.id}&create_accounts=true`)
  expect((await person.get('/api/accounts')).body).toMatchObject([{ balance: 2307.9 }, {}, { balance: 250 }])
})

test('halves of transfers that stay are counted in the message, with a link to matches', async () => {
  const { body } = await importCsv(mint)
  expect(body.message).toBe(
    'Successfully imported 5 transactions. 2 rows of the file are halves of transfers without the other half: see matches_url.',
  )
  expect(body.import).toMatchObject({
    counts: { halves: 2 },
    matches_url: expect.stringMatching(/\/api\/matches\?from=2026-05-02&to=2026-05-21$/),
  })
  expect((await importCsv(mint)).body.message).toBe('Nothing was imported: all rows are duplicates.')
})

test('undoing an import takes back the starting balances that it gave, unless they were changed since', async () => {
  const { world } = household
  const person = await world.register()
  await verify(world, person)
  household = { ...household, person }
  const { body } = await importCsv(ynab)
  expect(await accounts()).toContain('Checking bank 310.55 1610.55')
  expect((await person.delete(`/api/imports/${body.import.id}`)).status).toBe(204)
  expect((await accounts()).sort()).toEqual([
    'Checking bank 0.00 0',
    'Old Brokerage bank 0.00 0',
    'Savings bank 0.00 0',
  ])

  const other = await world.register()
  await verify(world, other)
  household = { ...household, person: other }
  const again = await importCsv(ynab)
  const checking = (await other.get('/api/accounts')).body.find(({ name }: Json) => name === 'Checking')
  await other.put(`/api/accounts/${checking.id}`, { starting_balance: '99.00' })
  await other.delete(`/api/imports/${again.body.import.id}`)
  expect(await accounts()).toContain('Checking bank 99.00 99')
})
