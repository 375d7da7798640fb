/** Calls every listener. An error of one is reported as uncaught, and affects neither the others nor the caller. */
export function notify(listeners: Iterable<() => void>): void {
  for (const listener of [...listeners]) {
    try {
      listener()
    } catch (error) {
      report(error)
    }
  }
}

/** Node and React Native have no `reportError`. */
function report(error: unknown): void {
  const { reportError } = globalThis as { reportError?: (error: unknown) => void }
  if (reportError) reportError(error)
  else
    queueMicrotask(() => {
      throw error
    })
}
