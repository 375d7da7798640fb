import { HTTPException } from 'hono/http-exception'
import type { Budgets } from '../failures/budgets.ts'
import { TooBusy } from '../failures/failures.ts'

// Other limits: failures/limits.ts.

/** The size of a read (`bodyPauseMs`), so that a body sent byte by byte does not cause a read for each byte. */
const minReadBytes = 1024
const blockBytes = 16 * 1024
/** Bodies up to this size are received without a stream, which costs 0.4 ms of processor time. */
export const maxShortBytes = 4 * 1024

/** How much of a refused body is discarded. */
const maxDiscardedBytes = 100 * 1024 * 1024

/** Receives a short body. Throws TooBusy if it does not arrive in time, 400 if it breaks off. */
export async function receiveShort(read: Promise<ArrayBuffer>, { bodyPauseMs }: Budgets): Promise<void> {
  try {
    await inTime(read, bodyPauseMs)
  } catch (error) {
    throw failureOf(error)
  }
}

/**
 * Streams a body. `onProgress` is called with the number of bytes so far before each chunk; an error that it throws ends the
 * stream, and the rest of the body can be discarded. The stream fails with TooBusy if the body stalls or takes too long, with
 * 400 if it breaks off.
 */
export function withTimeouts(
  body: ReadableStream,
  { bodyPauseMs, bodyMs }: Budgets,
  onProgress: (bytes: number) => void,
) {
  const reader = body.getReader({ mode: 'byob' })
  const endsAt = Date.now() + bodyMs
  let block = new Uint8Array(blockBytes)
  let size = 0
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const value = await readBlock(reader, block, Math.min(bodyPauseMs, endsAt - Date.now())).catch(
      (error) => {
        // Not awaited, since a stalled body would delay it.
        reader.cancel().catch(() => undefined)
        throw failureOf(error)
      },
    )
    if (!value?.byteLength) return controller.close()
    size += value.byteLength
    try {
      onProgress(size)
    } catch (error) {
      reader.releaseLock()
      throw error
    }
    controller.enqueue(value.slice())
    // A read detaches the buffer and returns it filled.
    block = new Uint8Array(value.buffer)
  }
  return new ReadableStream({ pull, cancel: (reason) => reader.cancel(reason) }, { highWaterMark: 0 })
}

/** Reads what is left of a body, within limits of size and time, and keeps none of it. */
export async function discard(body: ReadableStream, { discardPauseMs, discardMs }: Budgets): Promise<void> {
  const reader = body.getReader({ mode: 'byob' })
  const endsAt = Date.now() + discardMs
  let block = new Uint8Array(blockBytes)
  for (let size = 0; size < maxDiscardedBytes; ) {
    const leftMs = Math.min(discardPauseMs, endsAt - Date.now())
    const value = await readBlock(reader, block, leftMs).catch(() => undefined)
    if (!value?.byteLength) return
    size += value.byteLength
    block = new Uint8Array(value.buffer)
  }
}

async function readBlock(reader: ReadableStreamBYOBReader, block: Uint8Array<ArrayBuffer>, ms: number) {
  return (await inTime(reader.readAtLeast(minReadBytes, block), ms)).value
}

const failureOf = (error: unknown) =>
  error instanceof TooBusy ? error : new HTTPException(400, { message: 'The request body broke off.' })

/** Awaits a part of a body. Throws TooBusy if it does not arrive in time. */
async function inTime<T>(read: Promise<T>, ms: number): Promise<T> {
  // The timer is cleared, since the runtime allows a request ten thousand timers.
  const stalled = Promise.withResolvers<never>()
  const timer = setTimeout(() => stalled.reject(new TooBusy()), Math.max(0, ms))
  try {
    return await Promise.race([read, stalled.promise])
  } finally {
    clearTimeout(timer)
  }
}
