import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from '../calls.ts'
import type { Call } from '../client.ts'
import type { Usage } from './prices.ts'

/** A call of the mix, and its share of the requests. */
export type MixedCall = {
  name: string
  share: number
  prepare: (bench: Bench) => Call | Promise<Call>
  /** Messages that it queues, each of which is one more run of the Worker. */
  messages?: number
}

const countedCalls = 20
const timedCalls = 100
const operationsOfMessage = 3
const nsPerMs = 1_000_000

/** Counts what a call uses, background work included, and the CPU time that workerd takes for it. */
export async function measureUsage(call: MixedCall, bench: Bench): Promise<Usage> {
  const { database } = bench
  const messages = call.messages ?? 0
  const counted = await prepareCalls(call, countedCalls, bench)
  await settled(bench)
  await database.startCounting()
  for (const one of counted) await bench.connection.call(one)
  await settled(bench)
  const { rowsRead, rowsWritten } = await database.counted()
  return {
    requests: 1 + messages,
    cpuMs: await cpuMsOf(call, bench),
    queueOperations: messages * operationsOfMessage,
    logEvents: 1 + messages,
    rowsRead: rowsRead / countedCalls,
    rowsWritten: rowsWritten / countedCalls,
  }
}

async function prepareCalls({ prepare }: MixedCall, count: number, bench: Bench): Promise<Call[]> {
  const calls: Call[] = []
  for (let i = 0; i < count; i++) calls.push(await prepare(bench))
  return calls
}

/** Waits until the database has had no request for a second, so that no queue has work left. */
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

/** All CPU time so far of this process's workerd: more than Cloudflare would bill. */
export function workerdCpuMs(): number {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,comm='], { encoding: 'utf8' }).split('\n')
  const own = rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, parent, name]) => Number(parent) === process.pid && name === 'workerd')
  const threads = own.flatMap(([pid]) => globSync(`/proc/${pid}/task/*/schedstat`))
  return threads.reduce((sum, file) => sum + Number(readFileSync(file, 'utf8').split(' ')[0]), 0) / nsPerMs
}
