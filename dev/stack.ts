import { setTimeout as sleep } from 'node:timers/promises'
import { startApp } from './app.ts'
import { startCrons } from './crons.ts'
import { DevError, reasonOf } from './dev-error.ts'
import { leaveDevVars } from './dev-vars.ts'
import { startIdentityProvider } from './idp/server.ts'
import { startInbox } from './inbox/server.ts'
import { type DatabaseAddress, localDatabase, startLocalDatabase } from './local-database.ts'
import { migrateDatabase, OtherMigrations } from './migrate.ts'
import { isTaken, portError, requireFreePorts } from './ports.ts'
import { frontendUrl, localOrigin, loopback, portsOf, type Settings } from './settings.ts'
import { type Addresses, openStateFolder, type StateFolder } from './state-folder.ts'
import { localClient, type Parts, startWorker, waitForHealth, workerVariables } from './worker.ts'

const healthLimitMs = 150_000
const recoveryLimitMs = 10_000
const closeLimitMs = 5_000
const folderCheckMs = 1_000

/** The running parts. */
export type Stack = {
  addresses: Addresses
  /** Resolves with what happened if a part ends by itself or the state folder is deleted. */
  crashed: Promise<string>
  stop(): Promise<void>
}

type Close = () => Promise<void> | void
/** The parts that have started, with the functions that stop them. */
type Start = {
  settings: Settings
  state: StateFolder
  closers: Close[]
  crash: (reason: string) => void
}

/** Starts the parts in turn; if one fails or the signal aborts, ends those that had started and throws. */
export async function startStack(
  settings: Settings,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<Stack> {
  const closers: Close[] = []
  const stop = () => closeAll(closers)
  try {
    const state = openStateFolder(settings.stateDirectory)
    closers.push(() => state.release())
    const { promise: crashed, resolve: crash } = Promise.withResolvers<string>()
    const start = { settings, state, closers, crash }
    await requireFreePorts(portsOf(settings), signal)
    const parts = await startParts(start)
    await unlessAborted(signal, migrate(settings, parts.database, say))
    say('Starting the Worker ...')
    runWorker(start, parts, say)
    const failed = crashed.then((line) => Promise.reject(new DevError(line)))
    await unlessAborted(signal, Promise.race([waitForHealth(settings, healthLimitMs, signal), failed]))
    watch(start)
    const app = await runApp(start)
    const { database, inbox, issuer } = parts
    const addresses = {
      api: `${localOrigin(settings.host, settings.worker.port)}/api`,
      database: database.url.replace(/\?.*/, ''), // a token may follow
      ...(inbox && { inbox }),
      ...(issuer && { issuer }),
      ...(app && { app }),
    }
    state.publish(addresses)
    return { addresses, crashed, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startParts({ settings, state, closers, crash }: Start): Promise<Parts> {
  const { database, mail, identityProvider, host, publicHost } = settings
  const parts: Parts = { database: 'url' in database ? database : { url: '', authToken: '' } }
  if ('port' in database) {
    const { port } = database
    const server = await startPart(settings, 'LIBSQL_PORT', () => startLocalDatabase(state.directory, port))
    closers.push(() => server.close())
    server.ended.then((how) => crash(`the libSQL server ended ${how}.`))
    parts.database = await localDatabase(state.directory, port)
  }
  if ('port' in mail) {
    const options = { directory: state.path('inbox'), port: mail.port, host }
    const server = await startPart(settings, 'MAIL_PORT', () => startInbox(options))
    closers.push(() => server.close())
    parts.inbox = server.url
  }
  if ('port' in identityProvider) {
    const options = { port: identityProvider.port, host, publicHost, ...localClient(settings, state) }
    const server = await startPart(settings, 'IDP_PORT', () => startIdentityProvider(options))
    closers.push(() => server.close())
    parts.issuer = server.issuer
  }
  return parts
}

async function startPart<Part>(
  settings: Settings,
  variable: string,
  start: () => Promise<Part>,
): Promise<Part> {
  try {
    return await start()
  } catch (error) {
    const use = portsOf(settings).find((candidate) => candidate.variable === variable)
    // The port was free a moment ago, but something else has taken it.
    if (use && error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')
      throw portError(use, error.code)
    throw new DevError(`${use?.part ?? variable} could not start: ${reasonOf(error)}`, { cause: error })
  }
}

async function migrate(
  { database, stateDirectory }: Settings,
  { url, authToken }: DatabaseAddress,
  say: (line: string) => void,
): Promise<void> {
  const isRemote = 'url' in database
  const shown = url.replace(/\?.*/, '')
  say(`Migrating the ${isRemote ? 'REMOTE' : 'local'} database ${shown}`)
  try {
    await migrateDatabase(url, authToken)
  } catch (error) {
    const isOld = error instanceof OtherMigrations && !isRemote
    const hint = isOld ? `. Delete ${stateDirectory} to begin with an empty one` : ''
    throw new DevError(`the database ${shown} could not be migrated: ${reasonOf(error)}${hint}`, {
      cause: error,
    })
  }
}

function runWorker({ settings, state, closers, crash }: Start, parts: Parts, say: (line: string) => void) {
  const variables = workerVariables(settings, state, parts)
  leaveDevVars(settings, variables)
  const worker = startWorker(settings, state, variables, say)
  closers.push(() => worker.close())
  worker.ended.then((how) => crash(`the Worker's wrangler dev ended ${how}; its last lines are above.`))
}

/** Fires crons, and notices a Worker that no longer responds and a state folder that was deleted. */
function watch({ settings, state, closers, crash }: Start): void {
  const { signal } = new AbortController()
  const stopCrons = startCrons(localOrigin(settings.host, settings.worker.port), () =>
    // wrangler restarts a crashed workerd, but if that one held the port, nothing responds.
    waitForHealth(settings, recoveryLimitMs, signal).catch((error) => crash(reasonOf(error))),
  )
  const folderCheck = setInterval(() => {
    if (state.isGone())
      crash(
        `the state folder ${state.directory} was deleted while the stack ran, and the database with it, so that requests got a 503. Start the stack again.`,
      )
  }, folderCheckMs)
  closers.push(() => {
    stopCrons()
    clearInterval(folderCheck)
  })
}

/** Returns where the app is. Nothing else needs it: if its port is taken, the stack runs without it. */
async function runApp({ settings, state, closers }: Start): Promise<string | undefined> {
  const { app, host, appUrl } = settings
  if (!('port' in app)) return undefined
  if (await isTaken(app.port)) return undefined
  const apiUrl = host === loopback ? localOrigin(host, settings.worker.port) : appUrl
  const options = { port: app.port, host, directory: state.path('app'), apiUrl }
  const server = await startPart(settings, 'APP_PORT', () => startApp(options))
  closers.push(() => server.close())
  return frontendUrl(settings)
}

// The last to start closes first, so that no part loses something it still needs; one that hangs ends with this process.
async function closeAll(closers: Close[]): Promise<void> {
  for (let close = closers.pop(); close; close = closers.pop()) {
    await Promise.race([Promise.resolve(close()).catch(() => {}), sleep(closeLimitMs)])
  }
}

async function unlessAborted<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
