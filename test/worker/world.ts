import { createExecutionContext, createScheduledController } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import type { Mail } from '../../src/shared/mails.ts'
import type { RemovalMessage, SyncMessage } from '../../src/shared/queues.ts'
import worker from '../../src/worker.ts'
import type { Work } from '../databases/work.ts'
import type { ApiResponse, Json } from './answers.ts'
import { clientsOf, collectingQueue, freshDatabaseUrl } from './service.ts'

export type { ApiResponse, CallOptions, Json } from './answers.ts'
export { randomClientAddress } from './service.ts'

export type World = ReturnType<typeof createWorld>
export type Person = Awaited<ReturnType<World['register']>>

/** A service of its own: the real Worker on an empty database that no other test uses. */
export function createWorld(bindings: Partial<Env> = {}, databaseUrl = freshDatabaseUrl()) {
  /** What the service has put into its email queue; `deliver` hands it to the real consumer. */
  const queued: Mail[] = []
  const queuedSyncs: SyncMessage[] = []
  const queuedRemovals: RemovalMessage[] = []
  const ownEnv = {
    ...env,
    TURSO_DATABASE_URL: databaseUrl,
    MAIL_QUEUE: collectingQueue(queued),
    SYNC_QUEUE: collectingQueue(queuedSyncs),
    REMOVAL_QUEUE: collectingQueue(queuedRemovals),
    ...bindings,
  }
  const { send, call, as, register, deliver } = clientsOf({
    fetch: (request, context) => worker.fetch(request, ownEnv, context),
    queue: (batch, context) => worker.queue(batch, ownEnv, context),
  })

  /** The work that the database has reported since the last reset. */
  async function databaseWork(): Promise<Work> {
    return (await fetch(`${databaseUrl}stats`)).json()
  }

  async function resetDatabaseWork(): Promise<void> {
    await (await fetch(`${databaseUrl}stats`, { method: 'DELETE' })).text()
  }

  /** Runs a cron trigger. */
  async function runCron(cron: string): Promise<void> {
    const controller = createScheduledController({ cron, scheduledTime: new Date() })
    await worker.scheduled(controller, ownEnv, createExecutionContext())
  }

  /** Delivers the messages about deleted data until there are none left, as the queue does. */
  async function removeDeleted(): Promise<void> {
    while (queuedRemovals.length > 0) await deliver('purse-removal', queuedRemovals.splice(0), 1)
  }

  return {
    send,
    call,
    as,
    register,
    /** Delivers messages to the consumer of a queue, by default that of emails. */
    deliver: (messages: unknown[] = queued.splice(0), queue = 'purse-mail', attempts = 1) =>
      deliver(queue, messages, attempts),
    /** Delivers uploaded batches, and those waiting for them, until the queue is empty; returns the last result. */
    async deliverSyncs() {
      let result = await deliver('purse-sync', queuedSyncs.splice(0), 1)
      while (queuedSyncs.length > 0) result = await deliver('purse-sync', queuedSyncs.splice(0), 1)
      return result
    },
    runCron,
    queued,
    queuedSyncs,
    queuedRemovals,
    removeDeleted,
    databaseUrl,
    databaseWork,
    resetDatabaseWork,
  }
}

/** The emails in the inbox for an address, oldest first. Tests share the inbox, so each needs addresses of its own. */
export async function mailsTo(address: string): Promise<Json[]> {
  const headers = { Authorization: 'Bearer re_test' }
  const list: Json = await (await fetch(`${env.RESEND_BASE_URL}/emails?limit=100`, { headers })).json()
  const found = list.data.filter((mail: Json) => mail.to.includes(address)).reverse()
  return Promise.all(
    found.map(async ({ id }: Json) =>
      (await fetch(`${env.RESEND_BASE_URL}/emails/${id}`, { headers })).json(),
    ),
  )
}

/** The newest email of a kind for a user among those that the service has queued. */
export function queuedMail<K extends Mail['kind']>(world: World, kind: K, to: string) {
  const found = world.queued.filter((mail) => mail.kind === kind && mail.to === to).at(-1)
  if (!found) throw new Error(`No mail of the kind ${kind} is queued for ${to}`)
  return found as Extract<Mail, { kind: K }>
}

