// `npm run seed`: a year of one household for the demo user, through the API of the local stack.
import { DevError, printError } from './dev-error.ts'
import { projectDirectory } from './project.ts'
import { openApi } from './seed/api.ts'
import { demoUser, signInDemoUser } from './seed/demo-user.ts'
import { type Filled, fill } from './seed/fill.ts'
import { yearUntil } from './seed/household.ts'
import { readSettings } from './settings.ts'
import { startStack } from './stack.ts'
import { type Addresses, readAddresses } from './state-folder.ts'

const remoteFlag = '--remote-database'

process.exit(await run())

async function run(): Promise<number> {
  try {
    const settings = readSettings(process.env, projectDirectory)
    const { database, stateDirectory } = settings
    const running = readAddresses(stateDirectory)
    const databaseUrl = running ? running.database : 'url' in database ? database.url : undefined
    if (databaseUrl && !process.argv.includes(remoteFlag)) refuseRemote(databaseUrl)
    if (running) await seed(running, stateDirectory, 'Paste these into a shell')
    else {
      requireInbox('port' in settings.mail)
      console.log(
        `No stack is running on ${stateDirectory} (STATE_DIR): starting one for as long as this takes ...`,
      )
      const stack = await startStack(settings, () => undefined, new AbortController().signal)
      const whatToDo = 'Start `npm run dev`, then paste these into a shell'
      await seed(stack.addresses, stateDirectory, whatToDo).finally(stack.stop)
    }
    return 0
  } catch (error) {
    printError(error, 'the seed could not be sown')
    return 1
  }
}

async function seed({ api, inbox }: Addresses, stateDirectory: string, whatToDo: string): Promise<void> {
  if (!api) throw new DevError('the stack is still starting: try again once it runs.')
  requireInbox(inbox !== undefined)
  const token = await signInDemoUser(api, inbox ?? '')
  // The demo user's time zone is UTC, and so is the month of their summary.
  const today = new Date().toISOString().slice(0, 10)
  const filled = await fill(openApi(api, token), yearUntil(today), today)
  console.log(`
${sentenceOn(filled, stateDirectory)}

  demo user        ${demoUser.email}, password ${demoUser.password}
  inbox            ${inbox}

${whatToDo}:

  export API=${api} TOKEN='${token}'
  curl "$API/summary" -H "Authorization: Bearer $TOKEN"
`)
}

function refuseRemote(databaseUrl: string): void {
  if (!['127.0.0.1', 'localhost', '[::1]'].includes(new URL(databaseUrl).hostname))
    throw new DevError(
      `the database is not on this machine. To fill it anyway: npm run seed -- ${remoteFlag}`,
    )
}

function requireInbox(isLocal: boolean): void {
  if (!isLocal)
    throw new DevError(
      'the demo user verifies their address in the local inbox: run without RESEND_API_KEY and RESEND_BASE_URL.',
    )
}

function sentenceOn({ created, present, deleted }: Filled, stateDirectory: string): string {
  const startOver = `To start over, stop \`npm run dev\` and delete ${stateDirectory}.`
  const stayed = deleted > 0 ? `\n${deleted} were deleted here before and stay so. ${startOver}` : ''
  if (created === 0) return `Already seeded: nothing was added to ${present} transactions.${stayed}`
  const before = present > 0 ? ` to the ${present} that were there` : ', the last year of one household'
  return `Added ${created} transactions${before}.${stayed}`
}
