// `npm run bench:login [-- rounds]`: does the time of a failed login reveal whether an address is registered?
// Each round makes one failed login of each kind, in random order, at the password cost of a deployment. The result goes
// into docs/security.md. If a kind differs (login-verdict.ts), or the machine is too noisy to tell, this exits with 1.
import path from 'node:path'
import { sql } from 'drizzle-orm'
import { migrateDatabase } from '../dev/migrate.ts'
import { Connection } from './client.ts'
import { MeasuredDatabase } from './database.ts'
import { writeSection } from './document.ts'
import { type Compared, judgeLogins } from './login-verdict.ts'
import { bundleWorker, serveDatabase, startRuntime } from './runtime.ts'
import { withParts } from './served.ts'
import { percentile } from './statistics.ts'

const rounds = Number(process.argv[2] ?? 200)
const warmUpRounds = 5
/** None may take more or less time than the first. The last is the control: the same as the first. */
const kinds = [
  'a wrong password',
  'an unknown address',
  'a user without a password',
  'a wrong password again',
] as const
type Kind = (typeof kinds)[number]

await withParts(async (parts, directory) => {
  const served = await serveDatabase(path.join(directory, 'database'))
  await migrateDatabase(served.url)
  const { file: worker } = bundleWorker(directory)
  const runtime = await startRuntime({ worker, parts, databaseUrl: served.url })
  try {
    report(await measure(new Connection(runtime.api), new MeasuredDatabase(served)))
  } finally {
    await runtime.stop()
    await served.stop()
  }
})

/** Milliseconds of each failed login, by its kind. */
async function measure(connection: Connection, database: MeasuredDatabase): Promise<Record<Kind, number[]>> {
  const addresses = await createUsers(connection, database)
  const times = Object.fromEntries(kinds.map((kind) => [kind, [] as number[]])) as Record<Kind, number[]>
  for (let round = -warmUpRounds; round < rounds; round++) {
    for (const kind of shuffled(kinds)) {
      const { ms } = await connection.call({
        method: 'POST',
        path: '/api/login',
        status: 422,
        body: { email: addresses[kind], password: 'not the password' },
        // A different client address each time, or the login limit would answer.
        headers: { 'CF-Connecting-IP': `10.0.${round & 255}.${kinds.indexOf(kind)}` },
      })
      if (round >= 0) times[kind].push(ms)
    }
  }
  return times
}

/** A user with a password, one without, and an unknown address, all of the same length. */
async function createUsers(connection: Connection, { db }: MeasuredDatabase): Promise<Record<Kind, string>> {
  const password = 'correct horse battery'
  for (const name of ['with', 'sans']) {
    const body = { name, email: `${name}@example.com`, password, password_confirmation: password }
    await connection.call({ method: 'POST', path: '/api/register', status: 201, body })
  }
  // As if they had only ever signed in through the identity provider.
  await db.batch([db.run(sql`update users set password_hash = null where email = 'sans@example.com'`)])
  return {
    'a wrong password': 'with@example.com',
    'an unknown address': 'none@example.com',
    'a user without a password': 'sans@example.com',
    'a wrong password again': 'with@example.com',
  }
}

function report(times: Record<Kind, number[]>): void {
  const [first, ...others] = kinds.map((kind) => ({ kind, times: times[kind] }))
  const control = others.pop()
  if (!first || !control) return
  const { compared, smallestLeak, failures } = judgeLogins(first, others, control)
  const row = ({ kind, median, shift, p }: Compared) =>
    `| ${kind} | ${median.toFixed(1)} | ${shift.toFixed(2)} | ${p.toFixed(3)} |`
  const text = [
    '| failed login | median ms | takes longer by ms | chance alone does that (p) |',
    '| --- | --: | --: | --: |',
    `| ${first.kind} | ${percentile(first.times, 50).toFixed(1)} | | |`,
    ...compared.map(row),
    '',
    `${rounds} failed logins of each kind; nine of ten such runs would find a leak of ${smallestLeak.toFixed(1)} ms.`,
  ].join('\n')
  console.log(text)
  for (const failure of failures) console.log(failure)
  if (failures.length > 0) process.exitCode = 1
  else writeSection('docs/security.md', 'login timing', text)
}

function shuffled<T>(list: readonly T[]): T[] {
  return list
    .map((one) => [Math.random(), one] as const)
    .sort(([a], [b]) => a - b)
    .map(([, one]) => one)
}
