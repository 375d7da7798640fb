import { HTTPException } from 'hono/http-exception'
import { TooBusy } from '../shared/failures.ts'

/** A body is abandoned if neither another 1 KB nor its end arrives within this time. */
const longestPauseMs = 10_000
/** A body is abandoned if it takes longer than this in total. */
const longestBodyMs = 120_000
/** The runtime gathers this much before it wakes us, so that a body sent byte by byte does not wake us for each. */
const leastBytes = 1024
const blockBytes = 16 * 1024

/**
 * Passes a body on as it arrives. `arrived` is called with the number of bytes so far before each part is passed on; what
 * it throws ends the stream. The stream fails with TooBusy if the body stalls or takes too long, with 400 if it breaks off.
 */
export function withTimeouts(
  body: ReadableStream,
  arrived: (bytes: number) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader({ mode: 'byob' })
  const endsAt = Date.now() + longestBodyMs
  let block = new Uint8Array(blockBytes)
  let size = 0
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    try {
      const { value } = await inTime(reader.readAtLeast(leastBytes, block), endsAt)
      if (!value?.byteLength) return controller.close()
      size += value.byteLength
      arrived(size)
      controller.enqueue(value.slice())
      // A read detaches the buffer that it is given, and returns it with what it has read.
      block = new Uint8Array(value.buffer)
    } catch (error) {
      controller.error(error instanceof TooBusy ? error : brokenOff())
      // Do not wait for the rest.
      reader.cancel().catch(() => undefined)
    }
  }
  return new ReadableStream({ pull, cancel: (reason) => reader.cancel(reason) }, { highWaterMark: 0 })
}

/** Waits for the next part of a body. Throws TooBusy if it does not arrive in time. */
async function inTime<T>(read: Promise<T>, endsAt: number): Promise<T> {
  // One timer at a time: the runtime allows a request at most ten thousand.
  const stalled = Promise.withResolvers<never>()
  const leftMs = Math.max(0, Math.min(longestPauseMs, endsAt - Date.now()))
  const timer = setTimeout(() => stalled.reject(new TooBusy()), leftMs)
  try {
    return await Promise.race([read, stalled.promise])
  } finally {
    clearTimeout(timer)
  }
}

function brokenOff(): HTTPException {
  return new HTTPException(400, { message: 'The request body broke off.' })
}
