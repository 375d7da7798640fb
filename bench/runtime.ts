import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Miniflare, type V4WorkerOptions } from 'miniflare'
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from 'wrangler'

/** The parts outside the Worker but for the database, by address. */
export type Parts = { inbox: string; issuer: string; stop(): Promise<void> }

/** A database on a server of its own, and the way to it that counts and delays (test/databases/proxy.ts). */
export type ServedDatabase = { url: string; countedUrl: string; stop(): Promise<void> }

/** The running Worker and the bare one beside it, each at a socket of its own. */
export type Runtime = { api: URL; bare: URL; stop(): Promise<void> }

/** What links of the Worker are signed with, and where they lead. */
export const links = { appUrl: 'http://purse.bench', secret: 'a secret of the benchmark, long enough' }

const project = path.join(import.meta.dirname, '..')

// Wrangler looks for the secrets that wrangler.toml demands; the parts of each runtime bring their own.
const { secrets } = unstable_readConfig(
  { config: path.join(project, 'wrangler.toml') },
  { hideWarnings: true },
)
for (const name of secrets?.required ?? []) process.env[name] ??= 'of the benchmark'

/** Starts the inbox and the identity provider in another process. */
export function startParts(directory: string): Promise<Parts> {
  return startScript('parts.ts', directory, `${links.appUrl}/api/auth/idp/callback`)
}

/** Serves a database, empty or a copy of a file, from a directory that nothing else is in. */
export function serveDatabase(directory: string, file?: string): Promise<ServedDatabase> {
  if (file) {
    mkdirSync(path.join(directory, 'dbs/default'), { recursive: true })
    copyFileSync(file, path.join(directory, 'dbs/default/data'))
  }
  return startScript('serve-database.ts', directory)
}

/** Starts a script of this folder in another process; answers what it prints as JSON, and how to end it. */
async function startScript<T>(name: string, ...args: string[]): Promise<T & { stop(): Promise<void> }> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, name), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    once(child, 'exit').then(() => Promise.reject(new Error(`bench/${name} did not start`))),
  ])) as [string]
  return { ...JSON.parse(line), stop: () => end(child) }
}

async function end(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit')
  child.stdin?.end()
  await exited
}

/** Bundles the Worker exactly as a deployment does; answers the file and what wrangler says of its size. */
export function bundleWorker(directory: string): { file: string; size: string } {
  const output = wrangler('deploy', '--dry-run', '--minify', '--env=', `--outdir=${directory}`)
  const size = /Total Upload: (.*)/.exec(output)?.[1] ?? 'unknown'
  return { file: path.join(directory, 'worker.js'), size }
}

/** The CPU that starting the Worker takes, in words of wrangler: sampled on this machine. */
export function startupCost(directory: string): string {
  const profile = path.join(directory, 'startup.cpuprofile')
  const output = wrangler('check', 'startup', '--args=--minify', `--outfile=${profile}`)
  return /Active: (.*)/.exec(output)?.[1] ?? 'unknown'
}

function wrangler(...args: string[]): string {
  const command = path.join(project, 'node_modules/.bin/wrangler')
  return execFileSync(command, args, { cwd: project, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

export type RuntimeOptions = {
  worker: string
  parts: Parts
  databaseUrl: string
  /** By default that of wrangler.toml. */
  scryptCost?: string
  /** Messages wait for so long: what is counted is then the request alone. */
  queueDelaySeconds?: number
}

/** Starts workerd with the Worker as wrangler.toml has it, and the bare Worker. */
export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { databaseUrl } = options
  const { outputFiles } = await build({
    entryPoints: [path.join(import.meta.dirname, 'bare-worker.ts')],
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['node:*'],
  })
  const common = { compatibilityDate: '2026-10-15', compatibilityFlags: ['nodejs_compat'], modules: true }
  const workers: V4WorkerOptions[] = [
    // The first of them has the front door, which nobody uses: it costs what the whole API does.
    {
      ...common,
      name: 'bare',
      script: outputFiles[0]?.text ?? '',
      bindings: { TURSO_DATABASE_URL: databaseUrl },
      unsafeDirectSockets: [{}],
    },
    purseWorker(options),
    // A Worker with assets cannot be reached past the assets' own proxy but through another one's socket.
    { ...common, name: 'door', script: 'export default {}', unsafeDirectSockets: [{ serviceName: 'purse' }] },
  ]
  const miniflare = new Miniflare(convertV4MiniflareOptions({ workers, handleStructuredLogs: showErrors }))
  return {
    api: await miniflare.unsafeGetDirectURL('door'),
    bare: await miniflare.unsafeGetDirectURL('bare'),
    stop: () => miniflare.dispose(),
  }
}

/** The Worker writes a line for each request; here only what went wrong matters. */
function showErrors({ level, message }: { level: string; message: string }): void {
  if (level === 'error' || level === 'warn') console.error(message)
}

function purseWorker({
  worker,
  parts,
  databaseUrl,
  scryptCost,
  queueDelaySeconds,
}: RuntimeOptions): V4WorkerOptions {
  const { workerOptions } = unstable_getMiniflareWorkerOptions(path.join(project, 'wrangler.toml'))
  const { modulesRules: _, queueProducers, bindings, ...rest } = workerOptions
  const producers = Object.entries(queueProducers as Record<string, { queueName: string }>)
  return {
    ...rest,
    name: 'purse',
    modules: true,
    script: readFileSync(worker, 'utf8'),
    queueProducers: Object.fromEntries(
      producers.map(([binding, queue]) => [
        binding,
        { ...queue, ...(queueDelaySeconds && { deliveryDelay: queueDelaySeconds }) },
      ]),
    ),
    bindings: {
      ...(bindings as Record<string, string>),
      TURSO_DATABASE_URL: databaseUrl,
      TURSO_AUTH_TOKEN: '',
      APP_URL: links.appUrl,
      APP_SECRET: links.secret,
      RESEND_API_KEY: 're_bench',
      RESEND_BASE_URL: parts.inbox,
      ...(scryptCost && { SCRYPT_COST: scryptCost }),
      GENERAL_LIMIT_ENABLED: 'false',
      IDP_ISSUER: parts.issuer,
      IDP_CLIENT_ID: 'purse-bench',
      IDP_CLIENT_SECRET: 'a secret of the benchmark',
    },
  }
}
