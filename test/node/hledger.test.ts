import { execFileSync, spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { openApi } from '../../dev/seed/api.ts'
import { Dice } from '../dice.ts'
import { liveRandomly } from '../random-history.ts'
import type { Json } from '../worker/fixtures/responses.ts'
import { register, verifyByMail } from './fixtures/client.ts'
import { sharedPlace } from './fixtures/stack.ts'

// Debian has it: apt-get install hledger.
const isInstalled = spawnSync('hledger', ['--version']).status === 0
const histories = [20_261_126, 20_261_127]

/** Runs hledger on a journal. Throws if it exits with an error. */
const hledger = (journal: string, ...command: string[]) =>
  execFileSync('hledger', ['-f', '-', ...command], { input: journal, encoding: 'utf8', stdio: 'pipe' })

test.skipIf(!isInstalled).each(histories)(
  'hledger finds the balances of the API in a journal, history %i',
  async (seed) => {
    const place = await sharedPlace()
    const address = `http://127.0.0.1:${place.PORT}/api`
    const email = `hledger-${seed}@example.com`
    const { access_token: token } = await register(place, email)
    await verifyByMail(place, email)
    const api = openApi(address, token)
    await liveRandomly(api, new Dice(seed), 60)
    await bookOnOtherDays(api)
    await repeat(api)

    const response = await fetch(`${address}/export?format=hledger`, {
      headers: { Authorization: `Bearer ${token}` },
    })
    const journal = await response.text()
    hledger(journal, 'check', '--strict')
    const { body: accounts } = (await api('GET /accounts')) as { body: Json[] }
    const names = new Map(
      [...journal.matchAll(/^account (.+) {2}; id:(\d+)$/gm)].map(([, name, id]) => [Number(id), name]),
    )
    // A row of the balances: the account's full name, its short name, its depth, and its amounts.
    const [rows] = JSON.parse(hledger(journal, 'bal', '--flat', '-E', '-O', 'json', 'assets')) as [Json[]]
    const found = new Map(rows.map(([name, , , amounts]) => [name, amounts[0]?.aquantity.floatingPoint ?? 0]))
    expect(accounts.length).toBeGreaterThan(0)
    expect(accounts.map(({ id }) => [id, found.get(names.get(id))])).toEqual(
      accounts.map(({ id, balance }) => [id, balance]),
    )
    expect(journal).toMatch(new RegExp(`\n; complete: ${await totalOf(api)} transactions\n$`))

    expect(journal).toContain('; date:2026-10-20')
    expect(journal).toContain('; date:2026-11-03')
    const { body: checks } = (await api('GET /balance-checks')) as { body: Json[] }
    expect(new Set(checks.map(({ state }) => state)).size).toBe(2)
    for (const { account_id, date, balance, state } of checks) {
      const posting = `    ${names.get(account_id)}  0.00 = ${balance}\n`
      const shown =
        state === 'ok'
          ? `\n${date} * balance check\n${posting}`
          : `\n; ${date} * balance check, but the balance is `
      expect(journal).toContain(shown)
    }
    expect(journal).toContain('\n; ~ FREQ=MONTHLY, paused 2026-01-31 * (R1) Rent, heating\n;     expenses:')
    const uncommented = journal.replaceAll(/^; (.* balance check, .*\n); /gm, '$1')
    expect(() => hledger(uncommented, 'check')).toThrow('assertion')
    const wrong = journal.replace(/ {2}0\.00 = -?/, '$&1')
    expect(() => hledger(wrong, 'check')).toThrow('assertion')
  },
)

/** Imports two rows, moves each to the other side of a balance check, and makes the check right. */
async function bookOnOtherDays(api: ReturnType<typeof openApi>): Promise<void> {
  const call = async (request: string, body?: object) => (await api(request, body)).body as Json
  const { id: account_id } = await call('POST /accounts', {
    name: 'Booked',
    type: 'bank',
    starting_balance: 5,
  })
  const row = { account_id, type: 'expense', amount: 1, category_id: null }
  const days = { '2026-10-20': '2026-11-05', '2026-11-03': '2026-10-15' }
  const transactions = Object.keys(days).map((transaction_date) => ({ ...row, transaction_date }))
  expect(await call('POST /import/bank/store', { transactions })).toMatchObject({
    import: { counts: { created: 2 } },
  })
  const { data } = await call(`GET /transactions?account_id=${account_id}`)
  for (const { id, transaction_date } of data as { id: number; transaction_date: keyof typeof days }[])
    await call(`PATCH /transactions/${id}`, { transaction_date: days[transaction_date] })
  const check = { account_id, date: '2026-10-31', balance: 4 }
  expect(await call('POST /balance-checks', check)).toMatchObject({ state: 'ok' })
}

async function repeat(api: ReturnType<typeof openApi>): Promise<void> {
  const [account] = (await api('GET /accounts')).body as Json[]
  const category = ((await api('GET /categories')).body as Json[]).find(({ type }) => type === 'expense')
  const template = { account_id: account?.id, category_id: category?.id, type: 'expense', amount: 950 }
  const rule = { starts_on: '2026-01-31', rrule: 'FREQ=MONTHLY', paused: true }
  const texts = { description: 'Rent; heating', reference: 'R1' }
  expect((await api('POST /recurring', { ...template, ...rule, ...texts })).status).toBe(201)
}

async function totalOf(api: ReturnType<typeof openApi>): Promise<number> {
  return ((await api('GET /transactions')) as { body: Json }).body.total
}