/** The path and query of a link. */
export function pathOf(link: string): string {
  const { pathname, search } = new URL(link)
  return `${pathname}${search}`
}

/** Clicks on the link in a user's newest verification email. */
export function verifyAddress(world: World, { email }: Pick<Person, 'email'>): Promise<ApiResponse> {
  return world.call('GET', pathOf(queuedMail(world, 'verify_address', email).url))
}

/** Requests another address with the person's password, and presses the button of the link in the email to it. */
export async function changeAddress(
  world: World,
  { put, password }: Person,
  email: string,
): Promise<ApiResponse> {
  const { status, text } = await put('/api/me/email', { email, current_password: password })
  if (status !== 200) throw new Error(`Changing the address answered ${status}: ${text}`)
  return world.call('POST', pathOf(queuedMail(world, 'change_address', email).url))
}

/** Sets a new password with the link in a reset email, which proves that the address is theirs. */
export async function resetPassword(world: World, { email }: Pick<Person, 'email'>, password: string) {
  await world.call('POST', '/api/forgot-password', { body: { email } })
  const { searchParams } = new URL(queuedMail(world, 'reset_password', email).url)
  const body = { token: searchParams.get('token'), email, password, password_confirmation: password }
  return world.call('POST', '/api/reset-password', { body })
}

/** Signs a user in at the provider and returns the callback path that it redirects to. */
export async function providerCallback(world: World, address: string): Promise<string> {
  const { body } = await world.call('GET', `/api/auth/idp?login_hint=${encodeURIComponent(address)}`)
  const response = await fetch(body.url, { redirect: 'manual' })
  await response.text()
  return pathOf(response.headers.get('Location') ?? '')
}

/** Signs a user in through the provider, which vouches for the address; returns their token and id. */
export async function signInThroughProvider(world: World, address: string) {
  const { headers } = await world.call('GET', await providerCallback(world, address))
  const location = headers.get('Location') ?? ''
  const query = new URL(location).searchParams
  const token = query.get('token')
  if (!token) throw new Error(`The sign-in ended at ${location}`)
  return { token, id: Number(query.get('user')) }
}

/** Opens an account and returns it. */
export async function openAccount(person: Person, details: Record<string, unknown> = {}): Promise<Json> {
  const response = await person.post('/api/accounts', {
    name: 'Checking',
    type: 'bank',
    starting_balance: 100,
    ...details,
  })
  if (response.status !== 201)
    throw new Error(`Opening an account responded with ${response.status}: ${response.text}`)
  return response.body
}

/** Records a transaction and returns it. */
export async function recordTransaction(person: Person, fields: Record<string, unknown>): Promise<Json> {
  const response = await person.post('/api/transactions', fields)
  if (response.status !== 201)
    throw new Error(`Recording responded with ${response.status}: ${response.text}`)
  return response.body
}

/** The balance of an account as its owner sees it now. */
export async function balanceOf(person: Person, account: { id: number }): Promise<number> {
  return (await person.get(`/api/accounts/${account.id}`)).body.balance
}

/** The person's first category of a type. */
export async function aCategory(person: Person, type: 'income' | 'expense' = 'expense'): Promise<Json> {
  const { body } = await person.get('/api/categories')
  return body.find((category: Json) => category.type === type)
}

/** A timestamp as every response writes it, such as 2026-11-20T10:00:00.000Z. */
export const aTimestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

/** Expects the 422 that names exactly these errors, and no other. */
export function expectInvalid({ status, body }: ApiResponse, errors: Record<string, string[]>): void {
  expect({ status, body }).toEqual({ status: 422, body: { message: 'The given data was invalid.', errors } })
}

/** Expects a 422 with errors under exactly these fields, where the contract leaves their wording open. */
export function expectInvalidFields({ status, body }: ApiResponse, fields: string[]): void {
  expect({ status, message: body.message, fields: Object.keys(body.errors ?? {}).sort() }).toEqual({
    status: 422,
    message: 'The given data was invalid.',
    fields: [...fields].sort(),
  })
}

/** If the minute is nearly over, waits for the next: the local rate limiters count by the wall clock's minutes. */
export async function avoidEndOfMinute(roomMs = 2_000): Promise<void> {
  const left = 60_000 - (Date.now() % 60_000)
  if (left <= roomMs) await new Promise((resolve) => setTimeout(resolve, left + 50))
}
