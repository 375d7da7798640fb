import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../dev/ports.ts'
import { budgets } from '../budgets.ts'
import { secretsIn } from './log-secrets.ts'

export const portVariables = ['PORT', 'LIBSQL_PORT', 'MAIL_PORT', 'IDP_PORT'] as const

/** Without a port for it, a stack does not serve the example app. */
export type Place = Record<(typeof portVariables)[number] | 'STATE_DIR', string> & { APP_PORT?: string }

/** Where the links of a stack lead that serves no app. */
export const frontend = 'http://localhost:5173'

/** As long as a stack itself waits for its Worker. */
export const startLimitSeconds = 150

/** The end of what a stack says once it runs. */
const lastLine = 'Ctrl-C stops everything.'

const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
/** The variables that the project's commands get from the tests, beside their own. */
export const inherited = { PATH, HOME, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) }

/** `npm run dev` as a process, as npm starts it. */
export class DevStack {
  output = ''
  readonly #child: ChildProcess
  readonly #closed: Promise<number | null>
  readonly #place: Place
  #groups = new Set<string>()

  constructor(place: Place, project: string) {
    this.#place = place
    // As under npm, a stack ends with its parent, so that not even a killed test run leaves one behind.
    const environment = {
      npm_lifecycle_event: 'dev',
      ...inherited,
      // Some tests send storms of requests.
      GENERAL_LIMIT_ENABLED: 'false',
      ...budgets(),
      // The developer's own frontend, unless a test gives the app a port.
      ...(!('APP_PORT' in place) && { FRONTEND_URL: frontend }),
      ...place,
    } as unknown as NodeJS.ProcessEnv
    this.#child = spawn(process.execPath, ['dev/main.ts'], { cwd: project, env: environment, stdio: 'pipe' })
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk) => {
        this.output += chunk
      })
    }
    this.#closed = once(this.#child, 'close').then(([code]) => code)
  }

  async ready(): Promise<this> {
    const hasStarted = () => this.output.includes(lastLine) || this.#child.exitCode !== null
    await until(hasStarted, startLimitSeconds)
    if (!this.output.includes(lastLine)) throw new Error(`It did not start: ${this.output}`)
    this.#findGroups()
    return this
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name)
  }

  exit(): Promise<number | null> {
    return this.#closed
  }

  /** The processes of this stack's wrangler that still run. Their groups are found by command line while it is up. */
  leftovers(): { pid: number; command: string }[] {
    return processes().filter(({ group }) => this.#groups.has(group))
  }

  #findGroups(): void {
    for (const { group, command } of processes())
      if (command.includes(`--persist-to=${this.#place.STATE_DIR}/`)) this.#groups.add(group)
  }

  nothingLeft(): Promise<boolean> {
    return until(() => this.leftovers().length === 0)
  }

  killWrangler(): void {
    const wrangler = this.leftovers().find(
      ({ command }) => command.includes(' dev') && !command.includes('guard'),
    )
    if (wrangler) process.kill(wrangler.pid, 'SIGKILL')
  }

  async destroy(): Promise<void> {
    this.#findGroups()
    const left = this.leftovers()
    this.signal('SIGKILL')
    await this.#closed
    for (const { pid } of left) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It has ended, as it should have.
      }
    }
  }
}

/** Free ports and a state folder, in a new directory, that no other test uses. */
export async function freePlace(): Promise<{ place: Place; directory: string }> {
  const directory = mkdtempSync(path.join(tmpdir(), 'purse stack '))
  // A state folder may lie in directories that do not exist yet.
  const place = { STATE_DIR: path.join(directory, 'deep/state') } as Place
  for (const name of portVariables) place[name] = String(await freePort())
  return { place, directory }
}

/**
 * The lines of a stack's output that give a secret away, except the one that shows how to register, and wrangler's own,
 * which name the paths of links.
 */
export function leaksIn(output: string): string[] {
  const excepted = /^ {2}or register |^\[wrangler:info\] /
  return output.split('\n').filter((line) => !excepted.test(line) && secretsIn(line).length > 0)
}

function processes(): { pid: number; group: string; command: string }[] {
  const table = execFileSync('ps', ['-axww', '-o', 'pid=,pgid=,stat=,args='], { encoding: 'utf8' })
  return table.split('\n').flatMap((row) => {
    const [, pid, group = '', state = '', command = ''] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(row) ?? []
    // A zombie has ended and only waits for its parent.
    return pid && !state.startsWith('Z') ? [{ pid: Number(pid), group, command }] : []
  })
}

/** Waits for a condition, long enough for a busy machine; false if it did not come true. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  limitSeconds = 90,
): Promise<boolean> {
  for (let tries = 0; tries < limitSeconds * 10; tries++) {
    if (await condition()) return true
    await sleep(100)
  }
  return false
}
