import path from 'node:path'
import { DirectoryInUse, startLibsqlServer } from './libsql/server.ts'
import { LOOPBACK } from './ports.ts'
import { readSettings } from './settings.ts'

/** Where a database is, as @libsql/client wants it. */
export type DatabaseAddress = { url: string; authToken: string }

/**
 * Runs something against the database that `npm run dev` would use: TURSO_DATABASE_URL where it is set, else the
 * one in the state folder, through the running stack or, when none runs, a server of our own for as long as it takes.
 */
export async function withDatabase<T>(work: (database: DatabaseAddress) => Promise<T>): Promise<T> {
  const settings = readSettings(process.env, path.join(import.meta.dirname, '..'))
  const { database } = settings
  if ('url' in database) return work(database)
  const server = await startOwnServer(path.join(settings.stateDirectory, 'libsql'))
  try {
    const url = server?.url ?? `http://${LOOPBACK}:${database.port}`
    return await work({ url: `${url}/purse/`, authToken: '' })
  } finally {
    await server?.close()
  }
}

/** Answers undefined when a running stack has the directory. */
async function startOwnServer(directory: string) {
  try {
    return await startLibsqlServer({ directory })
  } catch (error) {
    if (error instanceof DirectoryInUse) return undefined
    throw error
  }
}
