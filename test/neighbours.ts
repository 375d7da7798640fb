import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startIdentityProvider } from '../dev/idp/server.ts'
import { startInbox } from '../dev/inbox/server.ts'
import { startDatabases } from './databases/namespaces.ts'
import buildReference from './reference.ts'

/**
 * Starts what the Worker talks to, the same parts as `npm run dev` has. Every database starts as a copy of one that
 * was migrated from zero. Each runtime of workerd has an inbox and a provider of its own, since tests
 * switch their faults on.
 */
export default async function setup(project: TestProject) {
  const unmute = muteLostConnections()
  const directory = await mkdtemp(join(tmpdir(), 'purse-test-'))
  const runtimes = Array.from({ length: project.vitest.config.maxWorkers }, (_, n) => join(directory, `${n}`))
  const [databases, inboxes, providers] = await Promise.all([
    startDatabases(join(directory, 'sqld'), { migrated: true }),
    Promise.all(runtimes.map((place) => startInbox({ directory: join(place, 'inbox'), port: 0 }))),
    Promise.all(runtimes.map((place) => startProvider(join(place, 'idp')))),
    buildReference(),
  ])
  project.provide('libsqlUrl', databases.url)
  project.provide(
    'neighbours',
    runtimes.map((_, n) => ({
      RESEND_BASE_URL: inboxes[n]?.url ?? '',
      IDP_ISSUER: providers[n]?.issuer ?? '',
    })),
  )
  return async () => {
    await Promise.all([databases, ...inboxes, ...providers].map((part) => part.close()))
    await rm(directory, { recursive: true })
    unmute()
  }
}

function startProvider(directory: string) {
  return startIdentityProvider({
    directory,
    port: 0,
    clientId: 'purse-tests',
    clientSecret: 'a secret of the tests',
    redirectUris: ['http://purse.test/api/auth/idp/callback'],
  })
}

/**
 * The runtime reports every connection that a test cuts, even where the error is caught. Vitest fails the run for errors
 * that nobody catches, so nothing is hidden but the report.
 */
function muteLostConnections(): () => void {
  const { stdout } = process
  const write = stdout.write
  stdout.write = ((text: string | Uint8Array, ...rest: []) =>
    /^(uncaught )?exception.*(Network connection lost|disconnected: )/.test(String(text)) ||
    write.call(stdout, text, ...rest)) as typeof write
  return () => {
    stdout.write = write
  }
}
