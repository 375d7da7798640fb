import { afterEach, describe, expect, test, vi } from 'vitest'
import { budgets } from '../../budgets.ts'
import { unfinished } from '../fixtures/held-memory.ts'
import { muteLog } from '../fixtures/muted-log.ts'
import { toQueue } from '../fixtures/responses.ts'
import { createWorld } from '../fixtures/world.ts'
import { createHousehold } from '../laws/every-route.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

/** Ends the time of all calls so far, and none of later ones. Returns the function that does so. */
function holdTimeouts(): () => void {
  const controllers: AbortController[] = []
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    const controller = new AbortController()
    controllers.push(controller)
    return controller.signal
  })
  return () => {
    for (const controller of controllers) controller.abort(new DOMException('', 'TimeoutError'))
  }
}

describe('an upload may take longer than the database may:', () => {
  test.each<[path: string, body: (account: number) => object, status: number]>([
    ['/api/accounts', () => ({ name: 'Slow', type: 'cash', starting_balance: 0 }), 201],
    ['/api/transactions/sync', (id) => ({ transactions: [row(id)] }), 200],
    ['/api/import/store', (id) => ({ transactions: [row(id)] }), 200],
  ])('%s', async (path, body, status) => {
    const world = createWorld(budgets({ requestMs: 600_000 }))
    const { person, checking } = await createHousehold(world)
    const endTime = holdTimeouts()
    const upload = unfinished(JSON.stringify(body(checking.id)) + ' '.repeat(100_000))
    const responded = world.call('POST', path, {
      token: person.token,
      headers: { 'Content-Type': 'application/json' },
      rawBody: upload.body,
    })
    await upload.arrived
    endTime()
    upload.end()
    const response = await responded
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
    const { world, person, expense } = await createHousehold(
      createWorld({ SYNC_QUEUE: queue as never, ...budgets({ queueWaitMs: 1 }) }),
    )
    const options = toQueue(person.token, [expense()])
    const sync = await world.call('POST', '/api/transactions/sync', options)
    expect(sync.status).toBe(200)

    const mailless = createWorld({ MAIL_QUEUE: queue as never, ...budgets({ queueWaitMs: 1 }) })
    expect((await mailless.register()).token).toMatch(/./)
  })
})
