import { afterEach, describe, expect, test, vi } from 'vitest'
import { muteLog } from '../fixtures/muted-log.ts'
import { toQueue } from '../fixtures/responses.ts'
import { createWorld } from '../fixtures/world.ts'
import { createHousehold } from '../laws/every-route.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

/** Makes eight seconds pass in two. */
function hasten(): void {
  const timeout = AbortSignal.timeout.bind(AbortSignal)
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(ms / 4))
}

/** A body that arrives a byte at a time, over two and a half seconds. */
function dribble(text: string): ReadableStream {
  const bytes = new TextEncoder().encode(text)
  const pauseMs = 2_500 / bytes.length
  return new ReadableStream({
    async start(controller) {
      for (const byte of bytes) {
        controller.enqueue(new Uint8Array([byte]))
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
      }
      controller.close()
    },
  })
}

describe('an upload may take longer than the database may:', () => {
  test.each<[path: string, body: (account: number) => object, status: number]>([
    ['/api/accounts', () => ({ name: 'Slow', type: 'cash', starting_balance: 0 }), 201],
    ['/api/transactions/sync', (id) => ({ transactions: [row(id)] }), 200],
    ['/api/import/store', (id) => ({ transactions: [row(id)] }), 200],
  ])('%s', async (path, body, status) => {
    const { world, person, checking } = await createHousehold(createWorld())
    hasten()
    const response = await world.call('POST', path, {
      token: person.token,
      headers: { 'Content-Type': 'application/json' },
      rawBody: dribble(JSON.stringify(body(checking.id))),
    })
    expect([response.status, response.text]).toEqual([status, expect.anything()])
  })

  const today = { type: 'expense', amount: 1, transaction_date: '2026-11-20' }
  const row = (account_id: number) => ({ account_id, ...today })
})

describe('a queue', () => {
  /** The Worker logs each request after its response is made. */
  async function untilLogged(): Promise<QueueSendResponse> {
    const lines = muteLog(['log'])
    await vi.waitUntil(() => lines.length > 0, { timeout: 60_000 })
    return { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } }
  }

  test.each<[name: string, send: () => Promise<QueueSendResponse>]>([
    ['that waits until the request has its response', untilLogged],
    ['that throws', () => Promise.reject(new Error('no queue'))],
  ])('%s holds up no request', async (_, send) => {
    const queue = { send } as Partial<Queue>
    const { world, person, expense } = await createHousehold(createWorld({ SYNC_QUEUE: queue as never }))
    hasten()
    const options = toQueue(person.token, [expense()])
    const sync = await world.call('POST', '/api/transactions/sync', options)
    expect(sync.status).toBe(200)

    const mailless = createWorld({ MAIL_QUEUE: queue as never })
    expect((await mailless.register()).token).toMatch(/./)
  })
})
