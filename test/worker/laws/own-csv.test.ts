import { expect, test } from 'vitest'
import { Dice } from '../../dice.ts'
import { createWorld, type Json, type Person, registerVerified } from '../fixtures/world.ts'
import { sendFile } from '../imports/send-file.ts'

/** Pieces that readers of files trim, fold, strip, or take for something else. */
const pieces = [
  ...[
    'a',
    'B',
    'b',
    ' ',
    '  ',
    '\u00a0',
    '\t',
    '\n',
    '\r\n',
    '\r',
    '\u2028',
    '\u3000',
    '"',
    '""',
    "'",
    ',',
    ';',
    '|',
  ],
  ...[
    '=',
    '="1"',
    '@',
    '<OFX>',
    '!Type:Bank',
    ':20:',
    '{1:',
    '[{',
    '<Document>',
    'NONREF',
    'Total',
    'Pending',
  ],
  ...[
    '\u200b',
    '\u200d',
    '\u200f',
    '\u202e',
    '\u00ad',
    '\ufeff',
    '\u0001',
    '\u007f',
    '\ufffd',
    'é',
    'e\u0301',
    'ß',
  ],
  ...[
    'İ',
    'ς',
    '٣',
    '１',
    '👩‍👩‍👧',
    '🇪🇺',
    '日本',
    '2026-01-02',
    '1,50',
    '-3.20',
    'Transfer',
    'date,amount,type',
  ],
]
const textOf = (dice: Dice) => Array.from({ length: dice.from(1, 6) }, () => dice.oneOf(pieces)).join('')

const world = createWorld()

/** A user with random names and texts, as far as the API accepts them. */
async function withRandomTexts(dice: Dice): Promise<Person> {
  const person = await registerVerified(world)
  const created = async (path: string, bodies: object[]) => {
    const found: Json[] = []
    for (const body of bodies) {
      const response = await person.post(path, body)
      if (response.status === 201) found.push(response.body)
    }
    return found
  }
  const of = (count: number, make: () => object) => Array.from({ length: count }, make)
  const opened = await created(
    '/api/accounts',
    of(12, () => ({ name: textOf(dice), type: 'bank', starting_balance: 0 })),
  )
  const names = new Set(opened.map(({ name }) => name))
  const accounts = [...names].map((name) => opened.find((one) => one.name === name)) as Json[]
  const categories = await created(
    '/api/categories',
    of(8, () => ({ name: textOf(dice), type: 'expense' })),
  )
  const transactions = of(40, () => {
    const [from, to] = dice.shuffled(accounts)
    const type = dice.oneOf(['income', 'expense', 'transfer'])
    return {
      ...{ type, amount: dice.from(1, 99_999) / 100, account_id: from?.id, force: true },
      ...(type === 'transfer' ? { to_account_id: to?.id } : { category_id: dice.oneOf(categories).id }),
      transaction_date: dice.oneOf(['1900-01-01', '2026-11-05', '2026-11-06', '2100-12-31']),
      ...{ description: textOf(dice), reference: dice.happens(0.5) ? textOf(dice) : null },
    }
  })
  expect((await created('/api/transactions', transactions)).length).toBeGreaterThan(20)
  return person
}

async function rowsOf(person: Person): Promise<string[]> {
  const { body } = await person.get('/api/transactions?per_page=500')
  return body.data
    .map(({ account, to_account, category, ...row }: Json) => {
      const { type, amount, transaction_date, description, reference } = row
      const names = [account.name, to_account?.name ?? null, category?.name ?? null]
      return JSON.stringify([transaction_date, type, amount, ...names, description, reference])
    })
    .sort()
}

test.each([1, 2, 3, 4, 5, 6])(
  'the CSV of a user comes back equal, whatever the texts (seed %i)',
  async (seed) => {
    const person = await withRandomTexts(new Dice(seed))
    const { text } = await person.get('/api/export?format=csv')
    const other = await registerVerified(world)
    const { status, body } = await sendFile(
      { world, person: other },
      'store?create_accounts=true&match=off',
      text,
    )
    expect([status, body.errors]).toEqual([200, undefined])
    expect(await rowsOf(other)).toEqual(await rowsOf(person))
    const again = await sendFile({ world, person: other }, 'store?match=off', text)
    expect(again.body.import.counts).toMatchObject({ created: 0 })
  },
)
