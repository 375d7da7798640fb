import { startLibsqlServer } from '../../../dev/libsql/server.ts'

// A server in a process of its own, for the test that kills it.
const server = await startLibsqlServer({ directory: process.argv[2] ?? '' })
console.log(server.url)
