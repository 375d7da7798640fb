import { sql } from 'drizzle-orm'
import { expect, test, vi } from 'vitest'
import { builder } from '../../src/db/client.ts'
import { prepare, type Slots } from '../../src/db/prepared.ts'
import { runAll } from '../../src/db/run.ts'
import { openWorldDatabase } from './laws/every-route.ts'
import { createWorld } from './world.ts'

type Input = { a: number; b?: string | null | undefined; when?: Date; both?: boolean; list?: number[] }

const columns = ({ a, b, when, both, list = [] }: Slots<Input>) => ({
  a,
  twice: sql<number>`${a} + ${a}`,
  marks: sql<string>`'?' || "what?" || 'it''s?'`,
  b: b ?? sql<string>`'left out'`,
  at: when ?? sql<number>`0`,
  both: both ? sql<string>`'both'` : sql<string>`'one'`,
  sum: sql<number>`${sql.join([sql`0`, ...list], sql` + `)}`,
})

test('a prepared statement gets the values of each input, and is made once for each shape', async () => {
  const db = openWorldDatabase(createWorld())
  let made = 0
  const statements = prepare((input: Slots<Input>) => {
    made += 1
    return {
      row: builder.select(columns(input)).from(sql`(select '!' as "what?")`),
      fixed: [builder.all(sql`select ${input.a} as a, '?' as b`)],
    }
  })
  const ask = async (input: Input) => {
    const { row, fixed } = await runAll(db, statements(input))
    expect(fixed).toEqual([[{ a: input.a, b: '?' }]])
    return row[0]
  }
  const plain = { a: 1, twice: 2, marks: "?!it's?", b: 'left out', at: 0, both: 'one', sum: 0 }
  expect(await ask({ a: 1 })).toEqual(plain)
  expect(await ask({ a: 2, b: undefined })).toEqual({ ...plain, a: 2, twice: 4 })
  expect(made).toBe(1)
  expect(await ask({ a: 1, b: '?1' })).toEqual({ ...plain, b: '?1' })
  expect(await ask({ a: 1, b: null })).toEqual({ ...plain, b: null })
  expect(made).toBe(2)
  expect(await ask({ a: 1, when: new Date(7), both: true })).toEqual({ ...plain, at: 7, both: 'both' })
  expect(await ask({ a: 1, list: [1, 2, 3] })).toEqual({ ...plain, sum: 6 })
  expect(await ask({ a: 1, list: [4, 5] })).toEqual({ ...plain, sum: 9 })
  expect(made).toBe(5)
})

test('the statements of a batch are one message, each with its text', async () => {
  const db = openWorldDatabase(createWorld())
  const send = globalThis.fetch
  let messages: { type: string }[] = []
  const spy = vi.spyOn(globalThis, 'fetch').mockImplementation(async (request, init) => {
    messages = (await (request as Request).clone().json<{ requests: typeof messages }>()).requests
    return send(request, init)
  })
  await runAll(db, { one: builder.all(sql`select 1 as one`), two: builder.all(sql`select 2 as two`) })
  spy.mockRestore()
  expect(messages.map(({ type }) => type)).toEqual(['batch', 'close'])
})
