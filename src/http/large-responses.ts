import { Limiter } from './limiter.ts'

// Other limits: failures/limits.ts.

/** A response with more rows may have megabytes and take 100 ms of CPU time. */
const largeRows = 100
const limiter = new Limiter(8)

/** Builds a response of up to `rows` rows: at most eight large ones at a time. Throws TooBusy. */
export function limitLargeResponse<T>(rows: number, respond: () => Promise<T>): Promise<T> {
  return rows > largeRows ? limiter.run(respond) : respond()
}
