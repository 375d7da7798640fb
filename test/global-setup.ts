import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startIdentityProvider } from '../dev/idp/server.ts'
import { startInbox } from '../dev/inbox/server.ts'
import { startLibsqlServer } from '../dev/libsql/server.ts'
import { migrateDatabase } from '../dev/migrate.ts'
import { startFaultProxy } from './faults/proxy.ts'

/**
 * Starts what the Worker talks to, the same parts as `npm run dev` has. Every database of the libSQL server is born
 * as a copy of one that has been migrated from zero.
 */
export default async function setup(project: TestProject) {
  const unmute = muteLostConnections()
  const directory = await mkdtemp(join(tmpdir(), 'purse-test-'))
  const libsql = await startLibsqlServer({ directory: join(directory, 'libsql'), template: 'template' })
  await migrateDatabase(`${libsql.url}/template/`)
  const faults = await startFaultProxy(libsql.url)
  const inbox = await startInbox({ directory: join(directory, 'inbox'), port: 0 })
  const provider = await startIdentityProvider({
    directory: join(directory, 'idp'),
    port: 0,
    clientId: 'purse-tests',
    clientSecret: 'a secret of the tests',
    redirectUris: ['http://purse.test/api/auth/idp/callback'],
  })
  project.provide('libsqlUrl', libsql.url)
  project.provide('faultyLibsqlUrl', faults.url)
  project.provide('inboxUrl', inbox.url)
  project.provide('issuer', provider.issuer)
  return async () => {
    await faults.close()
    await Promise.all([libsql.close(), inbox.close(), provider.close()])
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
