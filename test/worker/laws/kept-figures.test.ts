import { type SQL, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { findDifferences } from '../../../src/db/check.ts'
import { createWorld, recordTransaction } from '../world.ts'
import { createHousehold, openWorldDatabase } from './every-route.ts'

const novemberIs = (change: SQL) =>
  sql`update month_totals set ${change} where user_id = 1 and month = '2026-11'`
const decemberIs = (change: SQL) =>
  sql`update month_totals set ${change} where user_id = 1 and month = '2026-12'`
const groceriesAre = (change: SQL) =>
  sql`update category_totals set ${change} where user_id = 1 and month = '2026-11' and type = 'expense'`

/** Who: user 1 spent 12.50 in November and got 30.00 in December; the rest is user 2's. */
const falsehoods: [figure: string, falsify: SQL, named: { what: string; key: string }[]][] = [
  [
    'what has moved on an account',
    sql`update accounts set moved = moved + 1 where id = 1`,
    [
      { what: 'account balance', key: 'account 1' },
      { what: 'total balance', key: 'user 1' },
    ],
  ],
  [
    'what has moved on an account, downwards',
    sql`update accounts set moved = moved - 1 where id = 2`,
    [
      { what: 'account balance', key: 'account 2' },
      { what: 'total balance', key: 'user 1' },
    ],
  ],
  [
    'the total balance of a user',
    sql`update users set balance = balance + 1 where id = 1`,
    [{ what: 'total balance', key: 'user 1' }],
  ],
  [
    'the total balance of a user without accounts',
    sql`update users set balance = -1 where id = 3`,
    [{ what: 'total balance', key: 'user 3' }],
  ],
  [
    'the number of transactions',
    sql`update users set transaction_count = transaction_count + 1 where id = 2`,
    [{ what: 'transaction count', key: 'user 2' }],
  ],
  [
    'the number of transactions of an account',
    sql`update accounts set transaction_count = transaction_count - 1 where id = 2`,
    [{ what: 'transactions of account', key: 'account 2' }],
  ],
  [
    'the number of transfers of a month',
    sql`update category_totals set transaction_count = transaction_count + 1 where user_id = 1 and type = 'transfer'`,
    [{ what: 'category transfer', key: 'user 1 2026-12 category 1' }],
  ],
  [
    'the income of a month',
    decemberIs(sql`income = income - 1`),
    [{ what: 'month income', key: 'user 1 2026-12' }],
  ],
  [
    'the income of a month, gone to nothing',
    decemberIs(sql`income = 0`),
    [{ what: 'month income', key: 'user 1 2026-12' }],
  ],
  [
    'the income of a month without income',
    novemberIs(sql`income = 7`),
    [{ what: 'month income', key: 'user 1 2026-11' }],
  ],
  [
    'a negative income of a month without income',
    novemberIs(sql`income = -7`),
    [{ what: 'month income', key: 'user 1 2026-11' }],
  ],
  [
    'the expenses of a month',
    novemberIs(sql`expense = expense + 1`),
    [{ what: 'month expense', key: 'user 1 2026-11' }],
  ],
  [
    'negative expenses of a month without expenses',
    decemberIs(sql`expense = -7`),
    [{ what: 'month expense', key: 'user 1 2026-12' }],
  ],
  [
    'the number of transactions of a month',
    novemberIs(sql`transaction_count = transaction_count + 1`),
    [{ what: 'month count', key: 'user 1 2026-11' }],
  ],
  [
    'a month that is missing',
    sql`delete from month_totals where user_id = 1 and month = '2026-11'`,
    [{ what: 'month expense', key: 'user 1 2026-11' }],
  ],
  [
    'a month too many',
    sql`insert into month_totals (user_id, month, income, expense, transaction_count) values (1, '2027-01', 0, 0, 0)`,
    [{ what: 'month count', key: 'user 1 2027-01' }],
  ],
  [
    'a month too many of somebody without transactions',
    sql`insert into month_totals (user_id, month, income, expense, transaction_count) values (3, '2027-01', 5, 6, 2)`,
    [
      { what: 'month count', key: 'user 3 2027-01' },
      { what: 'month expense', key: 'user 3 2027-01' },
      { what: 'month income', key: 'user 3 2027-01' },
    ],
  ],
  [
    'the total of a category',
    groceriesAre(sql`total = total - 1`),
    [{ what: 'category expense', key: 'user 1 2026-11 category 1' }],
  ],
  [
    'the number of transactions of a category',
    groceriesAre(sql`transaction_count = transaction_count + 1`),
    [{ what: 'category expense', key: 'user 1 2026-11 category 1' }],
  ],
  [
    'a category that is missing',
    sql`delete from category_totals where user_id = 1 and type = 'income'`,
    [{ what: 'category income', key: 'user 1 2026-12 category 0' }],
  ],
  [
    'a category too many',
    sql`insert into category_totals (user_id, month, type, category_id, total, transaction_count)
        values (1, '2026-11', 'expense', 0, 0, 0)`,
    [{ what: 'category expense', key: 'user 1 2026-11 category 0' }],
  ],
  [
    "an expense under another user's category",
    sql`update transactions set category_id = (select min(id) from categories where user_id = 2) where id = 1`,
    [{ what: "reference to another user's row", key: 'transaction 1' }],
  ],
  [
    "a transaction on another user's account",
    sql`update transactions set account_id = 3 where id = 1`,
    [
      { what: "reference to another user's row", key: 'transaction 1' },
      { what: 'total balance', key: 'user 1' },
      { what: 'total balance', key: 'user 2' },
    ],
  ],
  [
    "a transfer to another user's account",
    sql`update transactions set to_account_id = 3 where type = 'transfer' and user_id = 1`,
    [
      { what: "reference to another user's row", key: 'transaction 2' },
      { what: 'total balance', key: 'user 1' },
      { what: 'total balance', key: 'user 2' },
    ],
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

  test('tells what is kept and what the rows say, in minor units', async () => {
    const db = await createLives()
    await db.batch([
      db.run(sql`update accounts set moved = moved + 1 where id = 2`),
      db.run(decemberIs(sql`income = 2999`)),
      db.run(novemberIs(sql`income = -7`)),
    ])
    expect((await findDifferences(db)).sort(byText)).toEqual([
      { what: 'account balance', key: 'account 2', kept: 2501, actual: 2500 },
      { what: 'month income', key: 'user 1 2026-11', kept: -7, actual: null },
      { what: 'month income', key: 'user 1 2026-12', kept: 2999, actual: 3000 },
      { what: 'total balance', key: 'user 1', kept: 13750, actual: 13751 },
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
    // The one thing that the API takes through sync only: an income without a category.
    db.run(sql`
      insert into transactions (user_id, account_id, type, amount, transaction_date, is_synced, created_at, updated_at)
      values (${person.id}, ${checking.id}, 'income', 3000, '2026-12-01', 1, 0, 0)`),
  ])
  return db
}

function byText(a: { what: string; key: string }, b: { what: string; key: string }): number {
  return `${a.what} ${a.key}` < `${b.what} ${b.key}` ? -1 : 1
}
