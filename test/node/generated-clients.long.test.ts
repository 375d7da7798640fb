import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { verifyByMail } from './fixtures/client.ts'
import { projectDirectory, sharedPlace } from './fixtures/stack.ts'

const run = promisify(execFile)
const clients = path.join(projectDirectory, 'test/generated-clients')

type Session = (start: {
  baseUrl: string
  email: string
  verify: (email: string) => Promise<void>
}) => Promise<unknown>

/** Loaded dynamically, by a name that the compiler does not follow, since the test generates half of it. */
async function sessionOf(file: string, name: string): Promise<Session> {
  return (await import(path.join(clients, file)))[name]
}

test('clients that two generators make from the document alone compile, register, record, sync and read the summary', async () => {
  await run('npm', ['run', 'generate'], { cwd: clients })
  await run('npm', ['run', 'types'], { cwd: clients })

  const place = await sharedPlace()
  const baseUrl = `http://127.0.0.1:${place.PORT}`
  const verify = (email: string) => verifyByMail(place, email)
  for (const [file, name] of [
    ['openapi-fetch-session.ts', 'openapiFetchSession'],
    ['hey-api-session.ts', 'heyApiSession'],
  ] as const) {
    const session = await sessionOf(file, name)
    expect(await session({ baseUrl, email: `${name.toLowerCase()}@example.com`, verify })).toEqual({
      balance: 84.3,
      outcomes: ['created'],
      refusal: 'The amount field must be greater than 0.',
    })
  }
})
