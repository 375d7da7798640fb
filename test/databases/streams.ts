import type { Answer } from './faults.ts'

const opening = '{"requests":['
const close = ',{"type":"close"}]}'
const closed = ',{"type":"ok","response":{"type":"close"}}]}'
type Ask = (body: Buffer) => Promise<Answer>

/** How many streams of one database are kept: as many as tests often use at once. Each holds a connection. */
export const mostKept = 8

/**
 * Streams of one database that are kept open. For each new stream sqld parses the whole schema, which costs it more than
 * most requests do. So one that its client would close at the end of a request stays open and serves the next request,
 * as empty as a new one.
 */
export class Streams {
  readonly #batons: string[] = []

  /** Sends a client's request, through a kept stream if the client would open one and close it again. */
  async send(body: Buffer, ask: Ask): Promise<Answer> {
    const text = body.toString()
    if (!text.startsWith(opening) || !text.endsWith(close)) return ask(body)
    const baton = this.#batons.pop()
    const kept = `{"baton":${baton ?? null},${text.slice(1, -close.length)}]}`
    const answer = await ask(Buffer.from(kept))
    // The server ends a stream that has not been used for ten seconds, and then executes nothing.
    if (baton && answer.body.includes('"STREAM_EXPIRED"')) return this.send(body, ask)
    return this.#closed(answer, ask)
  }

  /** The answer as it would be had the client's stream been closed. */
  async #closed(answer: Answer, ask: Ask): Promise<Answer> {
    const text = answer.body.toString()
    const baton = /^\{"baton":("[^"]+")/.exec(text)?.[1]
    if (!baton || !text.endsWith(']}')) return answer
    // An error can leave a transaction open.
    const isUsable = this.#batons.length < mostKept && !text.includes('{"type":"error"')
    if (isUsable) this.#batons.push(baton)
    else await ask(Buffer.from(`{"baton":${baton},"requests":[{"type":"close"}]}`))
    const rest = text.slice('{"baton":'.length + baton.length, -']}'.length)
    return { ...answer, body: Buffer.from(`{"baton":null${rest}${closed}`) }
  }
}
