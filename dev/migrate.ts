import { existsSync } from 'node:fs'
import path from 'node:path'
import { createClient } from '@libsql/client/http'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { projectDirectory } from './project.ts'

const migrations = path.join(projectDirectory, 'migrations')

/** The database has migrations that are not among these: it belongs to another version of the schema. */
export class OtherMigrations extends Error {
  override readonly name = 'OtherMigrations'
  /** Whether it has all of these too, as after a deployment that is being rolled back. */
  readonly isAhead: boolean

  constructor(isAhead: boolean) {
    super('it was made by other migrations')
    this.isAhead = isAhead
  }
}

/** drizzle-kit's own table of what has been applied, so that either can carry on from the other. */
const record = '__drizzle_migrations'

/**
 * Applies the migrations that a database lacks, all or none of them, and returns how many. Throws OtherMigrations.
 * Drizzle's own migrator would do the same, but loading it takes half a second of every start.
 */
export async function migrateDatabase(
  url: string,
  authToken?: string,
  // A remote database may take a while over a large migration, but not for ever.
  answerLimitMs = 60_000,
): Promise<number> {
  if (!existsSync(path.join(migrations, 'meta/_journal.json'))) return 0
  const client = createClient({
    url,
    ...(authToken && { authToken }),
    fetch: (request: Request) => fetch(request, { signal: AbortSignal.timeout(answerLimitMs) }),
  })
  try {
    const known = readMigrationFiles({ migrationsFolder: migrations })
    await client.execute(
      `create table if not exists ${record} (id serial primary key, hash text not null, created_at numeric)`,
    )
    const { rows } = await client.execute(`select hash from ${record}`)
    const applied = rows.map(({ hash }) => String(hash))
    const lacking = known.filter(({ hash }) => !applied.includes(hash))
    if (applied.some((hash) => known.every((one) => one.hash !== hash)))
      throw new OtherMigrations(lacking.length === 0)
    const statements = lacking.flatMap(({ sql, hash, folderMillis }) => [
      ...sql,
      { sql: `insert into ${record} (hash, created_at) values (?, ?)`, args: [hash, folderMillis] },
    ])
    if (statements.length > 0) await client.migrate(statements)
    return lacking.length
  } finally {
    client.close()
  }
}
