import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { TooBusy } from '../domain/failures.ts'

/** A body is abandoned if neither another 1 KB nor its end arrives within this time. */
const longestPauseMs = 10_000
/** A body is abandoned if it takes longer than this in total. */
const longestBodyMs = 120_000
/** The runtime gathers this much before it wakes us, so that a body sent byte by byte does not wake us for each. */
const leastBytes = 1024
const blockBytes = 16 * 1024

/** The body of a request as it arrives, held in memory until `takeBytes`. */
export class BodyStream {
  readonly #reader: ReadableStreamBYOBReader | undefined
  readonly #maxBytes: number
  readonly #tooLarge: string
  /** NaN if the client has not announced it. */
  readonly #length: number
  readonly #endsAt = Date.now() + longestBodyMs
  #parts: Uint8Array[] = []
  #block = new Uint8Array(blockBytes)
  #size = 0

  constructor(c: Context, maxBytes: number, tooLarge: string) {
    this.#reader = c.req.raw.body?.getReader({ mode: 'byob' })
    this.#maxBytes = maxBytes
    this.#tooLarge = tooLarge
    this.#length = Number(c.req.header('Content-Length') ?? Number.NaN)
  }

  /**
   * Reads until the end, or until more than `bytes` have arrived; returns whether it was the end. `arrived` is called
   * with the total size so far before each part is kept. Throws 400 for a body that breaks off, 413 for one that is
   * too large, TooBusy for one that stalls or takes too long.
   */
  async readTo(bytes: number, arrived: (size: number) => void = () => {}): Promise<boolean> {
    // The runtime lets no body exceed the length that was announced, so the end is not waited for.
    while (this.#size <= bytes && this.#size !== this.#length) {
      const part = await this.#next()
      if (!part) return true
      const size = this.#size + part.byteLength
      if (size > this.#maxBytes) await this.#refuse(new HTTPException(413, { message: this.#tooLarge }))
      arrived(size)
      this.#parts.push(part)
      this.#size = size
    }
    return this.#size === this.#length
  }

  /** Returns everything that has arrived, and keeps nothing. */
  takeBytes(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#size)
    let at = 0
    for (const part of this.#parts) {
      bytes.set(part, at)
      at += part.byteLength
    }
    this.#parts = []
    return bytes
  }

  async #next(): Promise<Uint8Array | undefined> {
    const reader = this.#reader
    if (!reader) return
    // One timer at a time: the runtime allows a request at most ten thousand.
    const left = Math.max(0, Math.min(longestPauseMs, this.#endsAt - Date.now()))
    const stalled = Promise.withResolvers<never>()
    const timer = setTimeout(() => stalled.reject(new TooBusy()), left)
    try {
      const read = reader.readAtLeast(leastBytes, this.#block)
      const { value } = await Promise.race([read, stalled.promise])
      if (!value?.byteLength) return
      // A read detaches the buffer that it is given, and returns it with what it has read.
      this.#block = new Uint8Array(value.buffer)
      return value.slice()
    } catch (error) {
      if (error instanceof TooBusy) return this.#refuse(error)
      throw new HTTPException(400, { message: 'The request body broke off.' })
    } finally {
      clearTimeout(timer)
    }
  }

  async #refuse(error: Error): Promise<never> {
    // Do not wait for the rest.
    this.#reader?.cancel().catch(() => undefined)
    throw error
  }
}
