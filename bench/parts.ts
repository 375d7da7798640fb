// What the Worker talks to, in a process of its own, so that the engine's work is not on the clock of who measures:
// `node bench/parts.ts <directory> <redirect URI>` prints the addresses and ends with its standard input.
import path from 'node:path'
import { startIdentityProvider } from '../dev/idp/server.ts'
import { startInbox } from '../dev/inbox/server.ts'
import { startLibsqlServer } from '../dev/libsql/server.ts'

const [directory = '', redirectUri = ''] = process.argv.slice(2)
const libsql = await startLibsqlServer({ directory: path.join(directory, 'libsql') })
const inbox = await startInbox({ directory: path.join(directory, 'inbox'), port: 0 })
const provider = await startIdentityProvider({
  directory: path.join(directory, 'idp'),
  port: 0,
  clientId: 'purse-bench',
  clientSecret: 'a secret of the benchmark',
  redirectUris: [redirectUri],
})
console.log(JSON.stringify({ libsql: libsql.url, inbox: inbox.url, issuer: provider.issuer }))
process.stdin.resume().once('end', async () => {
  await Promise.all([libsql.close(), inbox.close(), provider.close()])
  process.exit(0)
})
