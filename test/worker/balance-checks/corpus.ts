import { beforeAll, expect, test, vi } from 'vitest'
import { type AnsweringOptions, answersOf } from '../../../src/imports/answers.ts'
import { createWorld, type Json, openAccount } from '../fixtures/world.ts'
import { sendFile } from '../imports/send-file.ts'
import { createHousehold, type Household } from '../laws/every-route.ts'

declare global {
  interface ImportMeta {
    /** From Vite: the matching files as data URLs or, for JSON, parsed. */
    glob<T>(
      pattern: string | string[],
      options: { query?: '?url&inline'; import: 'default'; eager: true },
    ): Record<string, T>
  }
}

/** What a file is imported with, as the file beside it says. */
type Case = { file: string; kind: string; answers?: AnsweringOptions; opts?: { params?: AnsweringOptions } }

const contents = import.meta.glob<string>(['../../corpus/**/*', '!**/*.json', '!**/generic-csv/*'], {
  query: '?url&inline',
  import: 'default',
  eager: true,
})
const cases = import.meta.glob<Case>('../../corpus/{cases,oddities}/*.json', {
  import: 'default',
  eager: true,
})
const expectations = import.meta.glob<{ options?: AnsweringOptions }>('../../corpus/*/*.expected.json', {
  import: 'default',
  eager: true,
})

/** Of all files. */
const leastChecked = 165

type File = { name: string; url: string; answers: Record<string, string> }
const files: File[] = Object.entries(contents).flatMap(([name, url]) => {
  const expected = expectations[name.replace(/\.\w+$/, '.expected.json')]
  if (expected) return [{ name, url, answers: answersOf(expected.options ?? {}) }]
  const [, one] = Object.entries(cases).find(([at, { file }]) => name === at.replace(/[^/]+$/, file)) ?? []
  if (one?.kind !== 'bank') return []
  return [{ name, url, answers: { ...answersOf(one.opts?.params ?? {}), ...answersOf(one.answers ?? {}) } }]
})

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2027-06-01T12:00:00Z') })
})

/** Imports a file into an account of its own, and chooses the first account of a file that has several. */
async function importFile(household: Household, account: Json, { url, answers }: File) {
  const content = Uint8Array.from(atob(url.replace(/^.*,/, '')), (one) => one.charCodeAt(0))
  const send = (given: Record<string, string>) =>
    sendFile(
      household,
      `bank/store?${new URLSearchParams({ ...given, account_id: account.id, match: 'off' })}`,
      content,
    )
  const response = await send(answers)
  const choice = response.body.questions?.find(({ field }: Json) => field === 'statement_account')
  return choice ? send({ ...answers, statement_account: choice.options[0].value }) : response
}

/** What a check says of a row that was changed, added or removed by hand after the import. */
async function expectNamed({ person, expense }: Household, { id, account_id, date, balance }: Json) {
  const named = async (of = id) => (await person.get(`/api/balance-checks/${of}`)).body
  const { data } = (await person.get(`/api/transactions?account_id=${account_id}&to=${date}`)).body
  const row = data[data.length >> 1]
  if (row) {
    await person.put(`/api/transactions/${row.id}`, { amount: Number(row.amount) + 1 })
    expect((await named()).broken_by).toMatchObject([{ op: 'updated', transaction_id: row.id }])
    await person.put(`/api/transactions/${row.id}`, { amount: row.amount })
    expect(await named()).toMatchObject({ state: 'ok' })
  }

  const typed = { ...expense(), account_id, transaction_date: date, force: true }
  const added = (await person.post('/api/transactions', typed)).body
  expect((await named()).broken_by).toMatchObject([{ op: 'created', transaction_id: added.id }])
  await person.delete(`/api/balance-checks/${id}`)
  const later = (await person.post('/api/balance-checks', { account_id, date, balance })).body
  expect((await named(later.id)).candidates).toContainEqual({
    kind: 'missing_or_extra',
    transaction_ids: [added.id],
    starting_balance: null,
  })
  await person.delete(`/api/transactions/${added.id}`)

  if (!row) return
  await person.delete(`/api/transactions/${row.id}`)
  expect((await named(later.id)).broken_by).toMatchObject([{ op: 'deleted', transaction_id: row.id }])
}

/** Imports a file into an account of its own; false if that makes no check. */
async function isChecked(household: Household, file: File): Promise<boolean> {
  const { person } = household
  const account = await openAccount(person, { starting_balance: 0 })
  const { status, body } = await importFile(household, account, file)
  // Some need an answer that the file beside them does not give.
  if (status !== 200 || body.import.balance_checks.length === 0) return false
  await person.put(`/api/accounts/${account.id}`, { starting_balance: body.import.starting_balance ?? 0 })
  const checks: Json[] = (await person.get(`/api/balance-checks?account_id=${account.id}`)).body
  expect(checks.map(({ state }) => state)).toEqual(checks.map(() => 'ok'))
  await expectNamed(household, checks.at(-1))
  return true
}

/** Tests the balances of one file in so many. */
export function testCorpus(oneIn: number): void {
  test('the balances of a file are those of a ledger with its rows, and a row changed, added or removed by hand is named', async () => {
    const world = createWorld()
    const some = files.filter((_, nth) => nth % oneIn === 0)
    let household = await createHousehold(world)
    let checked = 0
    for (const [nth, file] of some.entries()) {
      // A user may have only so many accounts.
      if (nth % 200 === 199) household = await createHousehold(world)
      const isOne = await isChecked(household, file).catch((error) => {
        throw new Error(`${file.name}: ${error.message}`, { cause: error })
      })
      if (isOne) checked += 1
    }
    expect(checked).toBeGreaterThanOrEqual(Math.floor(leastChecked / oneIn))
  })
}
