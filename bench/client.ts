import { Agent, type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'

/** A call of the API and the status that it must return. */
export type Call = {
  method: string
  path: string
  /** Or any of several. */
  status: number | number[]
  token?: string
  body?: unknown
  /** A file as the whole body, by its content type. */
  file?: { type: string; text: string }
  headers?: Record<string, string>
}

/** What a call got. Bytes are counted on the wire, headers included; the time ends with the last of them. */
export type Answer = {
  status: number
  ms: number
  requestBytes: number
  responseBytes: number
  text: string
  headers: IncomingMessage['headers']
}

/** A connection that is kept open, as a client would. */
export class Connection {
  readonly #origin: URL
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })

  constructor(origin: URL) {
    this.#origin = origin
  }

  /** Makes the call. Throws if it returns a different status. */
  async call(call: Call): Promise<Answer> {
    const { method, path, status } = call
    const body = call.file?.text ?? (call.body === undefined ? '' : JSON.stringify(call.body))
    const start = performance.now()
    const { response, socket, text, before } = await this.#send(call, body)
    const ms = performance.now() - start
    const answered = response.statusCode ?? 0
    if (![status].flat().includes(answered)) {
      throw new Error(`${method} ${path} answered ${answered} and not ${status}: ${text.slice(0, 500)}`)
    }
    return {
      status: answered,
      ms,
      requestBytes: socket.bytesWritten - before.written,
      responseBytes: socket.bytesRead - before.read,
      text,
      headers: response.headers,
    }
  }

  /** Makes the call, and returns the JSON of the answer. */
  // biome-ignore lint/suspicious/noExplicitAny: the benchmark knows what it asked for
  async json(call: Call): Promise<any> {
    return JSON.parse((await this.call(call)).text)
  }

  close(): void {
    this.#agent.destroy()
  }

  #send({ method, path, token, file, headers }: Call, body: string) {
    type Sent = {
      response: IncomingMessage
      socket: Socket
      text: string
      before: { read: number; written: number }
    }
    return new Promise<Sent>((resolve, reject) => {
      const before = { read: 0, written: 0 }
      const sent = request(new URL(path, this.#origin), {
        method,
        agent: this.#agent,
        headers: {
          accept: 'application/json',
          ...(token && { authorization: `Bearer ${token}` }),
          ...(body && {
            'content-type': file?.type ?? 'application/json',
            'content-length': Buffer.byteLength(body),
          }),
          ...headers,
        },
      })
      sent.once('socket', (socket) =>
        Object.assign(before, { read: socket.bytesRead, written: socket.bytesWritten }),
      )
      sent.once('error', reject)
      sent.once('response', (response) => {
        const { socket } = response
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.once('error', reject)
        response.once('end', () =>
          resolve({ response, socket, text: Buffer.concat(chunks).toString(), before }),
        )
      })
      sent.end(body)
    })
  }
}
