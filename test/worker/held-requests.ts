import { onTestFinished, vi } from 'vitest'

/** Holds back the database's responses to the next requests, until `release` is called or the test is over. */
export function holdDatabase(requests: number) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { fetch } = globalThis
  let held = 0
  const spy = vi.spyOn(globalThis, 'fetch').mockImplementation(async (...request) => {
    const isHeld = held < requests
    held += 1
    const response = await fetch(...request)
    if (isHeld) await promise
    return response
  })
  onTestFinished(() => {
    resolve()
    spy.mockRestore()
  })
  return { release: resolve, areHeld: () => vi.waitUntil(() => held >= requests, { timeout: 30_000 }) }
}
