// `npm run db:studio`: drizzle-kit's studio on the database that `npm run dev` would use.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { withDatabase } from './with-database.ts'

await withDatabase(async ({ url, authToken }) => {
  const env = { ...process.env, TURSO_DATABASE_URL: url, TURSO_AUTH_TOKEN: authToken }
  const child = spawn('drizzle-kit', ['studio', ...process.argv.slice(2)], { stdio: 'inherit', env })
  // Ctrl-C reaches drizzle-kit too: let it end first, then the database.
  process.on('SIGINT', () => undefined)
  const [code] = await once(child, 'exit')
  process.exitCode = code ?? 1
})
