import { mkdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { DevError } from '../dev-error.ts'
import { type GuardedProcess, startGuarded } from '../guarded-process.ts'
import { freePort } from '../ports.ts'
import { loopback } from '../settings.ts'
import { findSqld } from './binary.ts'

const startLimitMs = 30_000
const pollMs = 10
/** Long enough for a busy machine: a server that does not respond in time counts as absent. */
const timeoutMs = 10_000
const linesShown = 5

export type SqldOptions = {
  /** Holds the databases; made if missing. Only one server may use it at a time, which sqld does not check. */
  directory: string
  /** Any free one by default. */
  port?: number
  /** Seconds between checkpoints. */
  checkpointInterval: number
  /** The Ed25519 public key, as base64url, of the tokens that open it; without one it is open to all. */
  authKey?: string | undefined
  /** Further arguments. */
  args?: string[]
}

export type Sqld = GuardedProcess & {
  /** Without a trailing slash. */
  url: string
}

/**
 * Starts sqld, libSQL's own server, and waits until it responds; it ends with this process, however that ends. Throws a
 * DevError if there is no binary for this machine or it cannot start.
 *
 * Without an interval it makes a checkpoint after every thousand pages. A writer whose turn comes during one is refused
 * as busy, and at times all writers hang for good (sqld 0.24.32).
 */
export async function startSqld({
  directory,
  port,
  checkpointInterval,
  authKey,
  args = [],
}: SqldOptions): Promise<Sqld> {
  const binary = findSqld()
  mkdirSync(directory, { recursive: true })
  const address = `${loopback}:${port ?? (await freePort())}`
  const lastLines: string[] = []
  const server = startGuarded({
    command: [
      binary,
      `--db-path=${directory}`,
      `--http-listen-addr=${address}`,
      `--checkpoint-interval-s=${checkpointInterval}`,
      '--no-welcome',
      ...args,
    ],
    directory,
    // Nothing is inherited: a variable for another sqld must not make this one its replica.
    environment: { RUST_LOG: 'error', ...(authKey && { SQLD_AUTH_JWT_KEY: authKey }) },
    onLine: (line) => {
      lastLines.push(line)
      if (lastLines.length > linesShown) lastLines.shift()
    },
  })
  const url = `http://${address}`
  const failed = server.ended.then((how) => {
    throw new DevError(`the libSQL server ended ${how}: ${lastLines.join(' ').trim() || 'it said nothing'}`)
  })
  try {
    await Promise.race([waitUntilReady(url), failed])
  } catch (error) {
    await server.kill()
    throw error
  }
  return { url, ...server }
}

async function waitUntilReady(url: string): Promise<void> {
  const deadline = Date.now() + startLimitMs
  while (!(await isSqld(url))) {
    if (Date.now() > deadline) throw new DevError(`the libSQL server did not respond at ${url} in time.`)
    await sleep(pollMs)
  }
}

/** True if a libSQL server responds. */
export async function isSqld(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/version`, { signal: AbortSignal.timeout(timeoutMs) })
    return (await response.text()).startsWith('sqld ')
  } catch {
    return false
  }
}
