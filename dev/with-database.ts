import { DevError } from './dev-error.ts'
import { type DatabaseAddress, localDatabase, startLocalDatabase } from './local-database.ts'
import { requireFreePorts } from './ports.ts'
import { projectDirectory } from './project.ts'
import { portsOf, readSettings } from './settings.ts'
import { openStateFolder, readAddresses } from './state-folder.ts'

/**
 * Runs something against the database that `npm run dev` would use: TURSO_DATABASE_URL if it is set, else the one in
 * the state folder, served by a running stack or else for as long as this takes. A DevError is printed as one line and
 * makes the command exit with 1.
 */
export async function withDatabase(work: (database: DatabaseAddress) => Promise<void>): Promise<void> {
  try {
    const settings = readSettings(process.env, projectDirectory)
    const { database, stateDirectory } = settings
    if ('url' in database) return await work(database)
    const running = readAddresses(stateDirectory)?.database
    if (running) return await work(await localDatabase(stateDirectory, Number(new URL(running).port)))
    const uses = portsOf(settings).filter(({ variable }) => variable === 'LIBSQL_PORT')
    await serveDatabase(stateDirectory, database.port, uses, work)
  } catch (error) {
    if (!(error instanceof DevError)) throw error
    console.error(`error: ${error.message}`)
    process.exitCode = 1
  }
}

async function serveDatabase(
  stateDirectory: string,
  port: number,
  uses: ReturnType<typeof portsOf>,
  work: (database: DatabaseAddress) => Promise<void>,
): Promise<void> {
  const state = openStateFolder(stateDirectory)
  try {
    await requireFreePorts(uses, new AbortController().signal)
    const server = await startLocalDatabase(stateDirectory, port)
    try {
      const address = await localDatabase(stateDirectory, port)
      state.publish({ database: address.url })
      await work(address)
    } finally {
      await server.close()
    }
  } finally {
    state.release()
  }
}
