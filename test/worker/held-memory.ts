import { onTestFinished } from 'vitest'
import { createHousehold } from './laws/every-route.ts'
import { createWorld } from './world.ts'

const partBytes = 16 * 1024

/** A body that has arrived except for its end. It ends with `end`, or breaks off with `breakOff`. */
export function unfinished(text: string) {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  // If the body is refused, nothing reads on.
  const ignore = () => undefined
  const bytes = new TextEncoder().encode(text)
  const parts = Array.from({ length: Math.ceil(bytes.length / partBytes) }, (_, nth) =>
    writer.write(bytes.subarray(nth * partBytes, (nth + 1) * partBytes)).catch(ignore),
  )
  return {
    body: readable,
    /** Resolves once all but the last parts have been read. */
    arrived: Promise.all(parts),
    end: () => writer.close().catch(ignore),
    breakOff: () => writer.abort().catch(ignore),
  }
}

/** What is counted for each byte of a body that is arriving. */
const perByte = 2

/** Fills that much (a multiple of 32 KiB) of the memory for bodies, with uploads of files that have not ended, until the test is over. */
export async function holdMemory(bytes: number) {
  const world = createWorld()
  const { person } = await createHousehold(world)
  const largest = 4 * 1024 * 1024
  const all = bytes / perByte
  const sizes = Array.from({ length: Math.ceil(all / largest) }, (_, nth) =>
    Math.min(largest, all - nth * largest),
  )
  const uploads = sizes.map((size) => unfinished(' '.repeat(size)))
  const responses = uploads.map(({ body }) =>
    world.call('POST', '/api/import/store', {
      token: person.token,
      rawBody: body,
      headers: { 'Content-Type': 'text/csv' },
    }),
  )
  await Promise.all(uploads.map(({ arrived }) => arrived))
  await scheduler.wait(300)
  let isReleased = false
  const release = async () => {
    if (isReleased) return
    isReleased = true
    for (const { breakOff } of uploads) breakOff()
    await Promise.all(responses)
  }
  onTestFinished(release)
  return { release }
}
