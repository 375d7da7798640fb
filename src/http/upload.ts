import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { TooBusy } from '../domain/failures.ts'

/** An upload that stands still for longer, or is not through after the second of these, is given up. */
const longestPauseMs = 10_000
const longestUploadMs = 120_000
/** Parts of fewer bytes are gathered: kept one by one, each would take many times its size. */
const smallBytes = 4 * 1024
const gatheredBytes = 64 * 1024

/** The body of a request as it arrives, held in memory from then on. */
export class Upload {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  readonly #maxBytes: number
  readonly #tooLarge: string
  readonly #endsAt = Date.now() + longestUploadMs
  #parts: Uint8Array[] = []
  #gathered = new Uint8Array(0)
  #gatheredSize = 0
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
      this.#keep(value)
      this.#size = size
    }
    return false
  }

  /** All that has arrived; it is handed over, not kept. */
  takeBytes(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#size)
    let at = 0
    this.#gather()
    for (const part of this.#parts) {
      bytes.set(part, at)
      at += part.byteLength
    }
    this.#parts = []
    return bytes
  }

  #keep(part: Uint8Array): void {
    if (part.byteLength >= smallBytes) {
      this.#gather()
      this.#parts.push(part)
      return
    }
    if (part.byteLength > this.#gathered.byteLength - this.#gatheredSize) {
      this.#gather()
      this.#gathered = new Uint8Array(gatheredBytes)
    }
    this.#gathered.set(part, this.#gatheredSize)
    this.#gatheredSize += part.byteLength
  }

  #gather(): void {
    if (this.#gatheredSize > 0) this.#parts.push(this.#gathered.slice(0, this.#gatheredSize))
    this.#gathered = new Uint8Array(0)
    this.#gatheredSize = 0
  }

  async #next() {
    const reader = this.#reader
    if (!reader) return
    // One timer at a time: a request may have ten thousand, and a body may come byte by byte.
    const left = Math.max(0, Math.min(longestPauseMs, this.#endsAt - Date.now()))
    const stalled = Promise.withResolvers<never>()
    const timer = setTimeout(() => stalled.reject(new TooBusy()), left)
    try {
      return await Promise.race([reader.read(), stalled.promise])
    } catch (error) {
      if (error instanceof TooBusy) return this.#refuse(error)
      throw new HTTPException(400, { message: 'The request body broke off.' })
    } finally {
      clearTimeout(timer)
    }
  }

  async #refuse(error: Error): Promise<never> {
    // What is still to come is not waited for.
    this.#reader?.cancel().catch(() => undefined)
    throw error
  }
}
