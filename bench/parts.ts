// `node bench/parts.ts <directory> <redirect URI>`: the inbox and the identity provider in a process of their own, which
// prints their addresses and ends with its standard input.
import path from 'node:path'
import { startIdentityProvider } from '../dev/idp/server.ts'
import { startInbox } from '../dev/inbox/server.ts'

const [directory = '', redirectUri = ''] = process.argv.slice(2)
const inbox = await startInbox({ directory: path.join(directory, 'inbox'), port: 0 })
const provider = await startIdentityProvider({
  directory: path.join(directory, 'idp'),
  port: 0,
  clientId: 'purse-bench',
  clientSecret: 'a secret of the benchmark',
  redirectUris: [redirectUri],
})
console.log(JSON.stringify({ inbox: inbox.url, issuer: provider.issuer }))
process.stdin.resume().once('end', async () => {
  await Promise.all([inbox.close(), provider.close()])
  process.exit(0)
})
