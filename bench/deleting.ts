import { setTimeout as sleep } from 'node:timers/promises'
import { type SQL, sql } from 'drizzle-orm'
import { type Bench, createHousehold } from './calls.ts'
import type { Call } from './client.ts'
import { MeasuredDatabase } from './database.ts'
import { type History, password } from './history.ts'
import { importFiles, newRows } from './landing-files.ts'
import type { Parts } from './runtime.ts'
import { withCopy, withRuntime } from './served.ts'

/**
 * What deleting something with a long history costs. `rows` counts the transactions that are deleted or changed with it.
 * For its owner it is deleted with the answer, after `answeredAfter` seconds; its last row is removed after `seconds`.
 */
export type Deletion = {
  what: string
  rows: number
  status: number
  answeredAfter: number
  seconds: number
  done: boolean
}

/** The database file to copy, where to, and the Worker that deletes. */
export type Grounds = { file: string; directory: string; parts: Parts; worker: string; fileRows: number }

/** `rows` go or change with it; `left` of them are to be removed. */
type Target = { call: Omit<Call, 'status'>; rows: SQL; left: SQL }
type Victim = { what: string; target: (bench: Bench, fileRows: number) => Target | Promise<Target> }

/** Deletes what holds most of a history, each thing from a copy of its own. */
export async function measureDeletions(history: History, grounds: Grounds): Promise<Deletion[]> {
  const { file, directory, parts, worker, fileRows } = grounds
  const deletions: Deletion[] = []
  for (const victim of victims) {
    const deletion = await withCopy(file, directory, (database) =>
      withRuntime(
        { worker, parts, databaseUrl: database.url, scryptCost: history.scryptCost },
        createHousehold(history, new MeasuredDatabase(database)),
        (bench) => destroy(victim, bench, fileRows),
      ),
    )
    deletions.push(deletion)
  }
  return deletions
}

const victims: Victim[] = [
  {
    what: 'DELETE /api/imports/:id of one large file',
    async target({ owner, connection, ...bench }, fileRows) {
      const [json] = importFiles
      if (!json) throw new Error('There is no file to import')
      const rows = newRows({ ...bench, owner, connection }, fileRows, 365)
      const file = { type: json.type, text: json.text(rows, owner.accounts[0] ?? 0) }
      const call = { method: 'POST', path: json.path, status: 200, token: owner.token, file }
      const { id } = (await connection.json(call)).import
      return {
        call: { method: 'DELETE', path: `/api/imports/${id}`, token: owner.token },
        rows: sql`select count(*) as n from transactions where import_id = ${id}`,
        left: sql`select count(*) as n from transactions where import_id = ${id}`,
      }
    },
  },
  {
    what: 'DELETE /api/categories/:id with six of ten rows',
    target: ({ owner }) => ({
      call: { method: 'DELETE', path: `/api/categories/${owner.categories[0]}`, token: owner.token },
      rows: sql`select count(*) as n from transactions where category_id = ${owner.categories[0]}`,
      // They stay, and are uncategorised.
      left: sql`select 0 as n`,
    }),
  },
  {
    what: 'DELETE /api/accounts/:id with eight of ten rows',
    target: ({ owner }) => ({
      call: { method: 'DELETE', path: `/api/accounts/${owner.accounts[0]}`, token: owner.token },
      rows: sql`select count(*) as n from transactions where ${owner.accounts[0]} in (account_id, to_account_id)`,
      left: sql`select count(*) as n from transactions where ${owner.accounts[0]} in (account_id, to_account_id)`,
    }),
  },
  {
    what: 'DELETE /api/me with all rows',
    target: ({ owner }) => ({
      call: { method: 'DELETE', path: '/api/me', token: owner.token, body: { password } },
      rows: sql`select count(*) as n from transactions where user_id = ${owner.id}`,
      left: sql`select count(*) as n from transactions where user_id = ${owner.id}`,
    }),
  },
]

/** Longer than removing a million rows takes. */
const longestRemovalMs = 600_000
const askAgainMs = 100

async function destroy({ what, target }: Victim, bench: Bench, fileRows: number): Promise<Deletion> {
  const { call, rows, left } = await target(bench, fileRows)
  const going = await bench.database.number(rows)
  const start = performance.now()
  const { status, ms } = await bench.connection.call({ ...call, status: [204, 422, 503] })
  const since = () => performance.now() - start
  let done = (await bench.database.number(left)) === 0
  let seconds = done ? ms / 1_000 : 0
  while (!done && since() < longestRemovalMs) {
    await sleep(askAgainMs)
    done = (await bench.database.number(left)) === 0
    seconds = since() / 1_000
  }
  return { what, rows: going, status, answeredAfter: ms / 1_000, seconds, done }
}
