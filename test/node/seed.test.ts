import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { openApi } from '../../dev/seed/api.ts'
import { demoUser } from '../../dev/seed/demo-user.ts'
import { accounts } from '../../dev/seed/habits.ts'
import { yearUntil } from '../../dev/seed/household.ts'
import { addDays } from '../../src/domain/dates.ts'
import { newPlace, type Place, projectDirectory, start } from './stack.ts'

const today = '2026-11-21'
const anyDayOfTwoYears = Array.from({ length: 730 }, (_, i) => addDays(today, i))

test('a day of the household is the same whenever it is asked for', () => {
  expect(yearUntil(today)).toEqual(yearUntil(today))
  const shared = (rows: ReturnType<typeof yearUntil>) =>
    rows.filter(({ transaction_date: date }) => date > addDays(today, -364) && date <= today)
  expect(shared(yearUntil(addDays(today, 1)))).toEqual(shared(yearUntil(today)))
  expect(shared(yearUntil(today)).length).toBeGreaterThan(500)
})

test('whenever the year ends, its last month has something to show, and nobody was ever overdrawn', () => {
  for (const day of anyDayOfTwoYears) {
    const rows = yearUntil(day)
    const thisMonth = rows.filter((row) => row.transaction_date.startsWith(day.slice(0, 7)))
    expect(new Set(thisMonth.map(({ type }) => type)), day).toEqual(
      day.endsWith('-01') ? new Set(['income', 'expense']) : new Set(['income', 'expense', 'transfer']),
    )
    expect(new Set(rows.map(({ client_id }) => client_id)).size).toBe(rows.length)
    expect(lowestBalance(rows), day).toBeGreaterThan(0)
  }
})

test('npm run seed fills a database once, with a stack and without, and brings back nothing that was deleted', async () => {
  const place = await newPlace()
  const first = await seed(place)
  expect(first.output).toMatch(
    /^The stack is not running: starting it.*\n\nAdded \d+ transactions, the last year/,
  )
  expect(first.code, first.output).toBe(0)

  await start(place).ready()
  const address = `http://127.0.0.1:${place.PORT}/api`
  const { access_token: token, email_verified } = body(await openApi(address)('POST /login', demoUser))
  expect(email_verified).toBe(true)
  const api = openApi(address, String(token))
  const { total, data } = body(await api('GET /transactions')) as { total: number; data: { id: number }[] }
  expect(first.output).toContain(`Added ${total} transactions`)
  expect(total).toBeGreaterThan(500)
  const summary = body(await api('GET /summary'))
  expect(summary.accounts).toHaveLength(accounts.length)
  expect(summary.monthly_summary).toMatchObject({ income: expect.any(Number), expense: expect.any(Number) })
  expect(summary.category_breakdown).toContainEqual({
    category_id: expect.any(Number),
    category_name: 'Housing',
    total: 1380,
  })
  expect(body(await api('GET /transactions?q=coat')).total).toBeGreaterThan(0)
  expect(body(await api('GET /transactions?category_id=none&type=expense')).total).toBeGreaterThan(0)

  await api(`DELETE /transactions/${data[0]?.id}`)
  const again = await seed(place)
  expect(again.code, again.output).toBe(0)
  expect(again.output).toContain(
    `Already seeded: nothing was added to ${total - 1} transactions. Deleted here before, and left so: 1.`,
  )
  expect(body(await api('GET /transactions')).total).toBe(total - 1)
  const [, printed = ''] = /TOKEN='(\S+)'/.exec(again.output) ?? []
  expect((await openApi(address, printed)('GET /me')).status).toBe(200)
})

test('npm run seed leaves remote databases alone, and says so in one line', async () => {
  const place = await newPlace()
  const remote = await seed({ ...place, TURSO_DATABASE_URL: 'libsql://purse.turso.io' })
  expect(remote).toEqual({
    code: 1,
    output:
      'error: the database is not on this machine. To fill it anyway: npm run seed -- --remote-database\n',
  })
  const mail = await seed({ ...place, RESEND_API_KEY: 're_1' })
  expect(mail.code).toBe(1)
  expect(mail.output).toMatch(/^error: .*unset RESEND_API_KEY and RESEND_BASE_URL\.\n$/)
})

async function seed(place: Place & Record<string, string>): Promise<{ code: number; output: string }> {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...place }
  const child = spawn(process.execPath, ['dev/seed.ts'], { cwd: projectDirectory, env })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  const [code] = await once(child, 'close')
  return { code, output }
}

function body(answer: { body: unknown }): Record<string, unknown> {
  return answer.body as Record<string, unknown>
}

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
