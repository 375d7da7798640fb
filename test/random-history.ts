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

/** Lives a random history of a user whose address is verified: files, joins and separations among it. */
export async function liveRandomly(api: Api, dice: Dice, steps: number): Promise<void> {
  const pick = <T>(...choices: T[]): T => dice.oneOf(choices)
  const ids = async (path: string): Promise<number[]> => {
    const { body } = (await api(`GET ${path}`)) as { body: Json }
    return (body.data ?? body).map(({ id }: Json) => id)
  }
  const amount = () => `${pick(0, 1, 7, 1_250, 999_999)}.${pick('01', '10', '50', '99')}`
  for (const name of accountNames.slice(0, pick(1, 3, 8)))
    await api('POST /accounts', {
      name,
      type: pick('bank', 'cash', 'mobile'),
      starting_balance: pick('0', '-17.30', '12345678.90'),
      notes: pick(null, ...texts),
    })

  /** A transfer may be without a category; another row is not, if there is one. */
  const newRow = (accounts: number[], categories: number[]) => {
    const parts = { accounts, categories, days, amount, text: () => pick(null, ...texts) }
    return randomTransaction(dice, parts)
  }

  for (let step = 0; step < steps; step += 1) {
    const rows = await ids('/transactions?per_page=500')
    const row = pick(0, ...rows)
    const pair = { kind: pick('duplicate', 'transfer'), ids: [row, pick(0, ...rows)] }
    const [categories, accounts] = [await ids('/categories'), await ids('/accounts')]
    const aRow = () => newRow(accounts, categories)
    const act = pick<() => Promise<unknown>>(
      () => api('POST /transactions', { ...aRow(), force: true }),
      () => api('POST /transactions', { ...aRow(), force: true }),
      () => api(`PATCH /transactions/${row}`, aRow()),
      () => api(`PATCH /transactions/${row}`, { category_id: null, amount: amount() }),
      () => api(`DELETE /transactions/${row}`),
      () => {
        const rows = Array.from({ length: pick(1, 5, 9) }, aRow)
        // Rows of a bank's file, of which some stand for typed ones.
        return api('POST /import/bank/store', {
          transactions: rows.filter(({ type }) => type !== 'transfer'),
        })
      },
      () => api('POST /matches/join', pair),
      () => api('POST /matches/join', pair),
      () => api('POST /matches/reject', pair),
      () => api('POST /matches/separate', { id: row }),
      () => api('POST /categories', { name: pick(...texts), type: pick('income', 'expense') }),
      () => api(`DELETE /categories/${pick(...categories)}`),
      async () => accounts.length > 2 && step % 5 === 0 && api(`DELETE /accounts/${pick(...accounts)}`),
      () =>
        api(`PATCH /accounts/${pick(...accounts)}`, {
          notes: pick(null, ...texts),
          starting_balance: amount(),
        }),
      async () => {
        const check = { account_id: pick(...accounts), date: pick(...days.slice(0, -1)), balance: amount() }
        const { body } = (await api('POST /balance-checks', check)) as { body: Json }
        // Nearly all are right in the end.
        if (body.id && pick(true, true, false))
          await api(`PATCH /balance-checks/${body.id}`, { balance: body.ledger_balance })
      },
      () => api('PATCH /me', { name: pick('Ada', 'Grace'), reminder_time: pick(null, '07:30') }),
    )
    await act()
  }
}
