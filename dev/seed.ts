// `npm run seed`: a year of one household for the demo user, through the API of the local stack.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseEnv } from 'node:util'
import { DevError, printError } from './dev-error.ts'
import { loopback } from './ports.ts'
import { projectDirectory } from './project.ts'
import { openApi } from './seed/api.ts'
import { demoUser, signInDemoUser } from './seed/demo-user.ts'
import { type Filled, fill } from './seed/fill.ts'
import { yearUntil } from './seed/household.ts'
import { readSettings, type Settings } from './settings.ts'
import { startStack } from './stack.ts'

const remoteFlag = '--remote-database'

process.exit(await run())

async function run(): Promise<number> {
  try {
    const settings = readSettings(process.env, projectDirectory)
    if (!process.argv.includes(remoteFlag)) refuseRemoteDatabase(settings)
    await seed(settings)
    return 0
  } catch (error) {
    printError(error, 'the seed could not be sown')
    return 1
  }
}

async function seed(settings: Settings): Promise<void> {
  const inbox = inboxOf(settings)
  const address = `http://${loopback}:${settings.worker.port}/api`
  const isRunning = await answers(`${address}/health`)
  if (isRunning) requireOwnStack(settings)
  else console.log('The stack is not running: starting it for as long as this takes ...')
  const stack = isRunning
    ? undefined
    : await startStack(settings, () => undefined, new AbortController().signal)
  try {
    const token = await signInDemoUser(address, inbox)
    // The demo user's time zone is UTC, and so is the month of their summary.
    const rows = yearUntil(new Date().toISOString().slice(0, 10))
    const filled = await fill(openApi(address, token), rows)
    console.log(`\n${sentenceOn(filled)}`)
    printNext(settings, { token, inbox, isRunning })
  } finally {
    await stack?.stop()
  }
}

/** Throws a DevError if this environment, or the one that the stack was last started with, names a remote database. */
function refuseRemoteDatabase({ database, stateDirectory }: Settings): void {
  const started = path.join(stateDirectory, 'worker.env')
  const urls = [
    'url' in database ? database.url : undefined,
    existsSync(started) ? parseEnv(readFileSync(started, 'utf8')).TURSO_DATABASE_URL : undefined,
  ]
  if (urls.some((url) => url && !isLoopback(url)))
    throw new DevError(
      `the database is not on this machine. To fill it anyway: npm run seed -- ${remoteFlag}`,
    )
}

/** A stack with another state folder may write to any database. */
function requireOwnStack({ worker, stateDirectory }: Settings): void {
  if (!existsSync(path.join(stateDirectory, 'stack.pid')))
    throw new DevError(
      `what answers on port ${worker.port} is not the stack of ${stateDirectory}: set STATE_DIR.`,
    )
}

function isLoopback(url: string): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname)
}

function inboxOf({ mail }: Settings): string {
  if ('port' in mail) return `http://${loopback}:${mail.port}`
  throw new DevError(
    'the demo user verifies their address in the local inbox: unset RESEND_API_KEY and RESEND_BASE_URL.',
  )
}

async function answers(url: string): Promise<boolean> {
  const response = await fetch(url).catch(() => undefined)
  return response?.status === 200
}

function sentenceOn({ created, present, deleted }: Filled): string {
  const stayed = deleted > 0 ? ` Deleted here before, and left so: ${deleted}.` : ''
  if (created === 0) return `Already seeded: nothing was added to ${present} transactions.${stayed}`
  const before = present > 0 ? ` to the ${present} that were there` : ', the last year of one household'
  return `Added ${created} transactions${before}.${stayed}`
}

function printNext(
  { worker }: Settings,
  { token, inbox, isRunning }: { token: string; inbox: string; isRunning: boolean },
): void {
  const origin = `http://${loopback}:${worker.port}`
  console.log(`
  demo user        ${demoUser.email}, password ${demoUser.password}
  reference page   ${origin}/docs
  inbox            ${inbox}

${isRunning ? 'Paste these' : 'Start `npm run dev`, then paste these'} into a shell:

  export API=${origin}/api TOKEN='${token}'
  curl "$API/summary" -H "Authorization: Bearer $TOKEN"
`)
}
