import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { within } from '../domain/deadline.ts'
import { TooBusy } from '../domain/failures.ts'

/** An upload that stands still for longer, or is not through after the second of these, is given up. */
const longestPauseMs = 10_000
const longestUploadMs = 120_000

/** The body of a request as it arrives, held in memory from then on. */
export class Upload {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  readonly #maxBytes: number
  readonly #tooLarge: string
  readonly #deadline = AbortSignal.timeout(longestUploadMs)
  #chunks: Uint8Array[] = []
  #size = 0

  constructor(c: Context, maxBytes: number, tooLarge: string) {
    this.#reader = c.req.raw.body?.getReader()
    this.#maxBytes = maxBytes
    this.#tooLarge = tooLarge
  }

  /**
   * Reads on until all is there, which it answers as true, or at least so much. `arrived` hears of each part, before it
   * is kept. Throws 400 for an upload that breaks off, 413 for one that is too large, TooBusy for one that stands still.
   */
  async readTo(bytes: number, arrived: (size: number) => void = () => {}): Promise<boolean> {
    while (this.#size <= bytes) {
      const { done, value } = (await this.#next()) ?? { done: true }
      if (done) return true
      const size = this.#size + value.byteLength
      if (size > this.#maxBytes) await this.#refuse(new HTTPException(413, { message: this.#tooLarge }))
      arrived(size)
      this.#chunks.push(value)
      this.#size = size
    }
    return false
  }

  /** All that has arrived; it is handed over, not kept. */
  takeBytes(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#size)
    let at = 0
    for (const chunk of this.#chunks) {
      bytes.set(chunk, at)
      at += chunk.byteLength
    }
    this.#chunks = []
    return bytes
  }

  async #next() {
    const pause = AbortSignal.any([this.#deadline, AbortSignal.timeout(longestPauseMs)])
    try {
      return this.#reader && (await within(pause, this.#reader.read()))
    } catch {
      if (pause.aborted) return this.#refuse(new TooBusy())
      throw new HTTPException(400, { message: 'The request body broke off.' })
    }
  }

  async #refuse(error: Error): Promise<never> {
    // What is still to come is not waited for.
    this.#reader?.cancel().catch(() => undefined)
    throw error
  }
}
