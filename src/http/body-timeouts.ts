import { HTTPException } from 'hono/http-exception'
import { TooBusy } from '../shared/failures.ts'

/** Receiving fails if neither another 1 KB (of a short body, all of it) nor the end arrives within this time. */
const maxPauseMs = 10_000
/** Reading fails if the whole body takes longer than this. */
const maxBodyMs = 120_000
/** The size of a read, so that a body sent byte by byte does not cause a read for each byte. */
const minReadBytes = 1024
const blockBytes = 16 * 1024
/** Bodies up to this size are received without a stream, which costs 0.4 ms of processor time. */
export const maxShortBytes = 4 * 1024

/** Receives a short body. Throws TooBusy if it does not arrive in time, 400 if it breaks off. */
export async function receiveShort(read: Promise<ArrayBuffer>): Promise<void> {
  try {
    await inTime(read, Date.now() + maxPauseMs)
  } catch (error) {
    throw failureOf(error)
  }
}

/**
 * Streams a body. `onProgress` is called with the number of bytes so far before each chunk; an error that it throws ends the
 * stream. The stream fails with TooBusy if the body stalls or takes too long, with 400 if it breaks off.
 */
export function withTimeouts(body: ReadableStream, onProgress: (bytes: number) => void) {
  const reader = body.getReader({ mode: 'byob' })
  const endsAt = Date.now() + maxBodyMs
  let block = new Uint8Array(blockBytes)
  let size = 0
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    try {
      const { value } = await inTime(reader.readAtLeast(minReadBytes, block), endsAt)
      if (!value?.byteLength) return controller.close()
      size += value.byteLength
      onProgress(size)
      controller.enqueue(value.slice())
      // A read detaches the buffer and returns it filled.
      block = new Uint8Array(value.buffer)
    } catch (error) {
      controller.error(failureOf(error))
      // Not awaited, since a stalled body would delay it.
      reader.cancel().catch(() => undefined)
    }
  }
  return new ReadableStream({ pull, cancel: (reason) => reader.cancel(reason) }, { highWaterMark: 0 })
}

const failureOf = (error: unknown) =>
  error instanceof TooBusy ? error : new HTTPException(400, { message: 'The request body broke off.' })

/** Awaits a part of a body. Throws TooBusy if it does not arrive in time. */
async function inTime<T>(read: Promise<T>, endsAt: number): Promise<T> {
  // The timer is cleared, since the runtime allows a request ten thousand timers.
  const stalled = Promise.withResolvers<never>()
  const leftMs = Math.max(0, Math.min(maxPauseMs, endsAt - Date.now()))
  const timer = setTimeout(() => stalled.reject(new TooBusy()), leftMs)
  try {
    return await Promise.race([read, stalled.promise])
  } finally {
    clearTimeout(timer)
  }
}
