const firstSeconds = 5
const longestSeconds = 3_600

/** How long a message waits before it is tried again, in seconds: twice as long after each attempt, up to an hour. */
export function retryDelaySeconds(attempts: number): number {
  return Math.min(firstSeconds * 2 ** (attempts - 1), longestSeconds)
}
