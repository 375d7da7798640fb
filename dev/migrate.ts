import { existsSync } from 'node:fs'
import path from 'node:path'
import { createClient } from '@libsql/client/http'
import { drizzle } from 'drizzle-orm/libsql/http'
import { migrate } from 'drizzle-orm/libsql/migrator'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { projectDirectory } from './project.ts'

// A remote database may take its time over a large migration, but not for ever.
const answerLimitMs = 60_000
const migrations = path.join(projectDirectory, 'migrations')

/** The database has migrations that are not among these: it belongs to another version of the schema. */
export class OtherMigrations extends Error {
  override readonly name = 'OtherMigrations'
}

/** Applies the migrations that a database lacks, in a few short requests. Throws OtherMigrations. */
export async function migrateDatabase(url: string, authToken?: string): Promise<void> {
  if (!existsSync(path.join(migrations, 'meta/_journal.json'))) return
  const client = createClient({
    url,
    ...(authToken && { authToken }),
    fetch: (request: Request) => fetch(request, { signal: AbortSignal.timeout(answerLimitMs) }),
  })
  try {
    const known = new Set(readMigrationFiles({ migrationsFolder: migrations }).map(({ hash }) => hash))
    const applied = await appliedTo(client)
    if (applied.some((hash) => !known.has(hash))) throw new OtherMigrations('it was made by other migrations')
    await migrate(drizzle(client), { migrationsFolder: migrations })
  } finally {
    client.close()
  }
}

/** The hashes of the migrations that a database has had, as drizzle-kit and the migrator keep them. */
async function appliedTo(client: ReturnType<typeof createClient>): Promise<string[]> {
  const table = "select 1 from sqlite_master where name = '__drizzle_migrations'"
  if ((await client.execute(table)).rows.length === 0) return []
  const { rows } = await client.execute('select hash from __drizzle_migrations')
  return rows.map(({ hash }) => String(hash))
}
