import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { convertV4MiniflareOptions, Miniflare, type V4WorkerOptions } from 'miniflare'
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from 'wrangler'
import { startInbox } from '../dev/inbox/server.ts'
import { type DatabaseAddress, localDatabase, startLocalDatabase } from '../dev/local-database.ts'
import { freePort } from '../dev/ports.ts'
import { startSqld } from '../dev/sqld/server.ts'
import { startDatabaseProxy } from '../test/databases/proxy.ts'
import type { Work } from '../test/databases/work.ts'
import { processIds, processorMs } from './processor-time.ts'

const appUrl = 'http://purse.bench'
const bareScript = 'export default { fetch: () => Response.json({}) }'
const inboxPollMs = 100
const resendKey = 're_bench'

/** A version of the service: a checkout with its node_modules, bundled, and a folder for its database. */
export type Version = { checkout: string; worker: string; state: string }

/** A running Worker, and next to it in the same workerd a bare one. */
export type Service = {
  api: URL
  bare: URL
  inbox: string
  database: DatabaseAddress
  /** Processor time so far in milliseconds. */
  databaseMs(): number
  workerMs(): number
  stop(): Promise<void>
}

/** The same with a proxy in front of the database, which counts. */
export type CountedService = Service & {
  /** Of the database itself, which needs no token. */
  databaseUrl: string
  startCounting(): Promise<void>
  counted(): Promise<Work>
}

/** Makes a directory for as long as the work takes. */
export async function inDirectory(work: (directory: string) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(path.join(tmpdir(), 'purse-bench-'))
  try {
    await work(directory)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Reports progress. */
export function say(line: string): void {
  console.error(`${(performance.now() / 1_000).toFixed(0).padStart(4)} s  ${line}`)
}

/** The commit of a checkout, or the name of its folder if git does not know. */
export function commitOf(checkout: string): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: checkout, encoding: 'utf8' }).trim()
  try {
    const isChanged = git('status', '--porcelain', 'src', 'migrations') !== ''
    return `${git('rev-parse', '--short', 'HEAD')}${isChanged ? ' with changes' : ''}`
  } catch {
    return path.basename(checkout)
  }
}

/** Bundles a checkout's Worker with its own wrangler, as a deployment does. */
export function bundleVersion(checkout: string, state: string): Version {
  const directory = path.join(state, 'bundle')
  const wrangler = path.join(checkout, 'node_modules/wrangler/bin/wrangler.js')
  const args = [wrangler, 'deploy', '--dry-run', '--minify', '--env=', `--outdir=${directory}`]
  execFileSync(process.execPath, args, { cwd: checkout, stdio: ['ignore', 'ignore', 'pipe'] })
  return { checkout, worker: path.join(directory, 'worker.js'), state }
}

/** Starts a version as `npm run dev` would, with the Worker's requests going to the database itself. */
export async function startService(version: Version): Promise<Service> {
  const port = await freePort()
  const sqld = await startLocalDatabase(version.state, port)
  const database = await localDatabase(version.state, port)
  return startWorker(version, database, () => sqld.close())
}

