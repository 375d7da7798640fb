import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import page from '../../../docs/matching.md?raw'
import { createBanked } from '../fixtures/banked.ts'
import type { ApiResponse } from '../fixtures/world.ts'
import { askDatabase } from '../laws/every-route.ts'

/** A user who buys a coffee, with the calls that the page makes. */
async function createBuyer() {
  const { world, person, checking, category, importRows } = await createBanked()
  const coffee = { account_id: checking.id, category_id: category.id, type: 'expense', amount: '12.50' }
  const path = (id: number) => `/api/transactions/${id}`
  return {
    world,
    type: async (day: number, client_id: string) => {
      const bought = { ...coffee, transaction_date: `2026-11-0${day}`, client_id }
      return (await person.post('/api/transactions', bought)).body
    },
    importFile: async () => (await importRows(checking, [['2026-11-05', '-12.50']])).counts,
    join: (...ids: number[]) => done(person.post('/api/matches/join', { kind: 'duplicate', ids })),
    separate: (id: number) => done(person.post('/api/matches/separate', { id })),
    moveTo: (day: number, id: number) =>
      done(person.patch(path(id), { transaction_date: `2026-11-0${day}` })),
    remove: (id: number) => done(person.delete(path(id))),
    undo: (importId: number) => done(person.delete(`/api/imports/${importId}`)),
  }
}

type Buyer = Awaited<ReturnType<typeof createBuyer>>
type Steps = Record<string, (buyer: Buyer) => Promise<unknown>>

/** The sections of the page and their steps, with what each of them does. */
const sections: Record<string, Steps> = {
  'Typed on the 3rd, booked on the 5th': {
    Typed: ({ type }) => type(3, 'coffee'),
    Imported: async ({ importFile }) => expect(await importFile()).toMatchObject({ created: 1, possible: 1 }),
    Joined: ({ join }) => join(1, 2),
    'Imported again': async ({ importFile }) => expect(await importFile()).toMatchObject({ duplicate: 1 }),
    Separated: ({ separate }) => separate(1),
    Edited: async ({ moveTo, importFile }) => {
      await moveTo(4, 2)
      expect(await importFile()).toMatchObject({ duplicate: 1 })
    },
    'Joined again': ({ join }) => join(1, 2),
    Deleted: async ({ remove, importFile }) => {
      await remove(1)
      expect(await importFile()).toMatchObject({ deleted_before: 1 })
    },
    Undone: async ({ undo, importFile }) => {
      await undo(1)
      expect(await importFile()).toMatchObject({ deleted_before: 1 })
    },
  },
  'Typed with the date of the bank': {
    Imported: async ({ type, importFile }) => {
      await type(5, 'coffee')
      expect(await importFile()).toMatchObject({ duplicate: 1 })
    },
    Edited: ({ moveTo }) => moveTo(3, 1),
    'Undone, imported and deleted': async ({ undo, importFile, remove }) => {
      await undo(1)
      expect(await importFile()).toMatchObject({ created: 1 })
      await remove(2)
    },
  },
  'Typed twice, joined twice': {
    Joined: async ({ type, importFile, join }) => {
      await type(3, 'coffee')
      await type(4, 'espresso')
      await importFile()
      await join(2, 3)
      await join(1, 2)
      expect(await type(4, 'espresso')).toMatchObject({ id: 1 })
    },
    Undone: ({ undo }) => undo(1),
    Deleted: ({ remove }) => remove(1),
  },
}

test('docs/matching.md has exactly the sections whose steps are taken here', () => {
  const titles = [...page.matchAll(/^## (.+)$/gm)].map(([, title]) => title)
  expect(titles).toEqual(Object.keys(sections))
})

test.each(Object.entries(sections))(
  'the tables of “%s” are what the database holds',
  async (title, steps) => {
    const [, section = ''] = page.split(`## ${title}\n`)
    const told = stepsIn(section.split('\n## ')[0] ?? '')
    expect(told.map(({ name }) => name)).toEqual(Object.keys(steps))
    const buyer = await createBuyer()
    let before: Row[] = []
    for (const { name, rows = before } of told) {
      await steps[name]?.(buyer)
      expect(await heldBy(buyer), name).toEqual(rows)
      before = rows
    }
  },
)

type Row = Record<string, string>

/** The steps of a section, each with the rows of its table if it has one. */
function stepsIn(section: string): { name: string; rows?: Row[] }[] {
  return section
    .split('\n**')
    .slice(1)
    .map((step) => {
      const [head, , ...rows] = step.split('\n').filter((line) => line.startsWith('|'))
      const name = step.slice(0, step.indexOf('.**'))
      return head ? { name, rows: rows.map((row) => rowOf(cellsOf(head), cellsOf(row))) } : { name }
    })
}

const cellsOf = (line: string) =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('`', ''))
const rowOf = (names: string[], cells: unknown[]): Row =>
  Object.fromEntries(names.map((name, i) => [name, String(cells[i] ?? '')]))

/** Both tables, as the page prints them. */
async function heldBy({ world }: Buyer): Promise<Row[]> {
  const rows = await askDatabase(
    world,
    sql`
    select 'transactions' as "table", id, transaction_date as date, import_id, booked_by, client_id,
           null as kind, null as joined_id, null as merged_into_id from transactions
     union all
    select 'imported_originals', id, transaction_date, import_id, booked_by, null, kind, joined_id, merged_into_id from imported_originals
     order by 1 desc, 2`,
  )
  return rows?.map((row) => rowOf(Object.keys(row), Object.values(row))) ?? []
}

async function done(response: Promise<ApiResponse>): Promise<void> {
  const { status, text } = await response
  expect(status, text).toBeLessThan(300)
}
