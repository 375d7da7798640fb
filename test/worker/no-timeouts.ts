import { vi } from 'vitest'

/**
 * Lets requests wait as long as it takes, until mocks are restored. A busy machine then fails none of them; and all
 * requests of a test share one context of workerd, which takes ten thousand timers, each of which lives for seconds.
 */
export function withoutTimeouts(): void {
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal)
}
