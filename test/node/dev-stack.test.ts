import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import net from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'

const PROJECT = path.join(import.meta.dirname, '../..')
const PORTS = ['PORT', 'LIBSQL_PORT', 'MAIL_PORT', 'IDP_PORT'] as const

type Place = Record<(typeof PORTS)[number] | 'STATE_DIR', string>

const started: DevStack[] = []
const places: string[] = []

afterEach(async () => {
  for (const stack of started.splice(0)) await stack.destroy()
  for (const directory of places.splice(0)) rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
})

test('the stack starts, ends cleanly on SIGTERM and Ctrl-C, and starts again on the same state', async () => {
  const place = await newPlace()
  for (const [signal, life] of [
    ['SIGTERM', 'first'],
    ['SIGINT', 'second'],
  ] as const) {
    const stack = await start(place).ready()
    expect(await healthOf(place)).toBe(200)
    for (const port of PORTS)
      expect(stack.output, `${life} life`).toContain(`http://127.0.0.1:${place[port]}`)
    expect(stack.leftovers()).not.toEqual([])
    // npm passes a Ctrl-C on to a process that the terminal has told already.
    stack.signal(signal)
    stack.signal(signal)
    expect(await stack.exit(), stack.output).toBe(0)
    expect(await stack.nothingLeft()).toBe(true)
    expect(await busyPorts(place)).toEqual([])
  }
  expect(filesOthersMayRead(place.STATE_DIR)).toEqual([])
})

test('two stacks run side by side, and one that is killed leaves nothing behind and starts again at once', async () => {
  const [place, neighbour] = [await newPlace(), await newPlace()]
  const [stack] = await Promise.all([start(place).ready(), start(neighbour).ready()])

  const intruder = start({ ...(await newPlace()), STATE_DIR: place.STATE_DIR })
  expect(await intruder.exit()).toBe(1)
  expect(intruder.output.trim()).toMatch(
    /^error: a stack is already running on .* \(process \d+\).*STATE_DIR/,
  )
  expect(intruder.output.trim()).not.toContain('\n')

  stack.signal('SIGKILL')
  await stack.exit()
  const again = await start(place).ready()
  expect(await stack.nothingLeft()).toBe(true)
  expect(await healthOf(place)).toBe(200)
  expect(await healthOf(neighbour)).toBe(200)
  again.killWrangler()
  expect(await again.exit()).toBe(1)
  expect(again.output).toMatch(/\nerror: the Worker's wrangler dev ended with SIGKILL.*\n$/)
  expect(await again.nothingLeft()).toBe(true)
})

test('a busy port and a wrong setting are each said in one line, before anything starts', async () => {
  const place = await newPlace()
  const holder = net.createServer().listen(Number(place.MAIL_PORT), '127.0.0.1')
  await once(holder, 'listening')
  const refused = [
    { change: {}, line: `port ${place.MAIL_PORT} for the inbox is busy: .*MAIL_PORT` },
    { change: { PORT: 'abc' }, line: 'PORT must be a port from 1 to 65535, not "abc"' },
  ].map(({ change, line }) => ({ stack: start({ ...place, ...change }), line }))
  for (const { stack, line } of refused) {
    expect(await stack.exit()).toBe(1)
    expect(stack.output).toMatch(new RegExp(`^error: ${line}[^\\n]*\\n$`))
  }
  holder.close()
})

class DevStack {
  output = ''
  readonly #child: ChildProcess
  readonly #closed: Promise<number | null>
  readonly #place: Place
  #groups = new Set<string>()

  constructor(place: Place) {
    this.#place = place
    // Started as npm starts it, a stack ends with its parent: not even a killed test run leaves one behind.
    const environment = {
      npm_lifecycle_event: 'dev',
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      ...place,
    }
    this.#child = spawn(process.execPath, ['dev/main.ts'], { cwd: PROJECT, env: environment, stdio: 'pipe' })
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk) => {
        this.output += chunk
      })
    }
    this.#closed = once(this.#child, 'close').then(([code]) => code)
  }

  async ready(): Promise<this> {
    await until(() => this.output.includes('Purse is running.') || this.#child.exitCode !== null)
    expect(this.output).toContain('Purse is running.')
    this.#findGroups()
    return this
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name)
  }

  exit(): Promise<number | null> {
    return this.#closed
  }

  /** What runs of wrangler's process groups; those of this stack are found by their command line while it is up. */
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
        // Gone already, as it should be.
      }
    }
  }
}

function start(place: Place): DevStack {
  const stack = new DevStack(place)
  started.push(stack)
  return stack
}

async function newPlace(): Promise<Place> {
  const directory = mkdtempSync(path.join(tmpdir(), 'purse stack '))
  places.push(directory)
  const [PORT, LIBSQL_PORT, MAIL_PORT, IDP_PORT] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ]
  // Parents that do not exist are part of what a state folder may be.
  return { PORT, LIBSQL_PORT, MAIL_PORT, IDP_PORT, STATE_DIR: path.join(directory, 'deep/state') }
}

// Below the ports that systems hand out on their own: wrangler asks for some of those on every start.
async function freePort(): Promise<string> {
  const server = net.createServer().listen(20_000 + Math.floor(Math.random() * 12_000), '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return freePort()
  }
  const { port } = server.address() as net.AddressInfo
  await once(server.close(), 'close')
  return String(port)
}

async function healthOf({ PORT }: Place): Promise<number> {
  return (await fetch(`http://127.0.0.1:${PORT}/api/health`)).status
}

async function busyPorts(place: Place): Promise<string[]> {
  const answers = PORTS.map(async (name) => {
    const socket = net.connect(Number(place[name]), '127.0.0.1')
    const busy = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    return busy ? [name] : []
  })
  return (await Promise.all(answers)).flat()
}

function filesOthersMayRead(directory: string): string[] {
  if (statSync(directory).mode & 0o077) return [directory]
  const secrets = readdirSync(directory).filter((name) => /secret|\.env$/.test(name))
  expect(secrets.sort()).toEqual(['app-secret', 'idp-client-secret', 'worker.env'])
  return secrets.filter((name) => statSync(path.join(directory, name)).mode & 0o077)
}

function processes(): { pid: number; group: string; command: string }[] {
  const table = execFileSync('ps', ['-axww', '-o', 'pid=,pgid=,stat=,args='], { encoding: 'utf8' })
  return table.split('\n').flatMap((row) => {
    const [, pid, group = '', state = '', command = ''] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(row) ?? []
    // A zombie is only waiting to be counted.
    return pid && !state.startsWith('Z') ? [{ pid: Number(pid), group, command }] : []
  })
}

async function until(condition: () => boolean): Promise<boolean> {
  for (let tries = 0; tries < 300; tries++) {
    if (condition()) return true
    await sleep(100)
  }
  return false
}
