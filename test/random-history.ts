import type { Api } from '../dev/seed/api.ts'
import type { Dice } from './dice.ts'
import { randomTransaction } from './random-transaction.ts'
import type { Json } from './worker/fixtures/responses.ts'

/** Texts that mean something to spreadsheets, to readers of CSV or to hledger. */
const texts = [
  ...[
    'Bread',
    'Café 😀',
    '=1+1',
    '+49 30 1',
    '-5',
    '@import',
    "'",
    '"quoted"',
    '12.50',
    '2026-01-01',
    '(code) x',
  ],
  ...[
    'a, b; c',
    'x|y',
    '* star',
    '! mark',
    ': colon: ',
    'tag:value',
    'Saldo',
    'Total 3',
    'Opening balance',
    '% ~ =',
  ],
  ...['two  spaces', 'a\nb', 'a\tb', '; comment', 'e\u0301', 'EUR 5', '\\', 'null'],
]
const accountNames = ['Giro', 'Cash; coins', 'A:B', '=SUM(A1)', '"Q", a', "L'Été", '12.50', 'Total 3']
const days = [
  '1999-12-31',
  '2024-02-29',
  '2026-10-31',
  '2026-11-01',
  '2026-11-20',
  '2026-11-20',
  '2031-01-01',
]

/** What the rows of a history are made of: few amounts, days and texts make rows alike. */
export type Parts = {
  days: readonly string[]
  amount: () => string
  text: () => string | null
}

type Acts = (() => Promise<unknown>)[]

/** Lives a random history of a user whose address is verified, with texts that are hard to export. */
export async function liveRandomly(api: Api, dice: Dice, steps: number): Promise<void> {
  const pick = <T>(...choices: T[]): T => dice.oneOf(choices)
  for (const name of accountNames.slice(0, pick(1, 3, 8)))
    await api('POST /accounts', {
      name,
      type: pick('bank', 'cash', 'mobile'),
      kind: pick(null, 'current', 'card'),
      starting_balance: pick('0', '-17.30', '12345678.90'),
      notes: pick(null, ...texts),
      closed_on: pick(null, null, '2026-11-20'),
    })
  const amount = () => `${pick(0, 1, 7, 1_250, 999_999)}.${pick('01', '10', '50', '99')}`
  const parts = { days, amount, text: () => pick(null, ...texts) }
  for (let step = 0; step < steps; step += 1) await actRandomly(api, dice, parts)
}

/** Does something through any route that writes: to transactions in three of four cases. */
export async function actRandomly(api: Api, dice: Dice, parts: Parts): Promise<void> {
  if (!dice.isOnceIn(4)) return actOnRows(api, dice, parts)
  const pick = <T>(...choices: T[]): T => dice.oneOf(choices)
  const { amount, text } = parts
  const [categories, accounts] = [await idsOf(api, '/categories'), await idsOf(api, '/accounts')]
  // No two names are equal: a CSV does not tell which of two accounts is meant.
  const name = () => `${text()} ${dice.from(1, 1e9)}`
  const acts: Acts = [
    () => api('POST /categories', { name: name(), type: pick('income', 'expense') }),
    () => api(`DELETE /categories/${pick(...categories)}`),
    () => api('POST /accounts', { name: name(), type: 'bank', starting_balance: amount() }),
    async () => accounts.length > 2 && dice.isOnceIn(3) && api(`DELETE /accounts/${pick(...accounts)}`),
    () => api(`PATCH /accounts/${pick(...accounts)}`, { notes: text(), starting_balance: amount() }),
    async () => {
      const check = {
        account_id: pick(...accounts),
        date: pick(...parts.days.slice(0, -1)),
        balance: amount(),
      }
      const { body } = (await api('POST /balance-checks', check)) as { body: Json }
      // Nearly all are right in the end.
      if (body.id && pick(true, true, false))
        await api(`PATCH /balance-checks/${body.id}`, { balance: body.ledger_balance })
    },
    () =>
      api('PATCH /me', {
        name: pick('Ada', 'Grace'),
        reminder_time: pick(null, '07:30'),
        due_reminders: pick(true, false),
        currency: pick(null, 'EUR'),
      }),
  ]
  await pick(...acts)()
}

/** Writes transactions: one by one, as a batch, as an upload or as a file; joins, separates and removes some. */
export async function actOnRows(api: Api, dice: Dice, parts: Parts): Promise<void> {
  const pick = <T>(...choices: T[]): T => dice.oneOf(choices)
  const [rows, imports] = [await idsOf(api, '/transactions?per_page=500'), await idsOf(api, '/imports')]
  const [categories, accounts] = [await idsOf(api, '/categories'), await idsOf(api, '/accounts')]
  const row = pick(0, ...rows)
  const pair = { kind: pick('duplicate', 'transfer'), ids: [row, pick(0, ...rows)] }
  /** A transfer may be without a category; another row is not, if there is one. */
  const aRow = () => randomTransaction(dice, { accounts, categories, ...parts })
  const some = () => Array.from({ length: pick(1, 5, 9) }, aRow)
  const client_id = `made-${dice.from(1, 1e9)}`
  const change = () =>
    pick<Json>(aRow(), { amount: parts.amount() }, { transaction_date: pick(...parts.days) })
  const acts: Acts = [
    () => api('POST /transactions', { ...aRow(), force: true }),
    () => api('POST /transactions', { ...aRow(), force: true }),
    () => api(`PATCH /transactions/${row}`, change()),
    () => api(`PATCH /transactions/${row}`, change()),
    () => api(`PATCH /transactions/${row}`, { category_id: null, description: parts.text() }),
    () => api(`DELETE /transactions/${row}`),
    () => api('POST /transactions/sync', { transactions: [...some(), { ...aRow(), client_id }] }),
    () => {
      const edits = { noun: 'transaction', id: row }
      const edit = pick<Json>(
        { ...edits, op: 'update', set: { amount: parts.amount() } },
        { ...edits, op: 'delete' },
      )
      return api('POST /changes', {
        ops: [{ op: 'create', noun: 'transaction', client_id, set: aRow() }, edit],
      })
    },
    // Rows of a bank's file, of which some stand for typed ones.
    () => api('POST /import/bank/store', { transactions: some().filter(({ type }) => type !== 'transfer') }),
    async () => imports.length > 2 && api(`DELETE /imports/${pick(...imports)}${pick('', '?force=true')}`),
    () => api('POST /matches/join', pair),
    () => api('POST /matches/join', pair),
    () => api('POST /matches/reject', pair),
    () => api('POST /matches/separate', { id: row }),
  ]
  await pick(...acts)()
}

async function idsOf(api: Api, path: string): Promise<number[]> {
  const { body } = (await api(`GET ${path}`)) as { body: Json }
  return (body.data ?? body).map(({ id }: Json) => id)
}
