import { copyFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { Bench, Household } from './calls.ts'
import { Connection } from './client.ts'
import { type Parts, type Runtime, type RuntimeOptions, startRuntime } from './runtime.ts'

/** Puts a copy of a database file among those that are served, for as long as the work takes with its URL. */
export async function withCopy<T>(
  file: string,
  { name, directory, parts }: { name: string; directory: string; parts: Parts },
  work: (url: string) => Promise<T>,
): Promise<T> {
  return withFile(file, path.join(directory, 'libsql', `${name}.db`), () => work(`${parts.libsql}/${name}/`))
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
