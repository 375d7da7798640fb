import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { startApp } from './app.ts'
import { startCrons } from './crons.ts'
import { DevError, reasonOf } from './dev-error.ts'
import { leaveDevVars } from './dev-vars.ts'
import { waitForHealth } from './health.ts'
import { startIdentityProvider } from './idp/server.ts'
import { startInbox } from './inbox/server.ts'
import { localDatabase, startLocalDatabase } from './local-database.ts'
import { migrateDatabase, OtherMigrations } from './migrate.ts'
import { isTaken, loopback, portError, requireFreePorts } from './ports.ts'
import { portsOf, type Settings } from './settings.ts'
import { openStateFolder, type StateFolder, writePrivateFile } from './state-folder.ts'
import { configurationFault, saysThatBuildFailed } from './worker-output.ts'
import { startWorkerProcess } from './worker-process.ts'
import {
  frontendUrl,
  type LocalAddresses,
  localClient,
  toEnvFile,
  workerVariables,
} from './worker-variables.ts'

const healthLimitMs = 150_000
const recoveryLimitMs = 10_000
const closeLimitMs = 5_000

/** The running parts. */
export type Stack = {
  /** What to open in a browser or give to a client. */
  addresses: Record<string, string>
  /** Resolves with what happened if a part ends by itself. */
  crashed: Promise<string>
  stop(): Promise<void>
}

