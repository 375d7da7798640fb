import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { projectDirectory } from './project.ts'

/** The statements of `src/database/triggers/*.sql` by the names of their triggers, as `sqlite_master` keeps them. */
export function declaredTriggers(): Map<string, string> {
  const files = globSync('src/database/triggers/*.sql', { cwd: projectDirectory }).sort()
  const texts = files.map((file) => readFileSync(path.join(projectDirectory, file), 'utf8'))
  const statements = texts.join('\n').matchAll(/^CREATE TRIGGER (\w+)[\s\S]*?^END(?=;$)/gm)
  return new Map([...statements].map(([statement, name = '']) => [name, statement]))
}

/** A statement of drizzle-kit after which a trigger may be gone, or name a column that is. */
const unsettling = /\bDROP COLUMN\b|\b__new_/

/**
 * Completes a migration by what turns one set of triggers into another: those that go or change are dropped before its own
 * statements, and those that come or change are created after them. All are, if it drops a column or rebuilds a table.
 */
export function withTriggers(
  migration: string,
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string {
  const isUnsettled = unsettling.test(migration)
  const dropped = [...before.keys()].filter((name) => isUnsettled || before.get(name) !== after.get(name))
  const created = [...after.keys()].filter((name) => isUnsettled || before.get(name) !== after.get(name))
  return [
    ...dropped.map((name) => `DROP TRIGGER ${name};`),
    ...(migration.trim() ? [migration.trim()] : []),
    ...created.map((name) => `${after.get(name)};`),
  ].join('\n--> statement-breakpoint\n')
}
