import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Bench, Household } from './calls.ts'
import { Connection } from './client.ts'
import {
  type Parts,
  type Runtime,
  type RuntimeOptions,
  type ServedDatabase,
  serveDatabase,
  startParts,
  startRuntime,
} from './runtime.ts'

/** Starts the parts other than Worker and database, and makes a directory, for as long as the work takes. */
export async function withParts<T>(work: (parts: Parts, directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(path.join(tmpdir(), 'purse-bench-'))
  const parts = await startParts(directory)
  try {
    return await work(parts, directory)
  } finally {
    await parts.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Serves a copy of a database file for as long as the work takes. */
export async function withCopy<T>(
  file: string,
  directory: string,
  work: (database: ServedDatabase) => Promise<T>,
): Promise<T> {
  const copy = mkdtempSync(path.join(directory, 'served-'))
  const database = await serveDatabase(copy, file)
  try {
    return await work(database)
  } finally {
    await database.stop()
    rmSync(copy, { recursive: true })
  }
}

/** Copies a database file for as long as the work takes. */
export async function withFile<T>(file: string, copy: string, work: () => Promise<T>): Promise<T> {
  copyFileSync(file, copy)
  try {
    return await work()
  } finally {
    for (const suffix of ['', '-wal', '-shm']) rmSync(copy + suffix, { force: true })
  }
}

/** Runs the Worker for as long as the work takes with it. */
export async function withRuntime<T>(
  options: RuntimeOptions,
  household: Household,
  work: (bench: Bench, runtime: Runtime) => Promise<T>,
): Promise<T> {
  const runtime = await startRuntime(options)
  const connection = new Connection(runtime.api)
  try {
    return await work({ ...household, connection }, runtime)
  } finally {
    connection.close()
    await runtime.stop()
  }
}
