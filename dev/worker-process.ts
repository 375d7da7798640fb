import path from 'node:path'
import { type GuardedCommand, type GuardedProcess, startGuarded } from './guarded-process.ts'
import { loopback } from './ports.ts'
import { workerOutputFilter } from './worker-output.ts'

/** The variable that tells before-build.ts that the Worker has all its parts. */
export const startedByStack = 'PURSE_STACK'

export type WorkerOptions = {
  projectDirectory: string
  /** Holds everything wrangler keeps, so that two stacks of one checkout share nothing. */
  directory: string
  port: number
  /** Holds every variable of the Worker. */
  variablesFile: string
  variableNames: string[]
  onLine(line: string): void
  onRuntimeCrash(): void
}

/** Starts `wrangler dev`, which ends with this process, however that ends. */
export function startWorkerProcess(options: WorkerOptions): GuardedProcess {
  return startGuarded({
    command: wranglerCommand(options),
    directory: options.projectDirectory,
    environment: wranglerEnvironment(options),
    lines: () => lineForwarder(options),
  })
}

function wranglerCommand({
  projectDirectory,
  directory,
  port,
  variablesFile,
}: WorkerOptions): GuardedCommand['command'] {
  return [
    process.execPath,
    path.join(projectDirectory, 'node_modules/wrangler/bin/wrangler.js'),
    'dev',
    `--port=${port}`,
    `--ip=${loopback}`,
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
    CLOUDFLARE_LOAD_DEV_VARS_FROM_DOT_ENV: 'true', // makes wrangler read the file
    [startedByStack]: 'true',
    WRANGLER_HIDE_BANNER: 'true',
    WRANGLER_REGISTRY_PATH: path.join(directory, 'registry'),
    WRANGLER_SEND_METRICS: 'false',
    // wrangler would also write each line to a file, which was a quarter of its CPU for a request.
    WRANGLER_WRITE_LOGS: 'false',
  }
  // A wrangler.toml that lists its secrets makes wrangler prefer the environment to the file.
  for (const name of variableNames) delete environment[name]
  // Always the top level of wrangler.toml, never [env.production] by an exported variable.
  delete environment.CLOUDFLARE_ENV
  return environment
}

function lineForwarder({ onLine, onRuntimeCrash }: WorkerOptions): (line: string) => void {
  const keep = workerOutputFilter()
  return (line) => {
    if (line.includes('The Workers runtime crashed unexpectedly')) onRuntimeCrash()
    const kept = keep(line)
    if (kept !== undefined) onLine(kept)
  }
}
