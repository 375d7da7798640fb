import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { type Place, projectDirectory } from './stack.ts'

/** `npm run db:check` on a stack's database, whether the stack is running or not. */
export async function checkDatabase(place: Place): Promise<void> {
  const { stdout } = await promisify(execFile)(process.execPath, ['dev/db-check.ts'], {
    cwd: projectDirectory,
    env: { PATH: process.env.PATH, ...place },
  })
  expect(stdout).toMatch(/^0 differences/)
}
