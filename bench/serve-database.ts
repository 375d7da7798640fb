// `node bench/serve-database.ts <directory>`: a database server and the counting proxy in a process of their own, which
// takes no CPU time from the process that measures. It prints their addresses and ends with its standard input.
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
