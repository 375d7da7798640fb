const firstSeconds = 5
const maxSeconds = 3_600

/** The delay before a message is retried, in seconds: doubles with each attempt, up to an hour. */
export function retryDelaySeconds(attempts: number): number {
  return Math.min(firstSeconds * 2 ** (attempts - 1), maxSeconds)
}
