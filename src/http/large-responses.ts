import { Limiter } from './limiter.ts'

/** A response with more rows than this may be megabytes long, and take a tenth of a second of CPU time. */
const manyRows = 100
const limiter = new Limiter(8)

/** Makes a response of up to `rows` rows. An isolate makes eight large ones at a time; see `Limiter.run`. */
export function limitLargeResponse<T>(rows: number, respond: () => Promise<T>): Promise<T> {
  return rows > manyRows ? limiter.run(respond) : respond()
}
