import { onTestFinished, vi } from 'vitest'

export const noon = Date.parse('2026-11-20T12:00:00.000Z')

/** Sets the Worker's current time until the test is over. Timers are not affected. */
export function setClock(instant: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: instant })
  onTestFinished(() => {
    vi.useRealTimers()
  })
}
