import { expect, test } from 'vitest'
import { findDifferences } from '../../src/database/check.ts'
import { createBanked } from './banked.ts'
import { openWorldDatabase } from './laws/every-route.ts'
import { picker } from './picker.ts'
import { create, upload } from './uploads.ts'
import { createWorld, type Json, openAccount } from './world.ts'

type Pick = ReturnType<typeof picker>
type Home = Awaited<ReturnType<typeof createBanked>>

const dayOf = (day: number) => `2026-11-${String(day).padStart(2, '0')}`

/** A bank's file, whose running balances say what the account held at its end. */
async function importStatement(home: Home, account: Json, rows: [string, string, string][], options: string) {
  let balance = 100
  const lines = rows.map(([date, amount, words]) => {
    balance += Number(amount)
    return `${date};${amount};${balance.toFixed(2)};${words}`
  })
  const answer = await home.world.call(
    'POST',
    `/api/import/bank/store?account_id=${account.id}&signs=as_written&${options}`,
    {
      token: home.person.token,
      rawBody: ['Date;Amount;Balance;Description', ...lines].join('\n'),
      headers: { 'Content-Type': 'text/csv' },
    },
  )
  expect([answer.status, answer.body.errors]).toEqual([200, undefined])
  return answer.body.import
}

test('a dry run with match=sure says what the account holds once what is sure has been joined', async () => {
  const home = await createBanked()
  const { person, category } = home
  const account = await openAccount(person, { name: 'Daily', starting_balance: '100.00' })
  const coffee = { account_id: account.id, category_id: category.id, type: 'expense', amount: '5.00' }
  await person.post('/api/transactions', { ...coffee, transaction_date: dayOf(10), description: 'coffee' })
  const rows: [string, string, string][] = [
    [dayOf(11), '-5.00', 'coffee'],
    [dayOf(12), '-20.00', 'shoes'],
  ]
  const dry = await importStatement(home, account, rows, 'match=sure&dry_run=true')
  expect(dry).toMatchObject({
    counts: { created: 2, possible: 0, joined: 1 },
    closing_balance: { statement: 75, account: 75, agrees: true },
  })
  const real = await importStatement(home, account, rows, 'match=sure')
  expect(dry).toEqual({ ...real, id: null, dry_run: true })
})

test('a dry run with match=sure counts the matches that its joins bring up', async () => {
  const home = await createBanked()
  const { person, checking, savings, category } = home
  const deposit = { account_id: savings.id, category_id: category.id, type: 'income', amount: '5.00' }
  // Once the second deposit is a leg of what the file has, the first looks like a duplicate of it.
  for (const [day, description] of [
    [10, ''],
    [15, 'From Checking'],
  ] as const)
    await person.post('/api/transactions', { ...deposit, transaction_date: dayOf(day), description })
  const rows: [string, string, string][] = [[dayOf(15), '-5.00', 'To Nestegg']]
  const dry = await importStatement(home, checking, rows, 'match=sure&dry_run=true')
  expect(dry.counts).toMatchObject({ created: 1, possible: 1, joined: 1 })
  const real = await importStatement(home, checking, rows, 'match=sure')
  expect(dry).toEqual({ ...real, id: null, dry_run: true })
})

/** Few amounts on few days, with words that name accounts or say little, so that many rows may be one event. */
const aRow = (pick: Pick): [date: string, amount: string, words: string] => [
  dayOf(pick(...Array.from({ length: 16 }, (_, day) => day + 5))),
  pick('-5.00', '5.00', '-7.00', '7.00'),
  pick('Coffee', 'To Nestegg', 'From Checking', 'transfer', ''),
]

/** Somebody with typed and imported rows, some of them joined, rejected or edited. */
async function createLife(world: ReturnType<typeof createWorld>, pick: Pick) {
  const home = await createBanked(world)
  const { person, checking, savings, cash, category } = home
  const accounts = [checking, savings, cash]
  const typed = Array.from({ length: pick(2, 5, 9) }, (_, nth) => {
    const [transaction_date, amount, description] = aRow(pick)
    return create('transaction', `typed-${nth}`, {
      account_id: pick(...accounts).id,
      category_id: category.id,
      type: amount.startsWith('-') ? 'expense' : 'income',
      amount: amount.replace('-', ''),
      description,
      transaction_date,
    })
  })
  await upload(person, typed)
  for (const account of accounts)
    if (pick(true, false)) {
      const rows = Array.from({ length: pick(1, 2, 4) }, () => aRow(pick))
      await home.importRows(account, rows, `&match=${pick('off', 'suggest', 'sure')}`)
    }
  for (const { kind, ids } of await home.matches('from=2026-10-01&to=2026-12-31'))
    if (pick(true, false, false)) await person.post(`/api/matches/${pick('join', 'reject')}`, { kind, ids })
  return { ...home, accounts }
}

test('whatever is there, a dry run answers as the real one does, and leaves no trace', async () => {
  const world = createWorld()
  const pick = picker(20_261_124)
  const all = 'from=2026-10-01&to=2026-12-31'
  let joined = 0
  let afterJoins = 0
  for (let life = 0; life < 10; life++) {
    const home = await createLife(world, pick)
    const { person, accounts } = home
    const seen = async () => [
      (await person.get('/api/transactions?per_page=100')).body,
      (await person.get('/api/accounts')).body,
      (await person.get('/api/categories')).body,
      (await person.get(`/api/matches?${all}`)).body,
    ]
    for (let file = 0; file < 3; file++) {
      const account = pick(...accounts)
      const rows = Array.from({ length: pick(2, 3, 5) }, () => aRow(pick)).sort(([a], [b]) =>
        a < b ? -1 : 1,
      )
      const options = `match=${pick('sure', 'sure', 'suggest')}&reimport_deleted=${pick(true, false)}`
      const before = await seen()
      const start = (await person.get('/api/changes?start=now')).body
      const dry = await importStatement(home, account, rows, `${options}&dry_run=true`)
      expect(await seen()).toEqual(before)
      expect((await person.get(`/api/changes?cursor=${start.cursor}`)).body.changes).toEqual([])
      const real = await importStatement(home, account, rows, options)
      expect([life, file, dry]).toEqual([life, file, { ...real, id: null, dry_run: true }])
      joined += real.counts.joined
      if (real.counts.joined > 0) afterJoins += real.counts.possible
    }
  }
  expect([joined > 4, afterJoins > 2]).toEqual([true, true])
  expect(await findDifferences(openWorldDatabase(world))).toEqual([])
})
