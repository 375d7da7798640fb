// A database server and the proxy that counts and delays, in a process of its own, so that their work is not on the
// clock of who measures: `node bench/serve-database.ts <directory>` prints the addresses and ends with its standard input.
import { startSqld } from '../dev/sqld/server.ts'
import { startDatabaseProxy } from '../test/databases/proxy.ts'

const [directory = ''] = process.argv.slice(2)
const sqld = await startSqld({ directory, checkpointInterval: 60 })
const { host } = new URL(sqld.url)
const proxy = await startDatabaseProxy(async () => ({ origin: sqld.url, host }))
console.log(JSON.stringify({ url: sqld.url, countedUrl: `${proxy.url}/bench/` }))
process.stdin.resume().once('end', async () => {
  await proxy.close()
  await sqld.close()
  process.exit(0)
})
