import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DevError, reasonOf } from './dev-error.ts'

/** Another process holds the folder. */
export class StateInUse extends DevError {}

/** Where a stack keeps everything; only one process at a time holds it. */
export type StateFolder = {
  directory: string
  /** The path of something inside the folder. */
  path(...names: string[]): string
  /** A secret, made on the first call and the same from then on. */
  secret(name: string): string
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
      `the state folder ${directory} cannot be made (${codeOf(error)}): set STATE_DIR to another.`,
    )
  }
  const unlock = lock(directory, inside('stack.lock'), inside('stack.pid'))
  return {
    directory,
    path: inside,
    secret: (name) => keepSecret(inside(name)),
    release: unlock,
  }
}

/** Writes a file that only its owner may read, replacing any existing one. */
export function writePrivateFile(file: string, contents: string): void {
  writeFileSync(file, contents, { mode: 0o600 })
  chmodSync(file, 0o600)
}

// A database lock is the only file lock that Node offers without an add-on. The kernel drops it with the process,
// however that ends, so no stale lock is ever left behind.
function lock(directory: string, lockFile: string, pidFile: string): () => void {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(lockFile, { timeout: 0 })
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    database?.close()
    if (!isBusy(error))
      throw new DevError(
        `the state folder ${directory} cannot be used (${reasonOf(error)}): set STATE_DIR to another.`,
      )
    throw new StateInUse(
      `a stack is already running on ${directory}${holder(pidFile)}: stop it first, or set STATE_DIR and the ports to run a second one.`,
    )
  }
  const held = database
  writeFileSync(pidFile, String(process.pid))
  return () => {
    rmSync(pidFile, { force: true })
    held.close()
  }
}

function holder(pidFile: string): string {
  return existsSync(pidFile) ? ` (process ${readFileSync(pidFile, 'utf8')})` : ''
}

/** A secret in a file: made on the first call and the same from then on. */
export function keepSecret(file: string): string {
  if (existsSync(file)) return readFileSync(file, 'utf8').trim()
  const secret = randomBytes(32).toString('base64url')
  writePrivateFile(file, secret)
  return secret
}

const sqliteBusy = 5

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}
