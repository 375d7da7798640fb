import { expect, test } from 'vitest'
import { accounts } from '../../dev/seed/habits.ts'
import { yearUntil } from '../../dev/seed/household.ts'
import { addDays } from '../../src/domain/dates.ts'
import { runCommand } from './fixtures/run-command.ts'
import { newPlace } from './fixtures/stack.ts'

const today = '2026-11-21'
/** Every third day of two years, and a leap day with its neighbours. */
const manyDays = [
  ...Array.from({ length: 243 }, (_, i) => addDays(today, 3 * i)),
  ...['2028-02-28', '2028-02-29', '2028-03-01'],
]

test('a day of the household is the same whenever it is made', () => {
  expect(yearUntil(today)).toEqual(yearUntil(today))
  const shared = (rows: ReturnType<typeof yearUntil>) =>
    rows.filter(({ transaction_date: date }) => date > addDays(today, -364) && date <= today)
  expect(shared(yearUntil(addDays(today, 1)))).toEqual(shared(yearUntil(today)))
  expect(shared(yearUntil(today)).length).toBeGreaterThan(500)
})

test('whenever the year ends, its last month has something to show, and no account was ever overdrawn', () => {
  for (const day of manyDays) {
    const rows = yearUntil(day)
    const thisMonth = rows.filter((row) => row.transaction_date.startsWith(day.slice(0, 7)))
    expect(new Set(thisMonth.map(({ type }) => type)), day).toEqual(
      day.endsWith('-01') ? new Set(['income', 'expense']) : new Set(['income', 'expense', 'transfer']),
    )
    expect(new Set(rows.map(({ client_id }) => client_id)).size).toBe(rows.length)
    expect(lowestBalance(rows), day).toBeGreaterThan(0)
  }
})

test('npm run seed leaves remote databases alone, and says so in one line', async () => {
  const place = await newPlace()
  const remote = await runCommand('seed', { ...place, TURSO_DATABASE_URL: 'libsql://purse.turso.io' })
  expect(remote).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'error: the database is not on this machine. To fill it anyway: npm run seed -- --remote-database\n',
  })
  const mail = await runCommand('seed', { ...place, RESEND_API_KEY: 're_1' })
  expect(mail.code).toBe(1)
  expect(mail.stderr).toMatch(/^error: .*run without RESEND_API_KEY and RESEND_BASE_URL\.\n$/)
})

/** In minor units, over all accounts at any time. */
function lowestBalance(rows: ReturnType<typeof yearUntil>): number {
  const cents = (amount: string) => Math.round(Number(amount) * 100)
  const balances = new Map<string, number>(accounts.map((one) => [one.name, cents(one.starting_balance)]))
  const move = (account: string, by: number) => {
    const balance = (balances.get(account) ?? Number.NaN) + by
    balances.set(account, balance)
    return balance
  }
  return Math.min(
    ...rows.map(({ account, to_account, type, amount }) => {
      if (to_account) move(to_account, cents(amount))
      return move(account, type === 'income' ? cents(amount) : -cents(amount))
    }),
  )
}
