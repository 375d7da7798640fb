// `npm run dev`: everything Purse needs, on this machine, until Ctrl-C.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { DevError, printError } from './dev-error.ts'
import { hasOwnDevVars } from './dev-vars.ts'
import { projectDirectory } from './project.ts'
import { readSettings, type Settings } from './settings.ts'
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

function printReady({ worker }: Settings, { addresses }: Stack): void {
  say('\nPurse is running.\n')
  for (const [part, address] of Object.entries(addresses)) sayRow(part, address)
  say('\nWhat to try next, in a second terminal:\n')
  sayRow('npm run seed', 'a year of one household, and a token to look at it with')
  sayRow('or register', registration(worker.port))
  say('\nEmails, such as the one that verifies the address, appear in the inbox. Ctrl-C stops everything.\n')
}

function sayRow(left: string, right: string): void {
  say(`  ${left.padEnd(19)}${right}`)
}

function registration(port: number): string {
  const person =
    '{"name":"Grace","email":"grace@example.com","password":"compiler1952","password_confirmation":"compiler1952"}'
  return `curl http://127.0.0.1:${port}/api/register -H 'Content-Type: application/json' -d '${person}'`
}
