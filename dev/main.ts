// `npm run dev`: everything Purse needs, on this machine, until Ctrl-C.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { DevError, printError } from './dev-error.ts'
import { hasOwnDevVars } from './dev-vars.ts'
import { projectDirectory } from './project.ts'
import { localOrigin, loopback, readSettings, type Settings } from './settings.ts'
import { type Stack, startStack } from './stack.ts'

// npm forwards a Ctrl-C that the terminal has already sent: both count as one.
const sameKeypressMs = 500
const parentCheckMs = 250

const say = (line: string) => console.log(process.stdout.isTTY ? line : stripVTControlCharacters(line))

// A closed terminal or pipe must not end the shutdown halfway.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
process.on('uncaughtException', (error) => {
  console.error('error: a part of the local stack crashed:', error)
  process.exit(1)
})

process.exit(await run(stopSignal()))

async function run(signal: AbortSignal): Promise<number> {
  try {
    const settings = readSettings(process.env, projectDirectory)
    mentionUnreadFiles()
    const stack = await startStack(settings, say, signal)
    printReady(settings, stack)
    const crash = await Promise.race([stack.crashed, whenAborted(signal)])
    await stack.stop()
    if (crash) throw new DevError(crash)
    say('Stopped.')
    return 0
  } catch (error) {
    if (signal.aborted) {
      say('Stopped.')
      return 0
    }
    printError(error, 'the local stack could not start')
    return 1
  }
}

// npm's shell in between dies of SIGTERM without passing it on: if the parent has gone, stop.
function watchParent(stop: () => void): void {
  const parent = process.ppid
  if (!process.env.npm_lifecycle_event) return
  const timer = setInterval(() => process.ppid !== parent && stop(), parentCheckMs)
  timer.unref()
}

// Stopping is how a development stack normally ends, so Ctrl-C and SIGTERM exit with 0.
function stopSignal(): AbortSignal {
  const controller = new AbortController()
  let stoppingSince = 0
  const stop = () => {
    if (controller.signal.aborted) return
    stoppingSince = Date.now()
    say('\nStopping ... (Ctrl-C again to stop at once)')
    controller.abort()
  }
  process.on('SIGTERM', stop)
  process.on('SIGHUP', stop)
  process.on('SIGINT', () => {
    if (stoppingSince > 0 && Date.now() - stoppingSince > sameKeypressMs) process.exit(130)
    stop()
  })
  watchParent(stop)
  return controller.signal
}

function whenAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined)
    signal.addEventListener('abort', () => resolve(undefined))
  })
}

function mentionUnreadFiles(): void {
  const unread = [
    ...(hasOwnDevVars(projectDirectory) ? ['.dev.vars'] : []),
    ...(existsSync(path.join(projectDirectory, '.env')) ? ['.env'] : []),
  ]
  if (unread.length > 0)
    say(`Note: ${unread.join(' and ')} are not read here; set variables in the environment instead.`)
}

function printReady(settings: Settings, { addresses }: Stack): void {
  const { worker, host, appUrl, mail, identityProvider, stateDirectory } = settings
  const { api, database, inbox, issuer, app } = addresses
  const elsewhere = 'as the environment says'
  say('\nPurse is running.\n')
  sayRow('app', app ?? appElsewhere(settings))
  sayRow('API', `${api}`)
  if (host !== loopback) sayRow('API for devices', `${appUrl}/api`)
  sayRow('reference page', `${localOrigin(host, worker.port)}/docs`)
  sayRow('libSQL', `${database}`)
  sayRow('inbox', inbox ?? `emails go to ${('baseUrl' in mail && mail.baseUrl) || 'Resend'}, ${elsewhere}`)
  sayRow(
    'identity provider',
    issuer ?? `${'issuer' in identityProvider && identityProvider.issuer}, ${elsewhere}`,
  )
  sayRow('state', stateDirectory)
  say('\nWhat to try next, in a second terminal:\n')
  sayRow('npm run seed', 'a year of one household, and a token to look at it with')
  sayRow('or register', registration(`${api}`))
  say('\nEmails, such as the one that verifies the address, appear in the inbox. Ctrl-C stops everything.\n')
}

function appElsewhere({ app }: Settings): string {
  if ('url' in app) return `links and sign-ins lead to ${app.url}, as the environment says`
  return `not here: port ${app.port} is taken, by your own perhaps; APP_PORT sets another`
}

function sayRow(left: string, right: string): void {
  say(`  ${left.padEnd(19)}${right}`)
}

function registration(api: string): string {
  const person =
    '{"name":"Grace","email":"grace@example.com","password":"compiler1952","password_confirmation":"compiler1952"}'
  return `curl ${api}/register -H 'Content-Type: application/json' -d '${person}'`
}
