import { onTestFinished, vi } from 'vitest'

/**
 * Stops the isolate's clock and its timers until the test is over, so that a stream stays kept however slow the machine is.
 * Returns the clock; vi.waitUntil lets the timers go on.
 */
export function holdTime() {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  const now = performance.now()
  const clock = vi.spyOn(performance, 'now').mockReturnValue(now)
  onTestFinished(async () => {
    await vi.runAllTimersAsync()
    clock.mockRestore()
    vi.useRealTimers()
  })
  return clock
}
