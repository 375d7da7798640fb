import { DevError } from './dev-error.ts'
import { type DatabaseAddress, localDatabase, startLocalDatabase } from './local-database.ts'
import { loopback, requireFreePorts } from './ports.ts'
import { projectDirectory } from './project.ts'
import { portsOf, readSettings, type Settings } from './settings.ts'
import { isSqld } from './sqld/server.ts'
import { openStateFolder, StateInUse } from './state-folder.ts'

/**
 * Runs something against the database that `npm run dev` would use: TURSO_DATABASE_URL if it is set, else the one in
 * the state folder, served by a running stack or else for as long as this takes. A DevError is printed as one line and
 * makes the command exit with 1.
 */
export async function withDatabase(work: (database: DatabaseAddress) => Promise<void>): Promise<void> {
  try {
    const settings = readSettings(process.env, projectDirectory)
    const { database } = settings
    await ('url' in database ? work(database) : withLocalDatabase(settings, database.port, work))
  } catch (error) {
    if (!(error instanceof DevError)) throw error
    console.error(`error: ${error.message}`)
    process.exitCode = 1
  }
}

async function withLocalDatabase(
  settings: Settings,
  port: number,
  work: (database: DatabaseAddress) => Promise<void>,
): Promise<void> {
  const { stateDirectory } = settings
  const state = await openState(stateDirectory, port)
  const local = await localDatabase(stateDirectory, port)
  if (!state) return work(local)
  const uses = portsOf(settings).filter((use) => use.port === port)
  try {
    await requireFreePorts(uses, new AbortController().signal)
    const server = await startLocalDatabase(stateDirectory, port)
    try {
      await work(local)
    } finally {
      await server.close()
    }
  } finally {
    state.release()
  }
}

/** Undefined if a stack or another command holds the folder and serves its database. */
async function openState(stateDirectory: string, port: number) {
  try {
    return openStateFolder(stateDirectory)
  } catch (error) {
    if (error instanceof StateInUse && (await isSqld(`http://${loopback}:${port}`))) return undefined
    throw error
  }
}
