import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import type { Database } from '../../src/db/client.ts'
import type { Bench } from '../calls.ts'
import type { Call } from '../client.ts'
import type { Usage } from './prices.ts'

/** A call of the mix, and the share of the requests that it is. */
export type MixedCall = {
  name: string
  share: number
  prepare: (bench: Bench) => Call | Promise<Call>
  /** Messages that it puts into a queue: each is one more run of the Worker. */
  messages?: number
  /** Index entries that replace others, which a comparison of before and after does not show. */
  replacedEntries?: number
}

const countedCalls = 20
const timedCalls = 100
const operationsOfMessage = 3
const msPerTick = 10

/**
 * Counts what a call uses, background work included, and takes the CPU time of workerd for it. Rows read are not told
 * by the engine's package; each takes one virtual machine step at least, so the steps are the most that they can be.
 */
export async function measureUsage(call: MixedCall, bench: Bench): Promise<Usage> {
  const { database } = bench
  const messages = call.messages ?? 0
  const counted = await prepareCalls(call, countedCalls, bench)
  await settled(bench)
  const before = await indexEntries(database.db)
  await database.startCounting({ work: true })
  for (const one of counted) await bench.connection.call(one)
  await settled(bench)
  const { steps, rowsWritten } = await database.counted()
  const newEntries = entriesAdded(before, await indexEntries(database.db))
  await database.startCounting({ work: false })
  return {
    requests: 1 + messages,
    cpuMs: await cpuMsOf(call, bench),
    queueOperations: messages * operationsOfMessage,
    logEvents: 1 + messages,
    rowsRead: steps / countedCalls,
    rowsWritten: (rowsWritten + newEntries) / countedCalls + (call.replacedEntries ?? 0),
  }
}

async function prepareCalls({ prepare }: MixedCall, count: number, bench: Bench): Promise<Call[]> {
  const calls: Call[] = []
  for (let i = 0; i < count; i++) calls.push(await prepare(bench))
  return calls
}

/** Waits until the database has had no request for a second: nothing waits in a queue any more. */
async function settled({ database }: Bench): Promise<void> {
  let last = -1
  for (;;) {
    const { requests } = await database.counted()
    if (requests === last) return
    last = requests
    await sleep(1_000)
  }
}

async function cpuMsOf(call: MixedCall, bench: Bench): Promise<number> {
  const calls = await prepareCalls(call, timedCalls, bench)
  await settled(bench)
  const before = workerdCpuMs()
  for (const one of calls) await bench.connection.call(one)
  await settled(bench)
  return (workerdCpuMs() - before) / timedCalls
}

/** CPU time so far of the workerd that this process runs, all threads and modes: more than Cloudflare would bill. */
function workerdCpuMs(): number {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,comm='], { encoding: 'utf8' }).split('\n')
  const own = rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, parent, name]) => Number(parent) === process.pid && name === 'workerd')
  return own.reduce((sum, [pid]) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return sum + (Number(fields[11]) + Number(fields[12])) * msPerTick
  }, 0)
}

/** How many entries each index has. libSQL counts an index entry that is written as a row written, like the row's own. */
async function indexEntries(db: Database): Promise<Map<string, number>> {
  const [indexes] = await db.batch([
    db.all<{ name: string; tbl: string; sql: string | null }>(
      sql`select name, tbl_name as tbl, sql from sqlite_master where type = 'index'`,
    ),
  ])
  const counts = indexes.map(({ name, tbl, sql: definition }) => {
    const condition = /\bwhere\b(.*)$/is.exec(definition ?? '')?.[1] ?? 'true'
    return sql.raw(`select '${name}' as name, count(*) as entries from ${tbl} where ${condition}`)
  })
  const [rows] = await db.batch([
    db.all<{ name: string; entries: number }>(sql.join(counts, sql` union all `)),
  ])
  return new Map(rows.map(({ name, entries }) => [name, entries]))
}

function entriesAdded(before: Map<string, number>, after: Map<string, number>): number {
  return [...after].reduce((sum, [name, entries]) => sum + Math.max(0, entries - (before.get(name) ?? 0)), 0)
}
