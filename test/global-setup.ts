import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startIdentityProvider } from '../dev/idp/server.ts'
import { startInbox } from '../dev/inbox/server.ts'
import { startDatabases } from './databases/namespaces.ts'

/**
 * Starts what the Worker talks to, the same parts as `npm run dev` has. Every database is born as a copy of one
 * that has been migrated from zero.
 */
export default async function setup(project: TestProject) {
  const unmute = muteLostConnections()
  const directory = await mkdtemp(join(tmpdir(), 'purse-test-'))
  const databases = await startDatabases(join(directory, 'sqld'), { migrated: true })
  const inbox = await startInbox({ directory: join(directory, 'inbox'), port: 0 })
  const provider = await startIdentityProvider({
    directory: join(directory, 'idp'),
    port: 0,
    clientId: 'purse-tests',
    clientSecret: 'a secret of the tests',
    redirectUris: ['http://purse.test/api/auth/idp/callback'],
  })
  project.provide('libsqlUrl', databases.url)
  project.provide('inboxUrl', inbox.url)
  project.provide('issuer', provider.issuer)
  return async () => {
    await Promise.all([databases.close(), inbox.close(), provider.close()])
    await rm(directory, { recursive: true })
    unmute()
  }
}

/**
 * The runtime reports every connection that a test takes away, caught or not. What nobody catches is an error of
 * vitest's as well, and fails the run: only the report goes.
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
