import { Client } from 'undici'

/** A request to the API, and the status that its response must have. */
export type ApiRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  status: number
  body?: unknown
  token?: string
  /** The address that the request seems to come from. */
  clientAddress?: string
}

/** One kept-alive connection to the API, with one request at a time, as a client has. */
export class Connection {
  readonly #client: Client

  constructor(origin: URL) {
    this.#client = new Client(origin)
  }

  /** Sends a request; resolves with the milliseconds until the last byte. Throws on another status. */
  async send(request: ApiRequest): Promise<{ ms: number; text: string }> {
    const { method, path, status, body, token, clientAddress } = request
    const start = performance.now()
    const response = await this.#client.request({
      method,
      path,
      headers: {
        accept: 'application/json',
        ...(token && { authorization: `Bearer ${token}` }),
        ...(clientAddress && { 'cf-connecting-ip': clientAddress }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.body.text()
    const ms = performance.now() - start
    if (response.statusCode !== status)
      throw new Error(
        `${method} ${path} returned ${response.statusCode}, not ${status}: ${text.slice(0, 500)}`,
      )
    return { ms, text }
  }

  /** Sends a request and parses the response. */
  // biome-ignore lint/suspicious/noExplicitAny: the benchmark knows the responses that it requests
  async json(request: ApiRequest): Promise<any> {
    return JSON.parse((await this.send(request)).text)
  }

  close(): Promise<void> {
    return this.#client.close()
  }
}
