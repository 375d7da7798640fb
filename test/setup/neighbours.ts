import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startIdentityProvider } from '../../dev/idp/server.ts'
import { startInbox } from '../../dev/inbox/server.ts'
import { loopback } from '../../dev/settings.ts'
import { sendJson, serve } from '../../dev/web/serve.ts'
import { startDatabases } from '../databases/namespaces.ts'
import buildReference from './reference.ts'

/**
 * Starts what the Worker talks to, the same parts as `npm run dev` has. Every database starts as a copy of one that
 * was migrated from zero. Each runtime of workerd requests an inbox and a provider of its own, since tests switch
 * their faults on.
 */
export default async function setup(project: TestProject) {
  // Vitest maps the stack traces of this process by modules that it may have read as buffers, and throws on those: a lost
  // connection would end the whole run.
  Reflect.deleteProperty(Error, 'prepareStackTrace')
  const unmute = muteLostConnections()
  const directory = await mkdtemp(join(tmpdir(), 'purse-test-'))
  const parts: { close(): Promise<void> }[] = []
  const neighbours = async (_: IncomingMessage, response: ServerResponse) => {
    const inbox = await startInbox({ directory: join(directory, randomUUID()), port: 0 })
    const provider = await startProvider()
    parts.push(inbox, provider)
    sendJson(response, 200, { RESEND_BASE_URL: inbox.url, IDP_ISSUER: provider.issuer })
  }
  const [databases, starter] = await Promise.all([
    startDatabases(join(directory, 'sqld'), { migrated: true }),
    serve(() => neighbours, { port: 0, host: loopback }),
    buildReference(),
  ])
  parts.push(databases, starter)
  project.provide('libsqlUrl', databases.url)
  project.provide('neighboursUrl', starter.url)
  return async () => {
    await Promise.all(parts.map((part) => part.close()))
    await rm(directory, { recursive: true })
    unmute()
  }
}

function startProvider() {
  return startIdentityProvider({
    port: 0,
    clientId: 'purse-tests',
    clientSecret: 'a secret of the tests',
    redirectUris: ['http://purse.test/api/auth/idp/callback'],
  })
}

/**
 * The runtime reports every connection that a test cuts, even where the error is caught. Vitest fails the run for errors
 * that is never caught, so nothing is hidden but the report.
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
