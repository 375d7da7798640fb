/** JSON as a client sees it; each test names the fields it looks at. */
// biome-ignore lint/suspicious/noExplicitAny: the shape of a response is what a test is about to find out
export type Json = any

export type ApiResponse = { status: number; headers: Headers; text: string; body: Json }

export type CallOptions = {
  token?: string
  body?: unknown
  rawBody?: Uint8Array | string | ReadableStream
  headers?: Record<string, string>
}

/** An upload that goes to the queue, however small it is (RFC 7240, respond-async). */
export function toQueue(token: string, transactions: unknown): CallOptions {
  return { token, body: { transactions }, headers: { Prefer: 'respond-async' } }
}
