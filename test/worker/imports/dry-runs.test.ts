import { expect, test } from 'vitest'
import { findDifferences } from '../../../src/database/check.ts'
import { picker } from '../../dice.ts'
import { createBanked } from '../fixtures/banked.ts'
import { create, upload } from '../fixtures/uploads.ts'
import { createWorld, type Json } from '../fixtures/world.ts'
import { openWorldDatabase } from '../laws/every-route.ts'
import { sendFile } from './send-file.ts'

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
  const to = `bank/store?account_id=${account.id}&signs=as_written&${options}`
  const response = await sendFile(home, to, ['Date;Amount;Balance;Description', ...lines].join('\n'))
  expect([response.status, response.body.errors]).toEqual([200, undefined])
  return response.body.import
}

/** Few amounts on few days, with words that name accounts or say little, so that many rows may be one event. */
const aRow = (pick: Pick): [date: string, amount: string, words: string] => [
  dayOf(pick(...Array.from({ length: 16 }, (_, day) => day + 5))),
  pick('-5.00', '5.00', '-7.00', '7.00'),
  pick('Coffee', 'To Nestegg', 'From Checking', 'transfer', ''),
]

/** A user with typed and imported rows, some of them joined, rejected or edited. */
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
      await home.importRows(account, rows, `&match=${pick('off', 'suggest')}`)
    }
  for (const { kind, ids } of await home.matches('from=2026-10-01&to=2026-12-31'))
    if (pick(true, false, false)) await person.post(`/api/matches/${pick('join', 'reject')}`, { kind, ids })
  return { ...home, accounts }
}

test('whatever is there, a dry run responds as the real one does, and leaves no trace', async () => {
  const world = createWorld()
  const pick = picker(20_261_124)
  const all = 'from=2026-10-01&to=2026-12-31'
  let possible = 0
  for (let life = 0; life < 6; life++) {
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
      const options = `match=suggest&categorise=${pick('learned', 'off')}&reimport_deleted=${pick(true, false)}`
      const before = await seen()
      const start = (await person.get('/api/changes?start=now')).body
      const dry = await importStatement(home, account, rows, `${options}&dry_run=true`)
      expect(await seen()).toEqual(before)
      expect((await person.get(`/api/changes?cursor=${start.cursor}`)).body.changes).toEqual([])
      const real = await importStatement(home, account, rows, options)
      expect([life, file, dry]).toEqual([
        life,
        file,
        { ...real, id: null, dry_run: true, preview: dry.preview },
      ])
      possible += real.counts.possible
    }
  }
  expect(possible).toBeGreaterThan(4)
  expect(await findDifferences(openWorldDatabase(world))).toEqual([])
})
