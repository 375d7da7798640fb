// `npm run db:generate`: writes the migration of all that has changed in src/database/schema.ts and src/database/triggers/.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { projectDirectory } from './project.ts'
import { declaredTriggers, withTriggers } from './triggers.ts'

const migrations = path.join(projectDirectory, 'migrations')

const before = migratedTriggers()
const after = declaredTriggers()
const last = newestMigration()
drizzleKit(...process.argv.slice(2))
if (newestMigration() === last && withTriggers('', before, after) !== '')
  drizzleKit('--custom', '--name=triggers')
const newest = newestMigration()
if (newest !== last) {
  const file = path.join(migrations, `${newest}.sql`)
  // drizzle-kit writes only a comment into a custom migration.
  const statements = readFileSync(file, 'utf8').replace(/^-- Custom SQL migration file.*$/m, '')
  writeFileSync(file, `${withTriggers(statements, before, after)}\n`)
}

function drizzleKit(...options: string[]): void {
  execFileSync('drizzle-kit', ['generate', ...options], { cwd: projectDirectory, stdio: 'inherit' })
}

function newestMigration(): string | undefined {
  const journal = JSON.parse(readFileSync(path.join(migrations, 'meta/_journal.json'), 'utf8'))
  return journal.entries.at(-1)?.tag
}

/** The triggers of an empty database with all migrations. */
function migratedTriggers(): Map<string, string> {
  const database = new DatabaseSync(':memory:')
  for (const { sql } of readMigrationFiles({ migrationsFolder: migrations }))
    for (const statement of sql) database.exec(statement)
  const rows = database.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").all()
  return new Map(rows.map(({ name, sql }) => [String(name), String(sql)]))
}
