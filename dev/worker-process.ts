import { fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { LOOPBACK } from './ports.ts'
import { workerOutputFilter } from './worker-output.ts'

/** The variable that tells what wrangler runs before a build that the Worker has all its parts. */
export const startedByStack = 'PURSE_STACK'

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
  /** Holds every variable of the Worker. */
  variablesFile: string
  variableNames: string[]
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

function wranglerCommand({ projectDirectory, directory, port, variablesFile }: WorkerOptions): string[] {
  return [
    path.join(projectDirectory, 'node_modules/wrangler/bin/wrangler.js'),
    'dev',
    `--port=${port}`,
    `--ip=${LOOPBACK}`,
    '--inspector-port=0', // any free one
    `--persist-to=${directory}`,
    '--show-interactive-dev-session=false',
    // Naming a file also keeps wrangler from reading .dev.vars and .env.
    `--env-file=${variablesFile}`,
  ]
}

function wranglerEnvironment({ directory, variableNames }: WorkerOptions): NodeJS.ProcessEnv {
  const environment: NodeJS.ProcessEnv = {
    ...process.env,
    CLOUDFLARE_CF_FETCH_ENABLED: 'false',
    CLOUDFLARE_LOAD_DEV_VARS_FROM_DOT_ENV: 'true', // the file is read by this switch
    [startedByStack]: 'true',
    WRANGLER_HIDE_BANNER: 'true',
    WRANGLER_LOG_PATH: path.join(directory, 'logs'),
    WRANGLER_REGISTRY_PATH: path.join(directory, 'registry'),
    WRANGLER_SEND_METRICS: 'false',
  }
  // A wrangler.toml that lists its secrets makes wrangler prefer the environment to the file.
  for (const name of variableNames) delete environment[name]
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
