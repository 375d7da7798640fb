import { aCategory, type Json, openAccount, type Person, recordTransaction, type World } from './world.ts'

export type Result = { index: number; outcome: string } & Json

/** Uploads operations, which must be accepted, and returns the result of each, in order. */
export async function upload(person: Person, ops: unknown[]): Promise<Result[]> {
  const { status, text, body } = await person.post('/api/changes', { ops })
  if (status !== 200) throw new Error(`The upload responded with ${status}: ${text}`)
  return body.results
}

/** Uploads one operation, and returns its result, without its index. */
export async function uploadOne(person: Person, op: Json): Promise<Json> {
  const [{ index: _, ...result }] = (await upload(person, [op])) as [Result]
  return result
}

export const create = (noun: string, client_id: string, set: object) => ({
  op: 'create',
  noun,
  client_id,
  set,
})
export const update = (noun: string, row: number | string, set: object, was?: object) => ({
  op: 'update',
  noun,
  ...named(row),
  set,
  ...(was && { was }),
})
export const remove = (noun: string, row: number | string, was?: object) => ({
  op: 'delete',
  noun,
  ...named(row),
  ...(was && { was }),
})

/** A row is named by its id, or by a text that is its client id. */
const named = (row: number | string) => (typeof row === 'string' ? { client_id: row } : { id: row })

export const wallet = { name: 'Wallet', type: 'cash', starting_balance: '20.50' }

/** A user with two accounts, a category, and an expense of 12.00. */
export async function createLedger(world: World) {
  const person = await world.register()
  const checking = await openAccount(person)
  const cash = await openAccount(person, { name: 'Cash', type: 'cash' })
  const category = await aCategory(person)
  const fields = {
    account_id: checking.id,
    category_id: category.id,
    type: 'expense',
    amount: '12.00',
    transaction_date: '2026-11-20',
    description: 'Coffee beans',
  }
  const transaction = await recordTransaction(person, fields)
  const read = async (id = transaction.id) => (await person.get(`/api/transactions/${id}`)).body
  return { world, person, checking, cash, category, fields, transaction, read }
}
