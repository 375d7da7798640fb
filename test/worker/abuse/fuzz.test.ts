import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { app } from '../../../src/app.ts'
import { findDifferences } from '../../../src/database/check.ts'
import { openApiDocument } from '../../../src/document.ts'
import { secretsIn } from '../../setup/log-secrets.ts'
import { muteLog } from '../fixtures/muted-log.ts'
import { lengthOf } from '../fixtures/random-histories.ts'
import { type ApiResponse, randomClientAddress } from '../fixtures/world.ts'
import { openWorldDatabase } from '../laws/every-route.ts'
import { type Draft, operationsOf, requestsTo, type Written, write } from './requests.ts'
import { createTarget, marker, type Target } from './target.ts'

/** Seeds that every run tries again, including those that once found something. */
const keptSeeds = [1, 20_261_121, 1_815, 65_537, -7]
const { seed, operations: requests, isRepeat } = lengthOf({ seed: 0, operations: 800 })
/** From this many requests on, every operation must have succeeded. */
const enough = 2_400
const seeds = isRepeat ? keptSeeds.map((_, i) => seed + i) : keptSeeds
const requestsOfSeed = Math.ceil(requests / seeds.length)
const requestsBetweenLooks = 20
/** How long fast-check may run on a slow machine, and how long it may look for a shorter failing request. */
const limitMs = 200 * requests + 60_000

const document = openApiDocument(app.routes)
const operations = operationsOf(document)
/** Responses by status, and the operations that succeeded. */
const answered: Record<number, number> = {}
const succeeded = new Set<string>()
/** What no response may show, whatever was sent: hashes, statements, stack frames. */
const innards = /scrypt\$|SQLITE_|SqliteError|LibsqlError|DrizzleQueryError|\bat \S+ \(|node_modules/

let log: string[] = []

beforeAll(() => {
  log = muteLog()
})

afterAll(() => {
  vi.restoreAllMocks()
})

describe.concurrent('requests drawn from the OpenAPI document', () => {
  test.each(seeds)(
    'get responses as described, and show and change nothing of other users (seed %i)',
    async (seed) => {
      const target = await createTarget(`seed${seed}`)
      let sent = 0
      const property = fc.asyncProperty(requestsTo(document), async (draft) => {
        sent += 1
        if (sent % requestsBetweenLooks === 0) {
          await target.provide()
          expect(await target.deliverSyncs()).toEqual([])
        }
        await attack(target, draft)
      })
      await fc.assert(property, {
        seed,
        numRuns: requestsOfSeed,
        interruptAfterTimeLimit: limitMs,
        markInterruptAsFailure: false,
      })
      expect(sent).toBeGreaterThanOrEqual(requestsOfSeed)
      expect(await target.deliverMails()).toEqual([])
      expect(await target.rows()).toEqual(target.before)
      expect((await target.bystander.get('/api/me')).status).toBe(200)
      expect(await findDifferences(openWorldDatabase(target.world))).toEqual([])
    },
    2 * limitMs,
  )
})

test('all of these requests were made, and of many, each operation has succeeded', () => {
  const total = Object.values(answered).reduce((sum, count) => sum + count, 0)
  expect(total).toBeGreaterThanOrEqual(requests)
  const never = operations.map(({ id }) => id).filter((id) => requests >= enough && !succeeded.has(id))
  expect(never, JSON.stringify(answered)).toEqual([])
  const shares: Record<string, string> = {}
  for (const kind of [2, 3, 4]) {
    const ofKind = Object.entries(answered).filter(([status]) => status.startsWith(String(kind)))
    shares[`${kind}xx`] =
      `${((100 * ofKind.reduce((sum, [, times]) => sum + times, 0)) / total).toFixed(1)} %`
  }
  vi.restoreAllMocks()
  console.log(JSON.stringify({ event: 'fuzzed', seeds, total, shares, answered }))
})

test('their log lines are one JSON object each, without a secret', () => {
  expect(log.length).toBeGreaterThanOrEqual(requests)
  for (const line of log) {
    expect(line).toMatch(/^\{"event":".*\}$/)
    expect(secretsIn(line)).toEqual([])
    expect(line).not.toContain(marker)
  }
})

/** Sends one request and checks the response against everything that must hold for any. */
async function attack(target: Target, draft: Draft): Promise<void> {
  await target.prepare(draft)
  const { token } = target.attacker()
  const request = write(draft, token, target.lookup)
  const response = await send(target, request)
  const shown = `${request.method} ${request.path} responded with ${response.status} ${response.text.slice(0, 300)}`
  const requestId = response.headers.get('X-Request-Id') ?? ''
  const logged = response.status < 500 ? [] : log.filter((line) => line.includes(requestId))
  expect(response.status, `${shown}\n${logged.join('\n')}`).toBeLessThan(500)
  expect(requestId, shown).toMatch(/^[0-9a-f-]{36}$/)
  const everything = `${response.text}\n${[...response.headers].join('\n')}`
  expect(everything.includes(marker), `${shown} shows what is the bystander's`).toBe(false)
  expect(everything, shown).not.toMatch(innards)

  const isSuccess = response.status < 400
  const isOwn = request.headers.Authorization === `Bearer ${token}`
  if (isSuccess && !draft.operation.isPublic && request.method !== 'OPTIONS') expect(isOwn, shown).toBe(true)
  if (isOwn) expect(response.status, shown).not.toBe(401)
  count(draft, response)
  // Anything that revokes the token: leaving, signing out, changing the password.
  if (isSuccess && mayEndSession(request)) await target.signInAgain()
}

function send({ world }: Target, { method, path, headers, rawBody }: Written): Promise<ApiResponse> {
  // Each comes from a different address, so that the limits for a client address do not hide other responses.
  const from = { 'CF-Connecting-IP': randomClientAddress(), ...headers }
  return world.call(method, path, { headers: from, ...(rawBody !== undefined && { rawBody }) })
}

function count({ operation, method }: Draft, { status, headers }: ApiResponse): void {
  answered[status] = (answered[status] ?? 0) + 1
  // People who come back from the provider are redirected, whether or not the sign-in worked.
  const isRefusal = headers.get('Location')?.includes('error=')
  if (status < 400 && !isRefusal && method === operation.method) succeeded.add(operation.id)
}

function mayEndSession({ method, path }: Written): boolean {
  if (method === 'DELETE') return path.startsWith('/api/me') || path.startsWith('/api/tokens/')
  return method === 'POST' && /^\/api\/(logout|reset-password)/.test(path)
}
