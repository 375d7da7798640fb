import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
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
import { hasBrowser, useBrowser } from './fixtures/browser.ts'
import { clientOf, registration, verifyByMail } from './fixtures/client.ts'
import { addAccount, enter, open, patienceMs } from './fixtures/example-app.ts'
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
const browser = useBrowser()

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

test('`wrangler dev` alone works next to the stack of its checkout, in another environment too, with the app at its own address, and says when the stack has ended', async () => {
  const place = { ...(await newPlace()), STATE_DIR: path.join(project, '.local') }
  const stack = await start(place, project).ready()
  expect(statSync(path.join(project, '.dev.vars')).mode & 0o077).toBe(0)

  const alone = await startAlone(project, '--env', 'staging')
  const email = 'staging@example.com'
  const { body } = await clientOf(alone.place(place))('POST', '/register', registration(email))
  expect(body.access_token, alone.output()).toMatch(/./)
  // Its emails arrive in the inbox, and their links lead to a Worker that accepts them.
  await verifyByMail(place, email)
  const origin = `http://127.0.0.1:${alone.place(place).PORT}`
  await expectAppAndApi(origin)
  if (hasBrowser) await expectOneOrigin(origin, email)

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

/** Expects the app at each path that is no file, except those of the API and its reference, all with their headers. */
async function expectAppAndApi(origin: string): Promise<void> {
  const shownAt = async (path: string, method = 'GET', mode = 'navigate') => {
    const response = await fetch(`${origin}${path}`, {
      method,
      redirect: 'manual',
      headers: { 'Sec-Fetch-Mode': mode },
    })
    const { status, headers } = response
    const text = await response.text()
    const title = /<title>(.*?)<\/title>/.exec(text)?.[1] ?? ''
    const type = headers.get('Content-Type')?.split(';')[0]
    return { status, headers, shown: `${status} ${type} ${title}`.trim() }
  }
  for (const path of ['/', '/dashboard?verified=1', '/reset-password', '/account'])
    for (const mode of ['navigate', 'cors']) {
      const { shown, headers } = await shownAt(path, 'GET', mode)
      expect(shown, path).toBe('200 text/html Purse')
      expect(headers.get('Content-Security-Policy'), path).toBe("frame-ancestors 'none'")
      for (const [name, value] of Object.entries(headersOfPages))
        expect(headers.get(name), `${name} of ${path}`).toBe(value)
    }
  expect((await shownAt('/dashboard', 'HEAD')).shown).toBe('200 text/html')
  for (const file of ['/assets/index-OLD.js', '/assets/index-OLD.css', '/missing.png'])
    for (const mode of ['navigate', 'cors', 'no-cors']) {
      const { shown, headers } = await shownAt(file, 'GET', mode)
      expect([file, shown, headers.get('Cache-Control')]).toEqual([file, '404 application/json', 'no-store'])
    }
  const docs = await shownAt('/docs')
  expect([docs.shown, docs.headers.get('Content-Security-Policy')]).toEqual([
    expect.stringMatching(/^200 text\/html .*API/),
    expect.stringMatching(/^(frame-ancestors 'none', )?default-src 'none'; script-src 'self'/),
  ])
  for (const [path, method, expected] of [
    ['/api', 'GET', '200 application/json'],
    ['/api/', 'GET', '200 application/json'],
    ['/api', 'HEAD', '200 application/json'],
    ['/api/health', 'GET', '200 application/json'],
    ['/api/openapi.json', 'GET', '200 application/json'],
    ['/api/nothing', 'GET', '404 application/json'],
    ['/api/index.html', 'GET', '404 application/json'],
    ['/api/accounts', 'GET', '401 application/json'],
    ['/api/login', 'GET', '405 application/json'],
  ] as const) {
    const { shown, headers } = await shownAt(path, method)
    expect(shown, path).toBe(expected)
    expect(headers.get('Content-Security-Policy'), path).toMatch(/^default-src 'none'/)
  }
  const assets = path.join(project, 'dist/site')
  // Only what the Worker itself reads lies where the API is.
  expect(readdirSync(path.join(assets, 'api'), { recursive: true })).toEqual(['openapi.json'])
}

const headersOfPages = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=15552000; includeSubDomains',
  'Access-Control-Allow-Origin': null,
}

/** Expects that the app at this address needs no other one, no preflight and no CORS, and leaves links to the API alone. */
async function expectOneOrigin(origin: string, email: string): Promise<void> {
  const context = await browser().newContext()
  try {
    const page = await context.newPage()
    const cdp = await context.newCDPSession(page)
    await cdp.send('Network.enable')
    const requested: { method: string; url: string }[] = []
    cdp.on(
      'Network.requestWillBeSent',
      ({ request }) => request.url.startsWith('http') && requested.push(request),
    )
    await page.goto(`${origin}/transactions`)
    await enter(page, email, registration(email).password)
    await page.getByRole('heading', { name: 'Transactions' }).waitFor({ timeout: patienceMs })
    await open(page, 'Accounts')
    await addAccount(page, 'Wallet', '20.50')
    await page.getByText('Online · all saved').waitFor()
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
    await page.reload()
    await page.getByText('Wallet').waitFor()
    const uploads = requested.filter(({ url }) => url === `${origin}/api/changes`)
    expect(uploads.length).toBeGreaterThan(1)
    expect(new Set(requested.map(({ url }) => new URL(url).origin))).toEqual(new Set([origin]))
    expect(requested.filter(({ method }) => method === 'OPTIONS')).toEqual([])
    for (const [path, shown] of [
      ['/api', '"reference"'],
      ['/api/email/verify/1/x', 'This link does not work.'],
      ['/docs', 'API'],
    ] as const) {
      await page.goto(origin + path)
      expect(await page.locator('body').innerText(), path).toContain(shown)
    }
    await context.setOffline(true)
    await page.goto(`${origin}/accounts`)
    await page.getByText('Wallet').waitFor()
  } finally {
    await context.close()
  }
}

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