/** Starts a version with a counting proxy in front of its database, and applies its migrations. */
export async function startCountedService(version: Version): Promise<CountedService> {
  const sqld = await startSqld({ directory: path.join(version.state, 'sqld'), checkpointInterval: 60 })
  const { host } = new URL(sqld.url)
  const proxy = await startDatabaseProxy(async () => ({ origin: sqld.url, host }))
  execFileSync(process.execPath, ['dev/db-migrate.ts'], {
    cwd: version.checkout,
    env: { TURSO_DATABASE_URL: sqld.url },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const url = `${proxy.url}/bench/`
  const service = await startWorker(version, { url, authToken: '' }, async () => {
    await proxy.close()
    await sqld.close()
  })
  return {
    ...service,
    databaseUrl: sqld.url,
    async startCounting() {
      await (await fetch(`${url}stats`, { method: 'DELETE' })).text()
    },
    counted: async () => (await fetch(`${url}stats`)).json() as Promise<Work>,
  }
}

/** The path of the link in the first email that arrives: of the one that verifies a new user's address. */
export async function pathOfFirstEmail({ inbox }: Service): Promise<string> {
  const read = async (path: string) => {
    const response = await fetch(`${inbox}${path}`, { headers: { authorization: `Bearer ${resendKey}` } })
    return response.json() as Promise<{ data?: { id: string }[]; text?: string }>
  }
  for (;;) {
    const [email] = (await read('/emails')).data ?? []
    const { text = '' } = email ? await read(`/emails/${email.id}`) : {}
    const link = text.split(/\s/).find((word) => word.startsWith(appUrl))
    if (link) return link.slice(appUrl.length)
    await sleep(inboxPollMs)
  }
}

async function startWorker(
  version: Version,
  database: DatabaseAddress,
  stopDatabase: () => Promise<void>,
): Promise<Service> {
  const inbox = await startInbox({ directory: path.join(version.state, 'inbox'), port: 0 })
  const common = { compatibilityDate: '2026-10-15', compatibilityFlags: ['nodejs_compat'], modules: true }
  const bindings = { TURSO_DATABASE_URL: database.url, TURSO_AUTH_TOKEN: database.authToken }
  const workers: V4WorkerOptions[] = [
    // The first one gets Miniflare's entry point, which is not used: it takes as long as the whole API.
    { ...common, name: 'bare', script: bareScript, unsafeDirectSockets: [{}] },
    purseWorker(version, { ...bindings, RESEND_BASE_URL: inbox.url }),
    // Only another Worker's socket reaches a Worker with assets without going through the assets' proxy.
    { ...common, name: 'door', script: 'export default {}', unsafeDirectSockets: [{ serviceName: 'purse' }] },
  ]
  const others = processIds('workerd', { parent: process.pid })
  const miniflare = new Miniflare(convertV4MiniflareOptions({ workers, handleStructuredLogs: showErrors }))
  const api = await miniflare.unsafeGetDirectURL('door')
  const bare = await miniflare.unsafeGetDirectURL('bare')
  const workerd = processIds('workerd', { parent: process.pid }).filter((id) => !others.includes(id))
  const sqld = processIds('sqld', { argument: `--db-path=${path.join(version.state, 'sqld')}` })
  return {
    api,
    bare,
    inbox: inbox.url,
    database,
    databaseMs: () => processorMs(sqld),
    workerMs: () => processorMs(workerd),
    async stop() {
      await miniflare.dispose()
      await inbox.close()
      await stopDatabase()
    },
  }
}

/** Drops the Worker's line for each request, and keeps its errors. */
function showErrors({ level, message }: { level: string; message: string }): void {
  if (level === 'error' || level === 'warn') console.error(message)
}

function purseWorker({ checkout, worker }: Version, bindings: Record<string, string>): V4WorkerOptions {
  const config = path.join(checkout, 'wrangler.toml')
  // wrangler demands the secrets of wrangler.toml in the environment, though the bindings below replace them.
  const { secrets } = unstable_readConfig({ config }, { hideWarnings: true })
  for (const name of secrets?.required ?? []) process.env[name] ??= 'of the benchmark'
  const { workerOptions } = unstable_getMiniflareWorkerOptions(config)
  // The bundle is one module, and Miniflare refuses rules beside it.
  const { modulesRules: _, ...options } = workerOptions
  return {
    ...options,
    name: 'purse',
    modules: true,
    script: readFileSync(worker, 'utf8'),
    bindings: {
      ...(options.bindings as Record<string, string>),
      ...bindings,
      APP_URL: appUrl,
      APP_SECRET: 'a secret of the benchmark, long enough',
      RESEND_API_KEY: resendKey,
      GENERAL_LIMIT_ENABLED: 'false',
    },
  }
}