type Close = () => Promise<void>

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
    closers.push(async () => state.release())
    await requireFreePorts(portsOf(settings), signal)
    mentionFormerDatabase(state, say)
    const { local, crashed: databaseCrashed } = await startLocalParts(settings, state, closers)
    await unlessAborted(signal, migrate(settings, local, say))
    say('Starting the Worker ...')
    const worker = startWorker(settings, state, local, say)
    closers.push(() => worker.close())
    const health = `http://${loopback}:${settings.worker.port}/api/health`
    const crashed = Promise.race([worker.crashed, databaseCrashed])
    const failed = Promise.race([crashed, worker.unbuilt]).then((line) => Promise.reject(new DevError(line)))
    await unlessAborted(signal, Promise.race([waitForHealth(health, healthLimitMs, signal), failed]))
    const stopCrons = startCrons(`http://${loopback}:${settings.worker.port}`)
    closers.push(async () => stopCrons())
    const app = await startOwnApp(settings, state, closers)
    return { addresses: { app, ...addressesOf(settings, local) }, crashed, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Earlier versions kept the database in a file that today's server does not read. */
function mentionFormerDatabase(state: StateFolder, say: (line: string) => void): void {
  const former = state.path('libsql')
  if (existsSync(former))
    say(
      `Note: ${former} is from an earlier version and is no longer used; a backup is restored as docs/deploy.md says.`,
    )
}

async function startLocalParts(
  settings: Settings,
  state: StateFolder,
  closers: Close[],
): Promise<{ local: LocalAddresses; crashed: Promise<string> }> {
  const { database, mail, identityProvider } = settings
  const local: LocalAddresses = {}
  let crashed = new Promise<string>(() => undefined)
  if ('port' in database) {
    const { port } = database
    const server = await startPart(settings, 'LIBSQL_PORT', () => startLocalDatabase(state.directory, port))
    closers.push(() => server.close())
    local.database = await localDatabase(state.directory, port)
    crashed = server.ended.then((how) => `the libSQL server ended ${how}.`)
  }
  if ('port' in mail) {
    const options = { directory: state.path('inbox'), port: mail.port }
    const server = await startPart(settings, 'MAIL_PORT', () => startInbox(options))
    closers.push(() => server.close())
    local.inbox = server.url
  }
  if ('port' in identityProvider) {
    const client = localClient(settings, state)
    const options = { directory: state.path('idp'), port: identityProvider.port, ...client }
    const server = await startPart(settings, 'IDP_PORT', () => startIdentityProvider(options))
    closers.push(() => server.close())
    local.issuer = server.issuer
  }
  return { local, crashed }
}

/** Returns where the app is. Nothing else needs it: if its port is taken, the stack runs without it. */
async function startOwnApp(settings: Settings, state: StateFolder, closers: Close[]): Promise<string> {
  const { app, worker } = settings
  const url = frontendUrl(app)
  if (!('port' in app)) return `links and sign-ins lead to ${url}, as the environment says`
  const { port } = app
  if (await isTaken(port))
    return `not here: port ${port} is taken, by your own perhaps; APP_PORT sets another`
  const apiUrl = `http://${loopback}:${worker.port}`
  const options = { port, host: loopback, directory: state.path('app'), apiUrl }
  const server = await startPart(settings, 'APP_PORT', () => startApp(options))
  closers.push(() => server.close())
  return url
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
  settings: Settings,
  local: LocalAddresses,
  say: (line: string) => void,
): Promise<void> {
  const { database } = settings
  const remote = 'url' in database ? database : undefined
  const { url = '', authToken } = remote ?? local.database ?? {}
  const shown = url.replace(/\?.*/, '') // a token may follow
  say(`Migrating the ${remote ? 'REMOTE' : 'local'} database ${shown}`)
  try {
    await migrateDatabase(url, authToken)
  } catch (error) {
    const isOld = error instanceof OtherMigrations && !remote
    const hint = isOld ? `. Delete ${settings.stateDirectory} to begin with an empty one` : ''
    throw new DevError(`the database ${shown} could not be migrated: ${reasonOf(error)}${hint}`, {
      cause: error,
    })
  }
}

function startWorker(
  settings: Settings,
  state: StateFolder,
  local: LocalAddresses,
  say: (line: string) => void,
) {
  const variables = workerVariables(settings, state, local)
  const variablesFile = state.path('worker.env')
  writePrivateFile(variablesFile, toEnvFile(variables))
  leaveDevVars(settings, variables)
  const dead = Promise.withResolvers<string>()
  const unbuilt = Promise.withResolvers<string>()
  let isUnbuilt = false
  let isClosing = false
  const worker = startWorkerProcess({
    projectDirectory: settings.projectDirectory,
    directory: state.path('wrangler'),
    port: settings.worker.port,
    variablesFile,
    variableNames: Object.keys(variables),
    onLine: (line) => {
      // If esbuild ends first, wrangler prints where it was in handling the errors, which are above by then.
      if (isUnbuilt && isClosing) return
      say(line)
      const fault = configurationFault(line)
      // It would answer 500 to everything, even to health checks.
      if (fault) dead.resolve(`the Worker cannot work with these settings: ${fault}`)
      if (!saysThatBuildFailed(line)) return
      isUnbuilt = true
      unbuilt.resolve('the Worker cannot be built; its errors are above.')
    },
    onRuntimeCrash: () =>
      void confirmRecovery(settings.worker.port).catch((error) => dead.resolve(reasonOf(error))),
  })
  const ended = worker.ended.then(
    (how) => `the Worker's wrangler dev ended ${how}; its last lines are above.`,
  )
  const close = () => {
    isClosing = true
    return worker.close()
  }
  return { close, crashed: Promise.race([ended, dead.promise]), unbuilt: unbuilt.promise }
}

// wrangler restarts a crashed workerd, but if that one held the port, nothing answers.
async function confirmRecovery(port: number): Promise<void> {
  const signal = AbortSignal.timeout(recoveryLimitMs)
  const answered = fetch(`http://${loopback}:${port}/api/health`, { signal })
  await answered.catch(() => {
    throw new DevError('the Worker crashed and no longer answers.')
  })
}

function addressesOf(settings: Settings, local: LocalAddresses): Record<string, string> {
  const { mail, identityProvider } = settings
  const remoteMail = ('baseUrl' in mail && mail.baseUrl) || 'Resend'
  const remoteIssuer = 'issuer' in identityProvider ? identityProvider.issuer : ''
  const origin = `http://${loopback}:${settings.worker.port}`
  return {
    API: `${origin}/api`,
    'reference page': `${origin}/docs`,
    libSQL: local.database?.url ?? 'the database of TURSO_DATABASE_URL',
    inbox: local.inbox ?? `mails go to ${remoteMail}, as the environment says`,
    'identity provider': local.issuer ?? `${remoteIssuer}, as the environment says`,
    state: settings.stateDirectory,
  }
}

// The last to start closes first, so that no part loses something it still needs; one that hangs ends with this process.
async function closeAll(closers: Close[]): Promise<void> {
  for (let close = closers.pop(); close; close = closers.pop()) {
    await Promise.race([close().catch(() => {}), sleep(closeLimitMs)])
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
