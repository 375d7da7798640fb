import { existsSync } from 'node:fs'
import path from 'node:path'
import { createClient } from '@libsql/client/http'
import { drizzle } from 'drizzle-orm/libsql/http'
import { migrate } from 'drizzle-orm/libsql/migrator'
import { projectDirectory } from './project.ts'

// A remote database may take its time over a large migration, but not for ever.
const answerLimitMs = 60_000
const migrations = path.join(projectDirectory, 'migrations')

/** Applies the migrations that a database lacks; if it lacks none, that takes three short requests. */
export async function migrateDatabase(url: string, authToken?: string): Promise<void> {
  if (!existsSync(path.join(migrations, 'meta/_journal.json'))) return
  const client = createClient({
    url,
    ...(authToken && { authToken }),
    fetch: (request: Request) => fetch(request, { signal: AbortSignal.timeout(answerLimitMs) }),
  })
  try {
    await migrate(drizzle(client), { migrationsFolder: migrations })
  } finally {
    client.close()
  }
}
