import { type SQL, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { findDifferences } from '../../../src/database/check.ts'
import { addToTotals } from '../../../src/database/kept-totals.ts'
import { createWorld, recordTransaction } from '../fixtures/world.ts'
import { createHousehold, openWorldDatabase } from '../laws/every-route.ts'

const groceriesAre = (change: SQL) =>
  sql`update totals set ${change} where user_id = 1 and month = '2026-11' and type = 'expense'`

/** Who: user 1 spent 12.50 in November and got 30.00 in December; the rest is user 2's. */
const falsehoods: [figure: string, falsify: SQL, named: { what: string; key: string }[]][] = [
  [
    'what has moved on an account',
    sql`update accounts set moved = moved + 1 where id = 1`,
    [{ what: 'account balance', key: 'account 1' }],
  ],
  [
    'what has moved on an account, downwards',
    sql`update accounts set moved = moved - 1 where id = 2`,
    [{ what: 'account balance', key: 'account 2' }],
  ],
  [
    'the number of transactions of an account',
    sql`update accounts set transaction_count = transaction_count - 1 where id = 2`,
    [{ what: 'transactions of account', key: 'account 2' }],
  ],
  [
    'the number of transfers into an account',
    sql`update accounts set incoming_count = incoming_count + 1 where id = 1`,
    [{ what: 'transfers into account', key: 'account 1' }],
  ],
  [
    'the number of transfers of a month',
    sql`update totals set transaction_count = transaction_count + 1 where user_id = 1 and type = 'transfer'`,
    [{ what: 'total of transfer', key: 'user 1 2026-12 category 1 account 1 to 2' }],
  ],
  [
    'the total of a month',
    groceriesAre(sql`total = total - 1`),
    [{ what: 'total of expense', key: 'user 1 2026-11 category 1 account 1 to 0' }],
  ],
  [
    'the number of transactions of a month',
    groceriesAre(sql`transaction_count = transaction_count + 1`),
    [{ what: 'total of expense', key: 'user 1 2026-11 category 1 account 1 to 0' }],
  ],
  [
    'a total that is missing',
    sql`delete from totals where user_id = 1 and type = 'income'`,
    [{ what: 'total of income', key: 'user 1 2026-12 category 0 account 1 to 0' }],
  ],
  [
    'a total too many',
    sql`insert into totals (user_id, month, type, category_id, account_id, to_account_id, total, transaction_count)
        values (1, '2026-11', 'expense', 0, 1, 0, 0, 0)`,
    [{ what: 'total of expense', key: 'user 1 2026-11 category 0 account 1 to 0' }],
  ],
  [
    'a total too many of a user without transactions',
    sql`insert into totals (user_id, month, type, category_id, account_id, to_account_id, total, transaction_count)
        values (3, '2027-01', 'income', 0, 9, 0, 5, 2)`,
    [{ what: 'total of income', key: 'user 3 2027-01 category 0 account 9 to 0' }],
  ],
  [
    "an expense under another user's category",
    sql`update transactions set category_id = (select min(id) from categories where user_id = 2) where id = 1`,
    [{ what: "reference to another user's row", key: 'transaction 1' }],
  ],
  [
    "a transaction on another user's account",
    sql`update transactions set account_id = 3 where id = 1`,
    [{ what: "reference to another user's row", key: 'transaction 1' }],
  ],
  [
    "a transfer to another user's account",
    sql`update transactions set to_account_id = 3 where type = 'transfer' and user_id = 1`,
    [{ what: "reference to another user's row", key: 'transaction 2' }],
  ],
]

describe('the check of the kept figures', () => {
  test.each(falsehoods)('names %s', async (_, falsify, named) => {
    const db = await createLives()
    expect(await findDifferences(db)).toEqual([])
    await db.batch([db.run(falsify)])
    const found = (await findDifferences(db)).map(({ what, key }) => ({ what, key }))
    expect(found.sort(byText)).toEqual(named)
  })

  test('reports what is kept and what the rows say, in minor units', async () => {
    const db = await createLives()
    await db.batch([
      db.run(sql`update accounts set moved = moved + 1 where id = 2`),
      db.run(groceriesAre(sql`total = 1251`)),
      db.run(sql`delete from totals where user_id = 1 and type = 'income'`),
    ])
    expect((await findDifferences(db)).sort(byText)).toEqual([
      { what: 'account balance', key: 'account 2', kept: 2501, actual: 2500 },
      { what: 'total of expense', key: 'user 1 2026-11 category 1 account 1 to 0', kept: 1251, actual: 1250 },
      { what: 'total of income', key: 'user 1 2026-12 category 0 account 1 to 0', kept: null, actual: 3000 },
    ])
  })
})

/** Two users with a little of everything and a third with nothing; returns their database. */
async function createLives() {
  const world = createWorld()
  const { person, checking, cash, expense } = await createHousehold(world)
  await recordTransaction(person, expense())
  await recordTransaction(person, {
    ...expense(),
    type: 'transfer',
    to_account_id: cash.id,
    amount: 5,
    transaction_date: '2026-12-01',
  })
  const neighbour = await createHousehold(world)
  await neighbour.spend()
  await world.register()
  const db = openWorldDatabase(world)
  await db.batch([
    // The one thing that the API accepts only through sync: an income without a category.
    db.run(sql`
      insert into transactions (user_id, account_id, type, amount, transaction_date, is_synced, created_at, updated_at)
      values (${person.id}, ${checking.id}, 'income', 3000, '2026-12-01', 1, 0, 0)`),
    ...addToTotals(sql`${person.id}`, sql`is_synced`).map((statement) => db.run(statement)),
  ])
  return db
}

function byText(a: { what: string; key: string }, b: { what: string; key: string }): number {
  return `${a.what} ${a.key}` < `${b.what} ${b.key}` ? -1 : 1
}
