import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startLibsqlServer } from '../dev/libsql/server.ts'
import { migrateDatabase } from '../dev/migrate.ts'

/** Starts a libSQL server whose databases are all born as copies of one that has been migrated from zero. */
export default async function setup(project: TestProject) {
  const directory = await mkdtemp(join(tmpdir(), 'purse-test-'))
  const server = await startLibsqlServer({ directory, port: 0, template: 'template' })
  await migrateDatabase(`${server.url}/template/`)
  project.provide('libsqlUrl', server.url)
  return async () => {
    await server.close()
    await rm(directory, { recursive: true })
  }
}
