import { expect } from 'vitest'
import { createHousehold } from './laws/every-route.ts'
import { createWorld, type Json, openAccount } from './world.ts'

/** A household with a bank account, a savings account and a way to import bank statements. */
export async function createBanked(world = createWorld()) {
  const home = await createHousehold(world)
  const savings = await openAccount(home.person, { name: 'Nestegg' })
  const importRows = async (
    account: Json,
    rows: [date: string, amount: string, words?: string][],
    options = '',
  ) => {
    const lines = rows.map(([date, amount, words = '']) => `${date},${amount},${words}`)
    const response = await home.world.call(
      'POST',
      `/api/import/store?account_id=${account.id}&signs=as_written${options}`,
      {
        token: home.person.token,
        rawBody: ['date,amount,description', ...lines].join('\n'),
        headers: { 'Content-Type': 'text/csv' },
      },
    )
    expect([response.status, response.body.errors]).toEqual([200, undefined])
    return response.body.import
  }
  const matches = async (query = 'from=2026-11-01&to=2026-11-30') => {
    const { status, body } = await home.person.get(`/api/matches?${query}`)
    expect(status).toBe(200)
    return body.matches as Json[]
  }
  return { ...home, savings, importRows, matches }
}
