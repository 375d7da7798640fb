import type { IncomingMessage, ServerResponse } from 'node:http'
import * as z from 'zod'
import { readJson } from './body.ts'
import { send, sendJson } from './serve.ts'

const orderSchema = z.object({
  status: z.int().min(400).max(599).default(500),
  /** No response until the fault is removed. */
  hang: z.boolean().default(false),
  /** A 200 whose body is not JSON. */
  nonsense: z.boolean().default(false),
  /** The request is processed, and only its response is lost. */
  keep: z.boolean().default(false),
  /** How many requests fail; all by default. */
  times: z.int().min(1).optional(),
})

export type Fault = z.infer<typeof orderSchema>

/** Failures that a test has ordered, one for each endpoint, until it removes them. */
export class Faults<Endpoint extends string> {
  #endpoint: z.ZodType<Endpoint>
  #faults = new Map<Endpoint, Fault>()
  #hanging = new Set<ServerResponse>()

  /** The schema names the endpoints that can fail, and a default if there is one. */
  constructor(endpoint: z.ZodType<Endpoint>) {
    this.#endpoint = endpoint
  }

  /** `/faults`: POST orders a fault, DELETE removes all of them, GET counts the requests that hang. */
  async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET') return sendJson(response, 200, { hanging: this.#hanging.size })
    if (request.method === 'DELETE') {
      this.#faults.clear()
      for (const hanging of this.#hanging) hanging.destroy()
      return sendJson(response, 200, {})
    }
    const order = orderSchema.extend({ endpoint: this.#endpoint }).safeParse(await readJson(request))
    if (!order.success) return sendJson(response, 422, { message: z.prettifyError(order.error) })
    this.#faults.set(order.data.endpoint, order.data)
    sendJson(response, 200, order.data)
  }

  /** The fault that this request to the endpoint meets, if any. */
  next(endpoint: Endpoint): Fault | undefined {
    const fault = this.#faults.get(endpoint)
    if (fault?.times === undefined) return fault
    fault.times -= 1
    if (fault.times === 0) this.#faults.delete(endpoint)
    return fault
  }

  /** Fails the request; `body` is what the endpoint sends with an error. */
  fail(fault: Fault, response: ServerResponse, body: unknown): void {
    if (fault.hang) {
      this.#hanging.add(response)
      response.once('close', () => this.#hanging.delete(response))
    } else if (fault.nonsense) send(response, 200, 'application/json', '<!doctype html><p>Not JSON')
    else sendJson(response, fault.status, body)
  }
}
