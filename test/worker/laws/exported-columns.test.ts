import { getTableColumns, getTableName, is } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { beforeAll, expect, test } from 'vitest'
import page from '../../../docs/export.md?raw'
import * as schema from '../../../src/database/schema.ts'
import { createWorld, type Json } from '../fixtures/world.ts'
import { createHousehold, rejectOccurrence, rememberLayout, standingTwice } from './every-route.ts'

/** What the page says is not in the export, as `table.column`; `*` stands for any. */
const listed = [...(page.split('| not in it |')[1] ?? '').matchAll(/`([a-z_*]+\.[a-z_*]+)`/g)].map(
  ([, name = '']) => name,
)
const listedAs = (table: string, column: string) =>
  [`${table}.${column}`, `${table}.*`, `*.${column}`].filter((name) => listed.includes(name))

/** The part of the export with the rows of a table. */
const parts: Record<string, string> = {
  users: 'profile',
  accounts: 'accounts',
  categories: 'categories',
  transactions: 'transactions',
  recurring_rules: 'recurring',
  balance_checks: 'balance_checks',
  imports: 'imports',
  import_layouts: 'layouts',
  rejected_matches: 'rejected_matches',
  rejected_occurrences: 'rejected_occurrences',
  imported_originals: 'remembered_rows',
  tokens: 'tokens',
}
/** Columns that are shown under another name. */
const shownAs: Record<string, string> = {
  'import_layouts.settled': 'values',
  'tokens.scope': 'abilities',
}

const columns = Object.values(schema)
  .filter((one) => is(one, SQLiteTable))
  .flatMap((table) =>
    Object.values(getTableColumns(table)).map(({ name }) => [getTableName(table), name] as const),
  )

/** The names of all members in a value, at any depth. */
function namesIn(value: Json): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => [name, ...namesIn(member)])
}

let exported: Json
beforeAll(async () => {
  const household = await createHousehold(createWorld())
  const { person } = household
  await rememberLayout(household)
  await household.checkBalance()
  await rejectOccurrence(household)
  await person.post('/api/matches/join', { kind: 'duplicate', ids: await standingTwice(household) })
  await person.post('/api/matches/reject', { kind: 'duplicate', ids: await standingTwice(household) })
  exported = (await person.get('/api/export')).body
})

test.each(columns)('%s.%s is in the export, or on the list of docs/export.md', (table, column) => {
  const part = parts[table]
  const name = shownAs[`${table}.${column}`] ?? column
  const isExported = part !== undefined && namesIn(exported[part]).includes(name)
  expect(isExported || listedAs(table, column).length > 0).toBe(true)
})

test('the list names only columns that exist and are not in the export', () => {
  const named = new Set(columns.flatMap(([table, column]) => listedAs(table, column)))
  expect(listed.filter((name) => !named.has(name))).toEqual([])
  const both = columns.filter(
    ([table, column]) =>
      listed.includes(`${table}.${column}`) && namesIn(exported[parts[table] ?? '']).includes(column),
  )
  expect(both).toEqual([])
})

test('every part of the export is compared with a table', () => {
  const lists = Object.entries(exported).filter(([, value]) => typeof value === 'object')
  const names = lists.map(([name]) => name).filter((name) => name !== 'counts')
  expect(names.sort()).toEqual(Object.values(parts).sort())
})
