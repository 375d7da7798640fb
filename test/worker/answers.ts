/** JSON as a client sees it; each test names the fields it looks at. */
// biome-ignore lint/suspicious/noExplicitAny: the shape of an answer is what a test is about to find out
export type Json = any

export type Answer = { status: number; headers: Headers; text: string; body: Json }

export type CallOptions = {
  token?: string
  body?: unknown
  rawBody?: Uint8Array | string | ReadableStream
  headers?: Record<string, string>
}
