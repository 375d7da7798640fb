import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { createWorld, type Person } from '../world.ts'
import { protectedRoutes } from './every-route.ts'

/** How many requests of a user an isolate works on at a time. */
const atOnce = 12

afterEach(() => {
  vi.restoreAllMocks()
})

/** Holds back the database's answers, and then what is in them, until the test lets them go. */
function holdAnswers(most = Number.POSITIVE_INFINITY) {
  const counts = { asked: 0, answered: 0, read: 0 }
  const [answers, contents] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const fetch = globalThis.fetch
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (...request) => {
    counts.asked += 1
    const isHeld = counts.asked <= most
    const response = await fetch(...request)
    counts.answered += 1
    if (!isHeld) return response
    await answers.promise
    const json = response.json.bind(response)
    return Object.assign(response, {
      json: async () => {
        counts.read += 1
        await contents.promise
        return json()
      },
    })
  })
  return { counts, letAnswersGo: answers.resolve, letContentsGo: contents.resolve }
}

/** Turns expire by the clock, so nothing does while it stands still. */
function stopClock() {
  const now = performance.now()
  return vi.spyOn(performance, 'now').mockImplementation(() => now)
}

/** Waits as long as a busy machine may take; what never happens still fails the test. */
const until = (condition: () => boolean) => vi.waitUntil(condition, { timeout: 30_000 })

const ask = (person: Person, times: number) =>
  Promise.all(Array.from({ length: times }, () => person.get('/api/me')))

const world = createWorld()
let other: Person
beforeAll(async () => {
  other = await world.register()
  await other.get('/api/me')
})

test.each(protectedRoutes)('%s waits while a dozen requests of its user are under way', async (route) => {
  const person = await world.register()
  await person.get('/api/me')
  const [method = '', path = ''] = route.split(' ')
  const body = method === 'GET' ? undefined : {}
  stopClock()
  const held = holdAnswers(atOnce)
  const others = ask(person, atOnce)
  await until(() => held.counts.asked === atOnce)
  const answer = world.call(method, path.replace(':id', '1'), { token: person.token, body })
  await scheduler.wait(50)
  expect(held.counts.asked).toBe(atOnce)
  expect((await other.get('/api/me')).status).toBe(200)
  held.letAnswersGo()
  held.letContentsGo()
  const statuses = [answer, ...(await others)].map(async (one) => (await one).status)
  expect(await Promise.all(statuses)).not.toContain(503)
})
