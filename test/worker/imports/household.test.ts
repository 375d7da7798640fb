import { expect, test } from 'vitest'
import { findDifferences } from '../../../src/database/check.ts'
import { householdOf } from '../../households/household.ts'
import { create, upload } from '../fixtures/uploads.ts'
import { aCategory, createWorld, type Json, openAccount } from '../fixtures/world.ts'
import { createHousehold, openWorldDatabase } from '../laws/every-route.ts'
import { sendFile } from './send-file.ts'

/** A user who does what that household did: types on a phone, and imports each file once it can be downloaded. */
async function liveAs(seed: number) {
  const { names, typed, files } = householdOf(seed, 2)
  const { world, person } = await createHousehold(createWorld())
  const open = (name: string) => openAccount(person, { name, starting_balance: '3500.00' })
  const accounts = {
    giro: await open(names.giro),
    second: await open(names.second),
    cash: await open(names.cash),
  }
  const categories = { expense: (await aCategory(person)).id, income: (await aCategory(person, 'income')).id }
  const ops = typed.map(({ type, account, to, amount, date, words }, nth) =>
    create('transaction', `note-${nth}`, {
      type,
      account_id: accounts[account].id,
      to_account_id: to && accounts[to].id,
      category_id: type === 'transfer' ? null : categories[type],
      amount: (amount / 100).toFixed(2),
      transaction_date: date,
      description: words || null,
    }),
  )
  const outcomes = await upload(person, ops)
  expect(new Set(outcomes.map(({ outcome }) => outcome))).toEqual(new Set(['created']))
  const rows = async () => {
    const { body } = await person.get('/api/transactions?per_page=500')
    return body.data.map(({ version: _, ...row }: Json) => row) as Json[]
  }
  const joinSure = async () => {
    const { body } = await person.get('/api/matches?from=2025-07-01&to=2025-12-31')
    const sure = body.matches.filter(({ certainty }: Json) => certainty === 'sure')
    if (sure.length === 0) return 0
    const pairs = sure.map(({ kind, ids }: Json) => ({ kind, ids })).slice(0, 100)
    const { body: joined } = await person.post('/api/matches/join', { pairs })
    return joined.outcomes.filter(({ transaction }: Json) => transaction).length
  }
  const importAll = async () => {
    const done = []
    for (const { bank, contentType, text } of files) {
      const to = `bank/store?account_id=${accounts[bank].id}`
      const response = await sendFile({ world, person }, to, text, { 'Content-Type': contentType })
      expect([response.status, response.body.errors]).toEqual([200, undefined])
      done.push({
        id: response.body.import.id,
        counts: response.body.import.counts,
        joined: await joinSure(),
      })
    }
    return done
  }
  const isExact = async () => expect(await findDifferences(openWorldDatabase(world))).toEqual([])
  return { person, rows, importAll, isExact }
}

test.each([1, 2])(
  'what a household %i typed and its banks wrote is joined, recognised again, and undone',
  async (seed) => {
    const { person, rows, importAll, isExact } = await liveAs(seed)
    const before = await rows()
    const imports = await importAll()
    expect(imports.reduce((sum, { joined }) => sum + joined, 0)).toBeGreaterThan(5)
    await isExact()
    const joined = await rows()
    for (const { counts } of await importAll())
      expect(counts).toMatchObject({ created: 0, deleted_before: 0 })
    expect(await rows()).toEqual(joined)
    for (const { id } of imports.reverse())
      expect((await person.delete(`/api/imports/${id}`)).status).toBe(204)
    expect(await rows()).toEqual(before)
    await isExact()
  },
)
