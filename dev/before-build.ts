// wrangler runs this before each build of the Worker (wrangler.toml), with the name of a deployed environment. It builds
// the reference and, for an environment, its assets, refuses to deploy the addresses of the example and, under `wrangler
// dev`, says in one line what is missing. There it never fails, since wrangler would print a stack trace of its own.
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseEnv } from 'node:util'
import { reasonOf } from './dev-error.ts'
import { exampleAddressesAllowed, projectDirectory, startedByStack } from './project.ts'
import { buildReference } from './reference.ts'
import { buildSite } from './site.ts'

const connectLimitMs = 2_000

await beforeBuild()

async function beforeBuild(): Promise<void> {
  const isDev = process.env.WRANGLER_COMMAND === 'dev'
  const isDeployment = ['deploy', 'versions upload'].includes(process.env.WRANGLER_COMMAND ?? '')
  const [, , environment] = process.argv
  if (isDeployment && environment && hasExampleAddresses(environment)) {
    process.exitCode = 1
    return
  }
  // Without their directory, wrangler would report nothing else about a fresh checkout.
  for (const assets of ['dist/reference', 'dist/site'])
    mkdirSync(path.join(projectDirectory, assets), { recursive: true })
  try {
    await buildReference()
    if (environment) await buildSite({ hasApp: servesApp(environment) })
  } catch (error) {
    console.error(`The assets could not be built: ${reasonOf(error)}`)
    if (!isDev) process.exitCode = 1
  }
  const missing = isDev && !process.env[startedByStack] && (await whatIsMissing())
  if (missing) console.error(missing)
}

/** The lines of an environment's variables in wrangler.toml. */
function variablesOf(environment: string): string {
  const settings = readFileSync(path.join(projectDirectory, 'wrangler.toml'), 'utf8')
  const [, variables = ''] = settings.split(`\n[env.${environment}.vars]\n`)
  return variables.split('\n[')[0] ?? ''
}

/** Whether the Worker serves the example app too: links in mails lead to the Worker's own address. */
function servesApp(environment: string): boolean {
  const [own, frontend] = ['APP_URL', 'FRONTEND_URL'].map(
    (name) => new RegExp(`^${name} = "(.*?)/*"$`, 'm').exec(variablesOf(environment))?.[1],
  )
  return own === frontend && !process.env[exampleAddressesAllowed]
}

/** True if an environment still has addresses of the example, which it prints. */
function hasExampleAddresses(environment: string): boolean {
  const names = [...variablesOf(environment).matchAll(/^(\w+) = .*purse\.example/gm)].map(([, name]) => name)
  if (names.length === 0 || process.env[exampleAddressesAllowed]) return false
  console.error(
    `error: [env.${environment}.vars] in wrangler.toml still has purse.example in ${names.join(', ')}: use addresses of your own (docs/deploy.md, step 5).`,
  )
  return true
}

/** What `wrangler dev` lacks, and how to get it; undefined if it seems to have a database. */
async function whatIsMissing(): Promise<string | undefined> {
  const variables = path.join(projectDirectory, '.dev.vars')
  if (!existsSync(variables)) {
    const isSetElsewhere =
      process.env.TURSO_DATABASE_URL ||
      readdirSync(projectDirectory).some((name) => /^\.(env|dev\.vars\.)/.test(name))
    return isSetElsewhere
      ? undefined
      : 'Purse needs a database: run `npm run dev`, which starts all parts, the Worker included. While it runs, `wrangler dev` works as well.'
  }
  const { TURSO_DATABASE_URL: url } = parseEnv(readFileSync(variables, 'utf8'))
  if (!url || (await responds(url))) return undefined
  return `Nothing responds at ${new URL(url).origin}, where .dev.vars says the database is: \`npm run dev\` starts it.`
}

async function responds(url: string): Promise<boolean> {
  const signal = AbortSignal.timeout(connectLimitMs)
  return fetch(url.replace(/^libsql:/, 'https:'), { signal }).then(
    () => true,
    () => false,
  )
}
