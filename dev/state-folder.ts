import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DevError, reasonOf } from './dev-error.ts'

/** Another process holds the folder: a stack, or a command that uses its database. */
export class StateInUse extends DevError {}

/** Where the parts of a running stack are. A part that runs elsewhere has no address here. */
export type Addresses = { api?: string; database?: string; inbox?: string; issuer?: string; app?: string }

/** Where a stack keeps everything; only one process at a time holds it. */
export type StateFolder = {
  directory: string
  /** The path of something inside the folder. */
  path(...names: string[]): string
  /** A secret, made on the first call and the same from then on. */
  secret(name: string): string
  /** Writes the addresses to `stack.json`, from where `readAddresses` reads them. */
  publish(addresses: Addresses): void
  /** True once the folder was deleted, or replaced by another. */
  isGone(): boolean
  release(): void
}

/**
 * Creates the folder, readable by its owner only, unless it exists, and locks it until it is released or the process
 * ends. Throws StateInUse if another process holds it, and another DevError if it cannot be used.
 */
export function openStateFolder(directory: string): StateFolder {
  const inside = (...names: string[]) => path.join(directory, ...names)
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new DevError(
      `the state folder ${directory} cannot be made (${reasonOf(error)}): set STATE_DIR to another.`,
    )
  }
  const held = lock(directory)
  const { ino } = statSync(inside(lockFile))
  const isGone = () => statSync(inside(lockFile), { throwIfNoEntry: false })?.ino !== ino
  const publish = (addresses: Addresses) =>
    writePrivateFile(inside(stackFile), JSON.stringify({ pid: process.pid, ...addresses }, null, 2))
  publish({})
  return {
    directory,
    path: inside,
    secret: (name) => keepSecret(inside(name)),
    publish,
    isGone,
    release() {
      if (!isGone()) rmSync(inside(stackFile), { force: true })
      held.close()
    },
  }
}

/** The addresses that the process holding the folder has published; undefined if no process holds it. */
export function readAddresses(directory: string): Addresses | undefined {
  if (!existsSync(path.join(directory, lockFile))) return undefined
  try {
    lock(directory).close()
    return undefined
  } catch (error) {
    if (!(error instanceof StateInUse)) throw error
    return JSON.parse(readFileSync(path.join(directory, stackFile), 'utf8'))
  }
}

/** Writes a file that only its owner may read, replacing any existing one. */
export function writePrivateFile(file: string, contents: string): void {
  writeFileSync(file, contents, { mode: 0o600 })
  chmodSync(file, 0o600)
}

/** A secret in a file: made on the first call and the same from then on. */
export function keepSecret(file: string): string {
  if (existsSync(file)) return readFileSync(file, 'utf8').trim()
  const secret = randomBytes(32).toString('base64url')
  writePrivateFile(file, secret)
  return secret
}

const lockFile = 'stack.lock'
const stackFile = 'stack.json'
const sqliteBusy = 5

// A database lock is the only file lock that Node offers without an add-on. The kernel drops it with the process,
// however that ends, so no stale lock is ever left behind.
function lock(directory: string): DatabaseSync {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(path.join(directory, lockFile), { timeout: 0 })
    database.exec('BEGIN EXCLUSIVE')
    return database
  } catch (error) {
    database?.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy)
      throw new StateInUse(
        `a stack is already running on ${directory}${holder(directory)}: stop it first, or set STATE_DIR and the ports to run a second one.`,
      )
    throw new DevError(
      `the state folder ${directory} cannot be used (${reasonOf(error)}): set STATE_DIR to another.`,
    )
  }
}

function holder(directory: string): string {
  const file = path.join(directory, stackFile)
  return existsSync(file) ? ` (process ${JSON.parse(readFileSync(file, 'utf8')).pid})` : ''
}
