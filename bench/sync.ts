// `npm run bench`: a batch of a thousand items against a thousand single creates, on the local stack.
// Machines differ and are noisy: read the ratio, not the times.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { readSettings } from '../dev/settings.ts'
import { startStack } from '../dev/stack.ts'
import { openDatabase } from '../src/db/client.ts'
import { users } from '../src/db/schema.ts'

const items = 1_000
const parallelCreates = 8
const ports = { PORT: '9787', LIBSQL_PORT: '9780', MAIL_PORT: '9725', IDP_PORT: '9726' }
const api = `http://127.0.0.1:${ports.PORT}/api`
const database = `http://127.0.0.1:${ports.LIBSQL_PORT}/purse/`
const password = 'a password of the benchmark'

const state = mkdtempSync(path.join(tmpdir(), 'purse-bench-'))
const settings = readSettings({ ...ports, STATE_DIR: state }, path.join(import.meta.dirname, '..'))
const stack = await startStack(settings, () => undefined, new AbortController().signal)
try {
  const registration = {
    name: 'Bench',
    email: 'bench@example.com',
    password,
    password_confirmation: password,
  }
  const { access_token: token } = await call('POST', '/register', registration)
  await openDatabase({ url: database, timeoutMs: 10_000 }).batch([verifyEverybody()])
  const account = await call('POST', '/accounts', { name: 'A', type: 'bank', starting_balance: 0 }, token)
  const item = (kind: string, index: number) => ({
    account_id: account.id,
    type: 'income',
    amount: index + 1,
    transaction_date: '2026-11-20',
    client_id: `${kind}-${index}`,
  })
  const [category] = (await call('GET', '/categories', undefined, token)).filter(
    (one: { type: string }) => one.type === 'income',
  )

  const creates = await measure(async () => {
    const left = Array.from({ length: items }, (_, index) => ({
      ...item('single', index),
      category_id: category.id,
      force: true,
    }))
    const worker = async () => {
      for (let next = left.pop(); next; next = left.pop()) await call('POST', '/transactions', next, token)
    }
    await Promise.all(Array.from({ length: parallelCreates }, worker))
  })
  const sync = await measure(async () => {
    const transactions = Array.from({ length: items }, (_, index) => item('batch', index))
    const { sync_id } = await call('POST', '/transactions/sync', { transactions }, token)
    while ((await call('GET', `/transactions/sync/${sync_id}`, undefined, token)).status === 'pending')
      await pause(20)
  })

  const row = ({ seconds, requests }: Measured) => ({
    seconds: seconds.toFixed(2),
    'rows per second': Math.round(items / seconds),
    'database requests': requests,
  })
  console.table({
    [`${items} single creates, ${parallelCreates} at a time`]: row(creates),
    'one batch, until completed': row(sync),
  })
  console.log(
    `The batch takes ${(sync.seconds / creates.seconds).toFixed(3)} of the time of single creates (polling included).`,
  )
} finally {
  await stack.stop()
  rmSync(state, { recursive: true, force: true })
}

type Measured = { seconds: number; requests: number }

async function measure(work: () => Promise<void>): Promise<Measured> {
  await fetch(`${database}stats`, { method: 'DELETE' })
  const start = performance.now()
  await work()
  const seconds = (performance.now() - start) / 1_000
  const { requests } = (await (await fetch(`${database}stats`)).json()) as { requests: number }
  return { seconds, requests }
}

function verifyEverybody() {
  return openDatabase({ url: database, timeoutMs: 10_000 }).update(users).set({ emailVerifiedAt: new Date() })
}

// biome-ignore lint/suspicious/noExplicitAny: the benchmark knows what it asked for
async function call(method: string, path: string, body?: unknown, token?: string): Promise<any> {
  const response = await fetch(`${api}${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`)
  return response.json()
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
