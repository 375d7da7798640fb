import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { unstable_getVarsForDev as readByWrangler } from 'wrangler'
import { portsOf, readSettings } from '../../dev/settings.ts'
import { workerOutputFilter } from '../../dev/worker-output.ts'
import { frontendUrl, toDevVars, toEnvFile } from '../../dev/worker-variables.ts'

const read = (environment: Record<string, string>) => readSettings(environment, '/projects/purse')
const ports = (environment: Record<string, string>) => portsOf(read(environment)).map(({ port }) => port)

test('an empty environment means the documented ports and state folder', () => {
  expect(ports({})).toEqual([8787, 8080, 8025, 8026])
  expect(read({}).stateDirectory).toBe('/projects/purse/.local')
  expect(ports({ PORT: '', LIBSQL_PORT: '9001' })).toEqual([8787, 9001, 8025, 8026])
  expect(read({ STATE_DIR: 'a b/c' }).stateDirectory).toBe('/projects/purse/a b/c')
})

test('a service named by the environment takes the place of the local part', () => {
  expect(ports({ TURSO_DATABASE_URL: 'libsql://purse.turso.io', TURSO_AUTH_TOKEN: 't' })).toEqual([
    8787, 8025, 8026,
  ])
  expect(ports({ RESEND_API_KEY: 're_1' })).toEqual([8787, 8080, 8026])
  expect(ports({ IDP_ISSUER: 'https://idp.example', IDP_CLIENT_ID: 'c', IDP_CLIENT_SECRET: 's' })).toEqual([
    8787, 8080, 8025,
  ])
})

test('links lead to the example app, unless the environment names another frontend', () => {
  const url = (environment: Record<string, string>) => frontendUrl(read(environment).app)
  expect(url({})).toBe('http://localhost:5173')
  expect(url({ FRONTEND_URL: '', APP_PORT: '3000' })).toBe('http://localhost:3000')
  expect(url({ FRONTEND_URL: 'https://mine.example', APP_PORT: '3000' })).toBe('https://mine.example')
  expect(() => read({ APP_PORT: '8025' })).toThrow('the inbox and the app cannot both use port 8025')
})

test('a port that is no longer needed may be used by another part', () => {
  expect(ports({ PORT: '8080', TURSO_DATABASE_URL: 'libsql://purse.turso.io' })).toEqual([8080, 8025, 8026])
})

test.each([
  [{ PORT: 'abc' }, 'PORT must be a port from 1 to 65535, not "abc".'],
  [{ IDP_PORT: '70000' }, 'IDP_PORT must be a port from 1 to 65535, not "70000".'],
  [{ MAIL_PORT: '0' }, 'MAIL_PORT must be a port from 1 to 65535, not "0".'],
  [{ MAIL_PORT: '8787' }, 'the Worker and the inbox cannot both use port 8787: change PORT or MAIL_PORT.'],
  [
    { TURSO_DATABASE_URL: 'file:purse.db' },
    'TURSO_DATABASE_URL must begin with libsql://, https:// or http://.',
  ],
  [
    { TURSO_DATABASE_URL: 'libsql://ada:pass@purse.turso.io' },
    'TURSO_DATABASE_URL must not contain a user or password: the token goes into TURSO_AUTH_TOKEN.',
  ],
  [
    { IDP_ISSUER: 'https://idp.example' },
    'IDP_ISSUER, IDP_CLIENT_ID, IDP_CLIENT_SECRET go together: set IDP_CLIENT_ID and IDP_CLIENT_SECRET too, or none of them.',
  ],
])('%j is refused by name', (environment, message) => {
  expect(() => read(environment as Record<string, string>)).toThrow(message)
})

test('wrangler reads every secret back as it was written', () => {
  const secrets = {
    TURSO_AUTH_TOKEN: '',
    PLAIN: 'eyJhbGciOi.J9-_=',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the kind of thing wrangler would expand
    DOLLARS: 'a$HOME ${HOME} \\$x $',
    QUOTES: `it's "quoted" # no comment`,
    BACKTICKS: "`a` 'b' $c",
    LINES: 'one\\n\ntwo',
    SPACES: '  around ',
  }
  const directory = mkdtempSync(path.join(tmpdir(), 'purse-env-'))
  const readBack = (files: string[] | undefined) => {
    const bindings = readByWrangler(path.join(directory, 'wrangler.toml'), files, {}, undefined, true)
    return Object.fromEntries(Object.entries(bindings).map(([name, { value }]) => [name, value]))
  }
  const file = path.join(directory, 'worker.env')
  writeFileSync(file, toEnvFile(secrets))
  expect(readBack([file])).toEqual(secrets)
  writeFileSync(path.join(directory, '.dev.vars'), toDevVars(secrets))
  expect(readBack(undefined)).toEqual(secrets)
  rmSync(directory, { recursive: true })
  expect(() => toEnvFile({ APP_SECRET: 'ends in \\' })).toThrow('APP_SECRET has quotes or backslashes')
})

test("wrangler's own chatter is left out, the Worker's lines are kept", () => {
  const keep = workerOutputFilter()
  const lines = [
    'Using secrets defined in .local/worker.env',
    'Your Worker has access to the following bindings:',
    'env.APP_SECRET ("(hidden)")      Environment Variable      local',
    '',
    '[wrangler:info] Ready on http://127.0.0.1:8787',
    '[wrangler:info] GET /api/health 200 OK (3ms)',
    '[wrangler:info] GET /api/me 200 OK (3ms)',
    '[wrangler:info] GET /api/nothing 404 Not Found (3ms)',
    '[wrangler:info] GET /docs 200 OK (3ms)',
    '{"event":"request","requestId":"1","method":"GET","route":"/api/health","status":200,"durationMs":3}',
    '{"event":"request","requestId":"3","method":"GET","route":"/api/health","status":503,"durationMs":3}',
    '{"event":"request","requestId":"2","method":"GET","route":"/api/me","status":200}',
    '{"event":"cron","cron":"* * * * *","outcome":"done","did":{"queuedAgain":0},"durationMs":3}',
    '{"event":"cron","cron":"* * * * *","outcome":"done","did":{"queuedAgain":2},"durationMs":3}',
    'a line of console.log',
    '✘ [ERROR] Build failed with 1 error:',
  ]
  expect(lines.map(keep).filter((line) => line !== undefined)).toEqual([
    'GET /api/nothing 404 Not Found (3ms)',
    'GET /docs 200 OK (3ms)',
    '{"event":"request","requestId":"3","method":"GET","route":"/api/health","status":503,"durationMs":3}',
    '{"event":"request","requestId":"2","method":"GET","route":"/api/me","status":200}',
    '{"event":"cron","cron":"* * * * *","outcome":"done","did":{"queuedAgain":2},"durationMs":3}',
    'a line of console.log',
    '✘ [ERROR] Build failed with 1 error:',
  ])
})
