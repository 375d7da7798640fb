// Whether the time of a failed login tells if an address is registered: `node bench/login-timing.ts [rounds]`.
// Each round makes one failed login of each kind, in random order, at the password cost of a deployment.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { migrateDatabase } from '../dev/migrate.ts'
import { Connection } from './client.ts'
import { percentile } from './measure.ts'
import { bundleWorker, startParts, startRuntime } from './runtime.ts'

const rounds = Number(process.argv[2] ?? 100)
const warmUpRounds = 5
/** What is compared with the first: none of them may take longer or shorter. */
const kinds = [
  'a wrong password',
  'an unknown address',
  'a user without a password',
  'a wrong password again',
] as const
type Kind = (typeof kinds)[number]

const directory = mkdtempSync(path.join(tmpdir(), 'purse-login-'))
const parts = await startParts(directory)
const database = 'login'
await migrateDatabase(`${parts.libsql}/${database}/`)
const { file } = bundleWorker(directory)
const runtime = await startRuntime({ worker: file, parts, database })
try {
  report(await measure(new Connection(runtime.api)))
} finally {
  await runtime.stop()
  await parts.stop()
  rmSync(directory, { recursive: true })
}

/** Milliseconds of each failed login, by its kind. */
async function measure(connection: Connection): Promise<Record<Kind, number[]>> {
  const addresses = await createUsers(connection)
  const times = Object.fromEntries(kinds.map((kind) => [kind, [] as number[]])) as Record<Kind, number[]>
  for (let round = -warmUpRounds; round < rounds; round++) {
    for (const kind of shuffled(kinds)) {
      const { ms } = await connection.call({
        method: 'POST',
        path: '/api/login',
        status: 422,
        body: { email: addresses[kind], password: 'not the password' },
        // The limit for an address and a client address would answer otherwise after ten.
        headers: { 'CF-Connecting-IP': `10.0.${round & 255}.${kinds.indexOf(kind)}` },
      })
      if (round >= 0) times[kind].push(ms)
    }
  }
  return times
}

/** Somebody with a password and somebody without, and an address that nobody has; all of one length. */
async function createUsers(connection: Connection): Promise<Record<Kind, string>> {
  const password = 'correct horse battery'
  for (const name of ['with', 'sans']) {
    const body = { name, email: `${name}@example.com`, password, password_confirmation: password }
    await connection.call({ method: 'POST', path: '/api/register', status: 201, body })
  }
  await forgetPassword('sans@example.com')
  return {
    'a wrong password': 'with@example.com',
    'an unknown address': 'none@example.com',
    'a user without a password': 'sans@example.com',
    'a wrong password again': 'with@example.com',
  }
}

/** As somebody is who has only ever signed in through the identity provider. */
async function forgetPassword(email: string): Promise<void> {
  const sql = `update users set password_hash = null where email = '${email}'`
  const requests = [{ type: 'execute', stmt: { sql } }, { type: 'close' }]
  const url = `${parts.libsql}/${database}/v2/pipeline`
  const response = await fetch(url, { method: 'POST', body: JSON.stringify({ requests }) })
  if (!response.ok) throw new Error(`The database answered ${response.status}: ${await response.text()}`)
  await response.text()
}

function report(times: Record<Kind, number[]>): void {
  const [first, ...others] = kinds
  console.log(`${rounds} failed logins of each kind, interleaved in random order\n`)
  console.log('| compared with a wrong password | median ms | Welch t | Mann–Whitney p | Cliff’s delta |')
  console.log('| --- | --- | --- | --- | --- |')
  console.log(`| ${first} | ${percentile(times[first], 50).toFixed(2)} | | | |`)
  for (const kind of others) {
    const { p, delta } = mannWhitney(times[first], times[kind])
    const t = welch(times[first], times[kind])
    const figures = [percentile(times[kind], 50).toFixed(2), t.toFixed(2), p.toFixed(3), delta.toFixed(3)]
    console.log(`| ${kind} | ${figures.join(' | ')} |`)
  }
  console.log(
    '\nThe last row compares a kind with itself: what it shows is chance. |t| below 4.5 is no leak (dudect).',
  )
}

/** Welch's t of two samples. */
function welch(a: number[], b: number[]): number {
  const [meanA, meanB] = [mean(a), mean(b)]
  const variance = (sample: number[], m: number) =>
    sample.reduce((sum, x) => sum + (x - m) ** 2, 0) / (sample.length - 1)
  return (meanB - meanA) / Math.sqrt(variance(a, meanA) / a.length + variance(b, meanB) / b.length)
}

/** The two-sided p of Mann–Whitney's U (normal approximation), and how much more often b is the longer (−1 to 1). */
function mannWhitney(a: number[], b: number[]): { p: number; delta: number } {
  const pairs = a.length * b.length
  const u = a.reduce((sum, x) => sum + b.reduce((won, y) => won + (y > x ? 1 : y === x ? 0.5 : 0), 0), 0)
  const deviation = Math.sqrt((pairs * (a.length + b.length + 1)) / 12)
  const z = Math.abs(u - pairs / 2) / deviation
  return { p: 2 * upperTail(z), delta: (2 * u) / pairs - 1 }
}

/** The upper tail of the normal distribution (Abramowitz and Stegun 26.2.17). */
function upperTail(z: number): number {
  const t = 1 / (1 + 0.2316419 * z)
  const series = [0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429]
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)
  return density * series.reduce((sum, c, i) => sum + c * t ** (i + 1), 0)
}

function mean(sample: number[]): number {
  return sample.reduce((sum, x) => sum + x, 0) / sample.length
}

function shuffled<T>(list: readonly T[]): T[] {
  return list
    .map((one) => [Math.random(), one] as const)
    .sort(([a], [b]) => a - b)
    .map(([, one]) => one)
}
