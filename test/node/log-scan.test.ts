import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { secretsIn } from '../setup/log-secrets.ts'
import { leaksIn, projectDirectory } from './fixtures/stack.ts'

const secret = '4bQ0mX9sVv2kTn7cYd3fGh8jLp5rWz6aSe1uIo0ABCDEFG'

test.each([
  ['a token', `7|${secret}`],
  ['a secret or a hash', `{"token":"${secret}"}`],
  ['a secret or a hash', 'a'.repeat(64)],
  ['a hashed password', 'scrypt$16384$8$5$c2FsdA$aGFzaA'],
  ['a JWT', 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2ln'],
  ['an Authorization header', 'authorization: Bearer x'],
  ['an API key', '"key":"re_1a2b3c"'],
  ['a mail address', '"to":"ada.l+x@example.com"'],
  ['the query of a link', '/api/email/verify/1/x?expires=1'],
  ['the query of a link', '/login?error=x&code=1'],
  ['a statement', 'Failed query: select "id" from "users" where "email" = ?'],
  ['a statement', 'INSERT INTO tokens values (1)'],
  ['a password of the tests', '{"password":"correct horse battery"}'],
  ['the secret of the Worker', 'a secret of the tests, long enough to be one'],
])('%s is found in a log line: %s', (kind, line) => {
  expect(secretsIn(line)).toContain(kind)
})

const directories: string[] = []

afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true })
})

/** Runs a test that writes to the log, as CI runs the suite: with reporters named on the command line. */
function runTestThatLogs(statement: string) {
  const directory = mkdtempSync(path.join(projectDirectory, 'node_modules/.log-scan-'))
  directories.push(directory)
  const scan = JSON.stringify(path.join(projectDirectory, 'test/setup/log-scan.ts'))
  writeFileSync(
    path.join(directory, 'vitest.config.ts'),
    `import { logScan } from ${scan}
     export default { test: { silent: 'passed-only', projects: [
       { plugins: [logScan()], test: { name: 'one' } }, { plugins: [logScan()], test: { name: 'two' } } ] } }`,
  )
  writeFileSync(
    path.join(directory, 'logs.test.ts'),
    `import { test } from 'vitest'
     import { muteLog } from ${JSON.stringify(path.join(projectDirectory, 'test/worker/fixtures/muted-log.ts'))}
     test('logs', async () => { ${statement}; await new Promise((done) => setTimeout(done, 50)) })`,
  )
  const { status, stdout } = spawnSync(
    path.join(projectDirectory, 'node_modules/.bin/vitest'),
    ['run', '--root', directory, '--project=one', '--reporter=json', '--reporter=default'],
    { cwd: directory, encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } },
  )
  return { status, stdout }
}

test('a run in which a test that passes logs a token fails, and names the test, even if the test mutes the line', () => {
  const { status, stdout } = runTestThatLogs(
    `console.log('signed in with 7|${secret}'); muteLog(['error']); console.error('bad: 7|${secret}'); console.info('good')`,
  )
  expect(stdout).toContain('"numPassedTests":1')
  expect(stdout).toMatch(/Log scan: \d+ lines beside those that stay in workerd, 2 with secrets:/)
  expect(stdout).toContain('logs.test.ts > logs: a token')
  expect(status).toBe(1)
})

test('no test mutes the console in a way of its own', () => {
  const ownWay =
    /spyOn\(\s*(?:globalThis\.)?console\b[^)]*\)\s*\.mock|\bconsole\.\w+ =[^=]|stubGlobal\('console|Object\.assign\(console/
  const tests = globSync('test/{node,worker}/**/*.ts', { cwd: projectDirectory })
  const muting = tests.filter((file) => ownWay.test(readFileSync(path.join(projectDirectory, file), 'utf8')))
  expect(muting.sort()).toEqual(['test/worker/fixtures/kept-log.ts', 'test/worker/fixtures/muted-log.ts'])
})

test('what a local stack says is scanned, failures behind their mark as well', () => {
  const leaks = [
    `✘ [ERROR] {"event":"failure","authorization":"Bearer 7|${secret}"}`,
    `{"event":"request","token":"${secret}"}`,
    '✘ [ERROR] Uncaught Error: Failed query: select "id" from "users"',
  ]
  const good = [
    `  or register        curl http://127.0.0.1:8787/api/register -d '{"email":"grace@example.com"}'`,
    '✘ [ERROR] {"event":"failure","error":"DatabaseUnavailable","causes":["TimeoutError"]}',
  ]
  expect(leaksIn([...leaks, ...good].join('\n'))).toEqual(leaks)
})
