import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { unstable_readConfig as readConfig } from 'wrangler'
import { exactLimits, perMinute } from '../../src/failures/limits.ts'
import { retryDelaySeconds } from '../../src/queues/retry-delay.ts'
import { projectDirectory } from './fixtures/stack.ts'

/** The tested parts of wrangler.toml. Wrangler's own type is lost among its bundled declarations. */
type Configuration = {
  ratelimits: { name: string; namespace_id: string; simple: { limit: number; period: number } }[]
  queues: {
    producers: { queue: string }[]
    consumers: { queue: string; max_retries: number; dead_letter_queue?: string }[]
  }
  triggers: { crons: string[] }
  vars: Record<string, string>
  limits: { cpu_ms: number }
}

const read = (file: string) => readFileSync(path.join(projectDirectory, file), 'utf8')
const environments = ['', 'staging', 'production']
/** How long Resend remembers an idempotency key. */
const keyLifeSeconds = 24 * 3_600

function configurationOf(env: string): Configuration {
  return readConfig({ config: path.join(projectDirectory, 'wrangler.toml'), env }, { hideWarnings: true })
}

describe.each(environments)('the environment "%s"', (env) => {
  const { ratelimits, vars, limits, queues, triggers } = configurationOf(env)

  test('counts what the code says it counts, by the minute', () => {
    const counted = ratelimits.map(({ name, simple }) => [name, simple])
    const said = Object.entries(perMinute).map(([name, limit]) => [name, { limit, period: 60 }])
    expect(Object.fromEntries(counted)).toEqual(Object.fromEntries(said))
  })

  test('has the general limit switched on, the budgets of the code, and a CPU limit for every run', () => {
    expect(vars.GENERAL_LIMIT_ENABLED).toBe('true')
    expect(vars.BUDGETS).toBe('{}')
    expect(limits).toEqual({ cpu_ms: 10_000 })
  })

  test('fires every cron that has a job, and no other', () => {
    const jobs = [...read('src/jobs/cron.ts').matchAll(/^ {2}'([^']+)': /gm)].map(([, cron]) => cron)
    expect([...triggers.crons].sort()).toEqual(jobs.sort())
  })

  test('consumes what it produces, dead letters included, by the names that the Worker knows', () => {
    const prefix = ['purse', env].filter(Boolean).join('-')
    const named = (names: string[]) => names.map((name) => `${prefix}-${name}`)
    expect(queues.producers.map(({ queue }) => queue)).toEqual(named(['sync', 'mail', 'removal']))
    const consumed = queues.consumers.map(({ queue }) => queue)
    expect(consumed.sort()).toEqual(named(['mail', 'mail-dead', 'removal', 'sync', 'sync-dead']))
    // What has to be removed is in the database, so those messages need no dead letters.
    for (const { queue, dead_letter_queue } of queues.consumers)
      expect(dead_letter_queue).toBe(/-(dead|removal)$/.test(queue) ? undefined : `${queue}-dead`)
  })

  test('tries an email for half a day at least, and no longer than its idempotency key lives', () => {
    const retries = queues.consumers.find(({ queue }) => queue.endsWith('-mail'))?.max_retries ?? 0
    expect(secondsOf(retries)).toBeGreaterThan(keyLifeSeconds / 2)
    expect(secondsOf(retries)).toBeLessThan(keyLifeSeconds)
  })

  test('retries as often and as long as docs/deploy.md says, and gives up to the queues that it names', () => {
    const nameOf = (queue = '') => queue.replace(`${['purse', env].filter(Boolean).join('-')}-`, '')
    const [, section = ''] = read('docs/deploy.md').split('\n## Queues and dead letters\n')
    const told = [...section.matchAll(/^\| `(.+?)` \| (\d+) \| (.+?) \| (?:`(.+?)`)? ?\|/gm)]
    const consumed = queues.consumers.map(({ queue, max_retries, dead_letter_queue }) => [
      nameOf(queue),
      String(max_retries),
      inWords(secondsOf(max_retries)),
      nameOf(dead_letter_queue),
    ])
    expect(told.map(([, ...cells]) => cells.map((cell) => cell ?? '')).sort()).toEqual(consumed.sort())
  })
})

/** How long a message waits in all, from its first attempt to its last retry. */
function secondsOf(retries: number): number {
  return Array.from({ length: retries }, (_, i) => retryDelaySeconds(i + 1)).reduce((a, b) => a + b, 0)
}

function inWords(seconds: number): string {
  return seconds < 3_600 ? `${Math.round(seconds / 60)} minutes` : `${Math.round(seconds / 3_600)} hours`
}

test('no two rate limits of any environments share a counter', () => {
  const ids = environments.flatMap((env) => configurationOf(env).ratelimits.map((one) => one.namespace_id))
  expect(new Set(ids).size).toBe(ids.length)
})

test('the contract states the limits that the code has', () => {
  const [, section = ''] = read('docs/contract.md').split('\n## Limits\n')
  const [table = ''] = section.split('\n## ')
  const told = [...table.matchAll(/^\| [^|]+ \| ([\d,]+) \|/gm)].map(([, n = '']) =>
    Number(n.replace(',', '')),
  )
  const { verificationMails, resetMails, passwordGuesses, namedTokens } = exactLimits
  const exact = [verificationMails, resetMails, passwordGuesses, namedTokens].map(({ max }) => max)
  expect(told.sort()).toEqual([...Object.values(perMinute), ...exact].sort())
})

test('the addresses of the example are refused before a deployment, by name', () => {
  const wrangler = path.join(projectDirectory, 'node_modules/wrangler/bin/wrangler.js')
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [wrangler, 'deploy', '--dry-run', '--env', 'staging'],
    { cwd: projectDirectory, encoding: 'utf8' },
  )
  expect(stdout + stderr).toContain(
    'error: [env.staging.vars] in wrangler.toml still has purse.example in APP_URL, FRONTEND_URL, MAIL_FROM: ',
  )
  expect(status).toBe(1)
})
