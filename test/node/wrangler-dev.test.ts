import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { clientOf, registration, verifyByMail } from './fixtures/client.ts'
import {
  inherited,
  newPlace,
  type Place,
  projectDirectory,
  start,
  startLimitSeconds,
  until,
} from './fixtures/stack.ts'

const started: ChildProcess[] = []
/** What happens to one checkout, from the first start on. */
let project: string

beforeAll(() => {
  project = copyOfProject()
})
afterEach(() => {
  for (const child of started.splice(0)) if (child.pid) killGroup(child.pid)
})
afterAll(() => rmSync(project, { recursive: true, force: true, maxRetries: 5 }))

test('`wrangler dev` alone in a fresh checkout says in one line what to do, and responds with it', async () => {
  const alone = await startAlone(project)
  expect(linesWith(alone.output(), 'npm run dev')).toEqual([
    expect.stringMatching(/^\[custom build\] Purse needs a database: run `npm run dev`/),
  ])
  const { status, body } = await clientOf(alone.place(await newPlace()))('GET', '/health')
  expect([status, body.message]).toEqual([500, expect.stringMatching(/TURSO_DATABASE_URL.*`npm run dev`/)])
})

test('`wrangler dev` alone works next to the stack of its checkout, in another environment too, and says when the stack has ended', async () => {
  const place = { ...(await newPlace()), STATE_DIR: path.join(project, '.local') }
  const stack = await start(place, project).ready()
  expect(statSync(path.join(project, '.dev.vars')).mode & 0o077).toBe(0)

  const alone = await startAlone(project, '--env', 'staging')
  const email = 'staging@example.com'
  const { body } = await clientOf(alone.place(place))('POST', '/register', registration(email))
  expect(body.access_token, alone.output()).toMatch(/./)
  // Its emails arrive in the inbox, and their links lead to a Worker that accepts them.
  await verifyByMail(place, email)

  stack.signal('SIGTERM')
  expect(await stack.exit()).toBe(0)
  // Each build says so, here the one after an edit.
  appendFileSync(path.join(project, 'src/worker.ts'), '\n')
  const line = `Nothing responds at http://127.0.0.1:${place.LIBSQL_PORT}, where .dev.vars says the database is: \`npm run dev\` starts it.`
  expect(await until(() => linesWith(alone.output(), 'npm run dev').length > 0), alone.output()).toBe(true)
  expect(linesWith(alone.output(), 'npm run dev')).toEqual([`[custom build] ${line}`])
})

test('what wrangler says of a source that does not compile is shown as it is', async () => {
  const devVars = path.join(project, '.dev.vars')
  writeFileSync(devVars, 'APP_SECRET=mine\n')
  appendFileSync(path.join(project, 'src/users/present.ts'), 'const broken = ;\n')
  const stack = start({ ...(await newPlace()), STATE_DIR: path.join(project, '.local') }, project)
  const shown = /src\/users\/present\.ts:\d+:\d+:[\s\S]*const broken = ;/
  expect(await until(() => shown.test(stack.output)), stack.output).toBe(true)
  // The developer's own file is left alone.
  expect(stack.output).toContain('.dev.vars are not read here')
  expect(readFileSync(devVars, 'utf8')).toBe('APP_SECRET=mine\n')
})

/** A fresh clone of the project, installed, to which tests may write. */
function copyOfProject(): string {
  const copy = mkdtempSync(path.join(tmpdir(), 'purse copy '))
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: projectDirectory,
  })
  for (const file of list.toString().split('\0').filter(Boolean))
    if (existsSync(path.join(projectDirectory, file)))
      cpSync(path.join(projectDirectory, file), path.join(copy, file))
  symlinkSync(path.join(projectDirectory, 'node_modules'), path.join(copy, 'node_modules'))
  return copy
}

/** Starts `npx wrangler dev` as people type it; resolves once it is ready. */
async function startAlone(project: string, ...options: string[]) {
  const { PORT } = await newPlace()
  const env = {
    ...inherited,
    CLOUDFLARE_CF_FETCH_ENABLED: 'false',
    WRANGLER_SEND_METRICS: 'false',
  } as unknown as NodeJS.ProcessEnv
  const words = ['wrangler', 'dev', '--port', PORT, '--inspector-port', '0', ...options]
  const child = spawn('npx', words, { cwd: project, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  started.push(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      output += chunk
    })
  expect(await until(() => /Ready on /.test(output), startLimitSeconds), output).toBe(true)
  return {
    output: () => output,
    /** The parts of a stack, with this Worker in place of its own. */
    place: (place: Place): Place => ({ ...place, PORT }),
  }
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // It had ended by itself.
  }
}

function linesWith(output: string, text: string): string[] {
  return stripVTControlCharacters(output)
    .split('\n')
    .filter((line) => line.includes(text))
}
