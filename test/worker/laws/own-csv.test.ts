import { expect, test } from 'vitest'
import { Dice } from '../../dice.ts'
import {
  aCategory,
  createWorld,
  type Json,
  openAccount,
  type Person,
  registerVerified,
} from '../fixtures/world.ts'
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

/** A purchase that is typed on the 17th and booked on the 19th, and what may become of both before the export. */
const fates: Record<
  string,
  (place: { person: Person; ids: number[]; own: Json; other: Json }) => Promise<unknown>
> = {
  'are joined': ({ person, ids }) => person.post('/api/matches/join', { kind: 'duplicate', ids }),
  'are joined, and the one that remains is moved': async ({ person, ids }) => {
    await person.post('/api/matches/join', { kind: 'duplicate', ids })
    await person.put(`/api/transactions/${ids[0]}`, { transaction_date: '2026-11-16', amount: 5 })
  },
  'are joined, separated and joined again': async ({ person, ids }) => {
    await person.post('/api/matches/join', { kind: 'duplicate', ids })
    await person.post('/api/matches/separate', { id: ids[0] })
    await person.post('/api/matches/join', { kind: 'duplicate', ids })
  },
  'are two, of which the booked one is moved': ({ person, ids }) =>
    person.put(`/api/transactions/${ids[1]}`, { transaction_date: '2026-11-12' }),
  'are two, and the booked one becomes a transfer': async ({ person, ids, own, other }) => {
    const rule = { type: 'transfer', account_id: own.id, to_account_id: other.id, amount: '31.40' }
    const { id } = (
      await person.post('/api/recurring', { ...rule, starts_on: '2026-11-19', rrule: 'FREQ=MONTHLY' })
    ).body
    await person.put(`/api/recurring/${id}/occurrences/2026-11-19`, { transaction_id: ids[1] })
  },
  'are two, and the booked one is joined as the outflow of a transfer': async ({ person, ids, other }) => {
    const income = { account_id: other.id, type: 'income', amount: '31.40', transaction_date: '2026-11-20' }
    const { id } = (
      await person.post('/api/transactions', {
        ...income,
        category_id: (await aCategory(person, 'income')).id,
      })
    ).body
    await person.post('/api/matches/join', { kind: 'transfer', ids: [ids[1], id] })
  },
}

test.each(Object.entries(fates))(
  'the CSV brings nothing to its own user if a typed row and a booked one %s',
  async (_, becomes) => {
    const person = await registerVerified(world)
    const [own, other] = [await openAccount(person), await openAccount(person, { name: 'Other' })]
    const row = { account_id: own.id, type: 'expense', amount: '31.40' }
    const category_id = (await aCategory(person)).id
    const typed = { ...row, category_id, transaction_date: '2026-11-17', description: 'Cinema' }
    const first = (await person.post('/api/transactions', typed)).body
    const booked = {
      ...row,
      transaction_date: '2026-11-19',
      description: 'CARD 4711 CINEMA',
      reference: 'B1',
    }
    await person.post('/api/import/store', { transactions: [booked], match: 'off' })
    const [second] = (await person.get('/api/transactions?from=2026-11-19')).body.data
    const earlier = (await person.get('/api/export?format=csv')).text
    await becomes({ person, ids: [first.id, second.id], own, other })
    const kept = await rowsOf(person)
    const { text } = await person.get('/api/export?format=csv')
    const { status, body } = await sendFile({ world, person }, 'store', text)
    expect([status, body.import?.counts]).toMatchObject([200, { created: 0, rows: kept.length }])
    expect(await rowsOf(person)).toEqual(kept)
    // A bank's file is compared by the bank's day alone: another purchase of the 17th is one.
    const coffee = {
      ...row,
      transaction_date: '2026-11-17',
      description: 'CARD 4711 COFFEE',
      reference: 'B2',
    }
    const again = await person.post('/api/import/store', { transactions: [booked, coffee], match: 'off' })
    expect(again.body.import.counts.duplicate).toBeGreaterThan(0)
    if (kept.length === 1) expect(again.body.import.counts).toMatchObject({ created: 1, duplicate: 1 })
    // An export from before the join has both.
    if (kept.length === 1 && !kept[0]?.includes('2026-11-16'))
      expect((await sendFile({ world, person }, 'store', earlier)).body.import.counts).toMatchObject({
        created: 0,
      })
  },
)
