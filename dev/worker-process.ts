import { fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { LOOPBACK } from './ports.ts'
import { workerOutputFilter } from './worker-output.ts'

export interface WorkerProcess {
  /** Fulfilled with how wrangler ended, whoever ended it. */
  ended: Promise<string>
  close(): Promise<void>
}

export interface WorkerOptions {
  projectDirectory: string
  /** Everything wrangler keeps: two stacks of one checkout meet nowhere else. */
  directory: string
  port: number
  plain: Record<string, string>
  secretFile: string
  secretNames: string[]
  onLine(line: string): void
  onRuntimeCrash(): void
}

/** Starts `wrangler dev` under a guard that ends wrangler and workerd even when this process is killed. */
export function startWorkerProcess(options: WorkerOptions): WorkerProcess {
  const guard = fork(path.join(import.meta.dirname, 'worker-guard.ts'), wranglerCommand(options), {
    cwd: options.projectDirectory,
    env: wranglerEnvironment(options),
    execArgv: [],
    detached: true, // a group of its own, which Ctrl-C in the terminal does not reach
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  // Killing the group again is harmless, and right should anything have ended the guard alone.
  const endGroup = () => killGroup(guard.pid)
  process.on('exit', endGroup)

  let lastExit = 'unexpectedly'
  guard.on('message', (message: { exit: string }) => {
    lastExit = `with ${message.exit}`
  })
  for (const stream of [guard.stdout, guard.stderr]) if (stream) forwardLines(stream, options)
  guard.once('exit', endGroup)
  // Closed, not just exited: its last lines have been printed by then.
  const ended = once(guard, 'close').then(() => {
    process.off('exit', endGroup)
    return lastExit
  })
  return {
    ended,
    async close() {
      if (guard.connected) guard.send('stop')
      await ended
    },
  }
}

function wranglerCommand({ projectDirectory, directory, port, plain, secretFile }: WorkerOptions): string[] {
  return [
    path.join(projectDirectory, 'node_modules/wrangler/bin/wrangler.js'),
    'dev',
    `--port=${port}`,
    `--ip=${LOOPBACK}`,
    '--inspector-port=0', // any free one
    `--persist-to=${directory}`,
    '--show-interactive-dev-session=false',
    // Naming a file also keeps wrangler from reading .dev.vars and .env.
    `--env-file=${secretFile}`,
    ...Object.entries(plain).map(([name, value]) => `--var=${name}:${value}`),
  ]
}

function wranglerEnvironment({ directory, secretNames }: WorkerOptions): NodeJS.ProcessEnv {
  const environment: NodeJS.ProcessEnv = {
    ...process.env,
    CLOUDFLARE_CF_FETCH_ENABLED: 'false',
    CLOUDFLARE_LOAD_DEV_VARS_FROM_DOT_ENV: 'true', // the file with the secrets is read by this switch
    WRANGLER_HIDE_BANNER: 'true',
    WRANGLER_LOG_PATH: path.join(directory, 'logs'),
    WRANGLER_REGISTRY_PATH: path.join(directory, 'registry'),
    WRANGLER_SEND_METRICS: 'false',
  }
  // A wrangler.toml that lists its secrets makes wrangler prefer the environment to the file.
  for (const name of secretNames) delete environment[name]
  // Always the top level of wrangler.toml, never [env.production] by an exported variable.
  delete environment.CLOUDFLARE_ENV
  return environment
}

function forwardLines(stream: Readable, { onLine, onRuntimeCrash }: WorkerOptions): void {
  const keep = workerOutputFilter()
  createInterface({ input: stream }).on('line', (line) => {
    if (line.includes('The Workers runtime crashed unexpectedly')) onRuntimeCrash()
    const kept = keep(line)
    if (kept !== undefined) onLine(kept)
  })
}

function killGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL')
  } catch {
    // Nobody of the group is left.
  }
}
