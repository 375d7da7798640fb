import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Miniflare, type V4WorkerOptions } from 'miniflare'
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from 'wrangler'
import { projectDirectory } from '../dev/project.ts'

/** The addresses of the parts other than Worker and database. */
export type Parts = { inbox: string; issuer: string; stop(): Promise<void> }

/** A database on a server of its own; `countedUrl` leads through a proxy that counts and delays. */
export type ServedDatabase = { url: string; countedUrl: string; stop(): Promise<void> }

/** The running Worker, and the bare one next to it. */
export type Runtime = { api: URL; bare: URL; stop(): Promise<void> }

/** Where the Worker's links lead, and what signs them. */
export const links = { appUrl: 'http://purse.bench', secret: 'a secret of the benchmark, long enough' }

// wrangler demands the secrets of wrangler.toml, though each runtime brings its own.
const { secrets } = unstable_readConfig(
  { config: path.join(projectDirectory, 'wrangler.toml') },
  { hideWarnings: true },
)
for (const name of secrets?.required ?? []) process.env[name] ??= 'of the benchmark'

/** Starts the inbox and the identity provider in another process. */
export function startParts(directory: string): Promise<Parts> {
  return startScript('parts.ts', directory, `${links.appUrl}/api/auth/idp/callback`)
}

/** Serves a database, empty or a copy of a file, from a directory of its own. */
export function serveDatabase(directory: string, file?: string): Promise<ServedDatabase> {
  if (file) {
    mkdirSync(path.join(directory, 'dbs/default'), { recursive: true })
    copyFileSync(file, path.join(directory, 'dbs/default/data'))
  }
  return startScript('serve-database.ts', directory)
}

/** Starts a script of this folder in another process; returns the JSON that it prints, and how to stop it. */
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

/** Bundles the Worker exactly as a deployment does; returns the file and its size in wrangler's words. */
export function bundleWorker(directory: string): { file: string; size: string } {
  const output = wrangler('deploy', '--dry-run', '--minify', '--env=', `--outdir=${directory}`)
  const size = /Total Upload: (.*)/.exec(output)?.[1] ?? 'unknown'
  return { file: path.join(directory, 'worker.js'), size }
}

/** The CPU time of starting the Worker, in wrangler's words, sampled on this machine. */
export function startupCost(directory: string): string {
  const profile = path.join(directory, 'startup.cpuprofile')
  const output = wrangler('check', 'startup', '--args=--minify', `--outfile=${profile}`)
  return /Active: (.*)/.exec(output)?.[1] ?? 'unknown'
}

function wrangler(...args: string[]): string {
  const command = path.join(projectDirectory, 'node_modules/.bin/wrangler')
  return execFileSync(command, args, {
    cwd: projectDirectory,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

export type RuntimeOptions = {
  worker: string
  parts: Parts
  databaseUrl: string
  /** The one of wrangler.toml by default. */
  scryptCost?: string
  /** Holds messages back, so that only the request itself is counted. */
  queueDelaySeconds?: number
}

/** Starts workerd with the Worker as wrangler.toml has it, and with the bare Worker. */
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
    // The first one gets Miniflare's entry point, which is not used: going through it costs as much as the whole API.
    {
      ...common,
      name: 'bare',
      script: outputFiles[0]?.text ?? '',
      bindings: { TURSO_DATABASE_URL: databaseUrl },
      unsafeDirectSockets: [{}],
    },
    purseWorker(options),
    // Only another Worker's socket reaches a Worker with assets without going through the assets' proxy.
    { ...common, name: 'door', script: 'export default {}', unsafeDirectSockets: [{ serviceName: 'purse' }] },
  ]
  const miniflare = new Miniflare(convertV4MiniflareOptions({ workers, handleStructuredLogs: showErrors }))
  return {
    api: await miniflare.unsafeGetDirectURL('door'),
    bare: await miniflare.unsafeGetDirectURL('bare'),
    stop: () => miniflare.dispose(),
  }
}

/** Drops the Worker's line for each request, and keeps what went wrong. */
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
  const { workerOptions } = unstable_getMiniflareWorkerOptions(path.join(projectDirectory, 'wrangler.toml'))
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
