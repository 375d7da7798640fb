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

test('a slow database makes no request wait for another, and its answers are read a dozen at a time', async () => {
  const person = await createWorld().register()
  const held = holdAnswers()
  const answers = ask(person, 5 * atOnce)
  await until(() => held.counts.asked === 5 * atOnce)
  const clock = stopClock()
  held.letAnswersGo()
  await until(() => held.counts.read === atOnce)
  await scheduler.wait(100)
  expect(held.counts.read).toBe(atOnce)
  clock.mockRestore()
  held.letContentsGo()
  expect((await answers).map(({ status }) => status)).toEqual(Array(5 * atOnce).fill(200))
})

test('a request whose time is up while its answer waits to be read is a 503 at once, and listens only once', async () => {
  const person = await createWorld().register()
  await person.get('/api/me')
  const deadlines: AbortController[] = []
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    deadlines.push(new AbortController())
    return deadlines.at(-1)?.signal as AbortSignal
  })
  const held = holdAnswers()
  const others = ask(person, atOnce)
  // The answer to the last one comes last, so that it is the one that has to wait.
  await until(() => held.counts.answered === atOnce)
  const late = person.get('/api/me')
  await until(() => held.counts.answered === atOnce + 1)
  const deadline = deadlines.at(-1) as AbortController
  const listen = vi.spyOn(deadline.signal, 'addEventListener')
  stopClock()
  held.letAnswersGo()
  await until(() => held.counts.read === atOnce)
  await scheduler.wait(200)
  deadline.abort(new DOMException('', 'TimeoutError'))
  expect((await late).status).toBe(503)
  expect(held.counts.read).toBe(atOnce)
  expect(listen.mock.calls.length).toBeLessThanOrEqual(1)
  held.letContentsGo()
  expect((await others).map(({ status }) => status)).toEqual(Array(atOnce).fill(200))
})
