import { expect } from 'vitest'
import { noon, setClock } from '../fixtures/clock.ts'
import { aCategory, createWorld, type Json, openAccount, registerVerified } from '../fixtures/world.ts'

/** A verified user with an account and a category, on 20 November 2026 in a world of their own. */
export async function createHome() {
  setClock(noon)
  const world = createWorld()
  const person = await registerVerified(world)
  const account = await openAccount(person)
  const category = await aCategory(person)
  const rent: Json = {
    account_id: account.id,
    category_id: category.id,
    type: 'expense',
    amount: '950.00',
    description: 'Rent',
    starts_on: '2026-01-31',
    rrule: 'FREQ=MONTHLY',
  }
  /** Creates a rule: the rent, but for what is different. */
  async function create(details: Json = {}): Promise<Json> {
    const { status, body, text } = await person.post('/api/recurring', { ...rent, ...details })
    expect(status, text).toBe(201)
    return body
  }
  return { world, person, account, category, rent, create }
}

export type Home = Awaited<ReturnType<typeof createHome>>
