import { createExecutionContext, createMessageBatch, getQueueResult } from 'cloudflare:test'
import { expect, inject } from 'vitest'
import { app } from '../../src/app.ts'
import { openApiDocument } from '../../src/document.ts'
import { contractChecker } from '../contract.ts'
import type { ApiResponse, CallOptions } from './answers.ts'

const faultsOf = contractChecker(openApiDocument(app.routes))

/** The Worker's handlers. */
export type Service = {
  fetch(
    request: Request<unknown, IncomingRequestCfProperties>,
    context: ExecutionContext,
  ): Response | Promise<Response>
  queue(batch: MessageBatch, context: ExecutionContext): Promise<void>
}

/** Clients of a service, and the delivery of its queues. Every response is checked against the OpenAPI document. */
export function clientsOf(service: Service) {
  // Rate limiters outlive a test: with an address of its own, it does not add to the counts of others.
  const clientAddress = randomClientAddress()

  /** Sends a request as a client would, and returns the response before its body is read. */
  async function send(method: string, path: string, options: CallOptions = {}): Promise<Response> {
    const headers = new Headers({
      Accept: 'application/json',
      'CF-Connecting-IP': clientAddress,
      ...options.headers,
    })
    if (options.token) headers.set('Authorization', `Bearer ${options.token}`)
    let body = options.rawBody
    if (options.body !== undefined) {
      body = JSON.stringify(options.body)
      if (!headers.has('Content-Type')) headers.set('Content-Type', 'application/json')
    }
    // As real clients do. A stream is of unknown length.
    if (typeof body === 'string') body = new TextEncoder().encode(body)
    if (body instanceof Uint8Array) headers.set('Content-Length', String(body.byteLength))
    // In production, a Worker's request bodies are streams of the runtime.
    if (body instanceof ReadableStream) body = body.pipeThrough(new IdentityTransformStream())
    const request = new Request(`http://purse.test${path}`, { method, headers, body: body ?? null })
    // Work that goes on after the response is not waited for: idle streams of the database stay open for a second.
    return service.fetch(request as Request<unknown, IncomingRequestCfProperties>, createExecutionContext())
  }

  /** Calls the service as a client would. */
  async function call(method: string, path: string, options: CallOptions = {}): Promise<ApiResponse> {
    const response = await send(method, path, options)
    const text = await response.text()
    const exchange = { method, path, status: response.status, headers: response.headers, text }
    expect(
      faultsOf(exchange),
      `${method} ${path} responds with ${response.status} otherwise than the document says`,
    ).toEqual([])
    const isJson = response.headers.get('Content-Type')?.includes('json')
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text ? JSON.parse(text) : undefined,
    }
  }

  /** A client that holds a token. */
  function as(token: string) {
    const verb = (method: string) => (path: string, body?: unknown) => call(method, path, { token, body })
    return {
      token,
      get: verb('GET'),
      post: verb('POST'),
      put: verb('PUT'),
      patch: verb('PATCH'),
      delete: verb('DELETE'),
    }
  }

  let people = 0
  /** Registers a user and returns a client that sends their token. */
  async function register(details: Record<string, unknown> = {}) {
    people += 1
    const password = 'correct horse battery'
    const email = `person${people}@example.com`
    const body = { name: `Person ${people}`, email, password, password_confirmation: password, ...details }
    const response = await call('POST', '/api/register', { body })
    if (response.status !== 201)
      throw new Error(`Registering responded with ${response.status}: ${response.text}`)
    return {
      id: response.body.user.id as number,
      email: String(body.email),
      password: String(body.password),
      ...as(response.body.access_token),
    }
  }

  /**
   * Delivers messages to the consumer of a queue, as Cloudflare would. Returns which were acknowledged, which are to be
   * retried, and after how many seconds.
   */
  async function deliver(queue: string, messages: unknown[], attempts = 1) {
    const batch = createMessageBatch(
      queue,
      messages.map((body) => ({ id: crypto.randomUUID(), timestamp: new Date(), attempts, body })),
    )
    // The test runtime's result leaves the delays out.
    const delays: (number | undefined)[] = []
    for (const message of batch.messages) {
      const retry = message.retry.bind(message)
      message.retry = (options) => {
        delays.push(options?.delaySeconds)
        retry(options)
      }
    }
    await service.queue(batch, createExecutionContext())
    // It would wait for the promises of the context that it gets.
    return { ...(await getQueueResult(batch, createExecutionContext())), delays }
  }

  return { send, call, as, register, deliver }
}

/** A queue that keeps what is sent to it in a list. */
export function collectingQueue<Body, Kept extends Body = Body>(messages: Kept[]): Queue<Body> {
  const metrics = { backlogCount: 0, backlogBytes: 0 }
  return {
    metrics: async () => metrics,
    send: async (message) => {
      messages.push(message as Kept)
      return { metadata: { metrics } }
    },
    sendBatch: async (batch) => {
      messages.push(...[...batch].map(({ body }) => body as Kept))
      return { metadata: { metrics } }
    },
  }
}

/** A client address that no other test uses. */
export function randomClientAddress(): string {
  return `10.${crypto.getRandomValues(new Uint8Array(3)).join('.')}`
}

/** The address of a database that no other test uses. */
export function freshDatabaseUrl(): string {
  return `${inject('libsqlUrl')}/${crypto.randomUUID()}/`
}
