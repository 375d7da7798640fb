import { expect } from 'vitest'
import { runCommand } from './run-command.ts'
import type { Place } from './stack.ts'

/** `npm run db:check` on a stack's database, whether the stack is running or not. */
export async function checkDatabase(place: Place): Promise<void> {
  expect(await runCommand('db-check', place)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^0 differences/),
  })
}
