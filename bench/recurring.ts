// `npm run bench:recurring`: what the job of recurring transactions costs on one day with 10,000 users of 20 monthly rules
// each: a thirtieth of them due, as on an ordinary day, or all at once. Writes the table of docs/scale.md. `-- --users=100`
// only shows that it works, and prints the table.
import path from 'node:path'
import { parseArgs } from 'node:util'
import { sql } from 'drizzle-orm'
import { migrateDatabase } from '../dev/migrate.ts'
import { startSqld } from '../dev/sqld/server.ts'
import { findDifferences } from '../src/database/check.ts'
import { openDatabase } from '../src/database/client.ts'
import type { Database } from '../src/database/run.ts'
import { recordDue } from '../src/recurring/record-due.ts'
import { startDatabaseProxy } from '../test/databases/proxy.ts'
import type { Work } from '../test/databases/work.ts'
import { dollarsOfRows } from './cost.ts'
import { writeSection } from './document.ts'
import { processIds, processorMs } from './processor-time.ts'
import { inDirectory, say } from './service.ts'
import { figure, table } from './tables.ts'

const { values: options } = parseArgs({ options: { users: { type: 'string' } } })
const users = Number(options.users ?? 10_000)
const rulesPerUser = 20
const now = new Date('2026-11-20T00:05:00Z')
/** What has been recorded of each rule, which the job reads: four months. */
const earlierMonths = 4
const timeoutMs = 600_000

type Day = { recorded: number; seconds: number; databaseMs: number; work: Work }

const [ordinary, worst] = [await measureDay(30), await measureDay(1)]
const text = tableOf([
  ['a thirtieth of the rules', ordinary],
  ['all rules', worst],
])
console.log(text)
if (options.users === undefined) writeSection('docs/scale.md', 'recurring', text)

/** Runs the job until nothing is due, with one in so many rules due. */
async function measureDay(oneIn: number): Promise<Day> {
  let day: Day | undefined
  await inDirectory(async (directory) => {
    const sqld = await startSqld({ directory: path.join(directory, 'sqld'), checkpointInterval: 60 })
    const { host } = new URL(sqld.url)
    const proxy = await startDatabaseProxy(async () => ({ origin: sqld.url, host }))
    const url = `${proxy.url}/bench/`
    await migrateDatabase(url)
    const db = openDatabase({ url, authToken: '', timeoutMs })
    say(`${users * rulesPerUser} rules, one in ${oneIn} of them due`)
    await fill(db, oneIn)
    await (await fetch(`${url}stats`, { method: 'DELETE' })).text()
    const sqldIds = processIds('sqld', { argument: `--db-path=${path.join(directory, 'sqld')}` })
    const [start, busyBefore] = [performance.now(), processorMs(sqldIds)]
    let recorded = 0
    for (let did = await recordDue({ db, now }); did.rules; did = await recordDue({ db, now }))
      recorded += did.recorded ?? 0
    const seconds = (performance.now() - start) / 1_000
    const databaseMs = processorMs(sqldIds) - busyBefore
    const work: Work = await (await fetch(`${url}stats`)).json()
    const differences = await findDifferences(db)
    if (differences.length > 0 || recorded !== Math.floor((users * rulesPerUser) / oneIn))
      throw new Error(
        `The job has recorded ${recorded}, and found ${JSON.stringify(differences.slice(0, 3))}`,
      )
    day = { recorded, seconds, databaseMs, work }
    await proxy.close()
    await sqld.close()
  })
  return day as Day
}

/** Users with an account, a category and rules, of which those that are due have been recorded for some months. */
async function fill(db: Database, oneIn: number): Promise<void> {
  const count = (last: number) => sql`n(i) as (select 1 union all select i + 1 from n where i < ${last})`
  await db.run(sql`
    insert into users (id, name, email, password_hash, timezone, created_at, updated_at)
    with recursive ${count(users)} select i, 'User ' || i, i || '@example.com', '', 'UTC', 0, 0 from n`)
  await db.run(sql`
    insert into accounts (id, user_id, name, type, starting_balance, created_at, updated_at)
    select id, id, 'Checking', 'bank', 0, 0, 0 from users`)
  await db.run(sql`
    insert into categories (id, user_id, name, name_key, type, created_at, updated_at)
    select id, id, 'Housing', 'housing', 'expense', 0, 0 from users`)
  await db.run(sql`
    insert into recurring_rules (id, user_id, account_id, category_id, type, amount, description, starts_on, rrule, auto_record,
                                 opened_at, opened_in, due_at, created_at, updated_at)
    with recursive ${count(users * rulesPerUser)}
    select i, 1 + i % ${users}, 1 + i % ${users}, 1 + i % ${users}, 'expense', 100 + i % 997, 'Rule ' || i,
           date('2026-01-20', '+' || (i % ${oneIn}) || ' days'), 'FREQ=MONTHLY', true, 0, 'UTC',
           ${now.getTime()} + (i % ${oneIn}) * 86400000, 0, 0 from n`)
  for (let month = 1; month <= earlierMonths; month++)
    await db.run(sql`
      insert into transactions (user_id, account_id, category_id, type, amount, description, transaction_date, recurring_id,
                                occurrence_date, created_at, updated_at)
      select user_id, account_id, category_id, type, amount, description, day, id, day, 0, 0
        from (select *, date('2026-11-20', '-' || ${month} || ' months') as day from recurring_rules
               where due_at <= ${now.getTime()})`)
}

function tableOf(days: [name: string, day: Day][]): string {
  const head = [
    ...['due on one day', 'recorded', 'seconds', 'round trips', 'database ms each', 'rows read each'],
    ...['rows written each', 'a day of a million users'],
  ]
  const rows = days.map(([name, { recorded, seconds, databaseMs, work }]) => [
    name,
    figure(recorded, 0),
    figure(seconds, 0),
    figure(work.requests, 0),
    figure(databaseMs / recorded, 2),
    figure(work.rowsRead / recorded, 1),
    figure(work.rowsWritten / recorded, 1),
    `$${(dollarsOfRows(work) / users).toFixed(2)}`,
  ])
  return table(head, rows)
}
