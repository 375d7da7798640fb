import type { IncomingMessage } from 'node:http'

/** The body is larger than this server accepts. */
export class BodyTooLarge extends Error {}

/** Reads a request's body as text, up to a number of bytes. */
export async function readText(request: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new BodyTooLarge(`The body is larger than ${maxBytes} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Reads a small JSON object, or undefined if the body is something else. */
export async function readJsonObject(request: IncomingMessage): Promise<Record<string, unknown> | undefined> {
  return asObject(parseJson(await readText(request, 100_000)))
}

/** Parses JSON; undefined for anything that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The value as a plain object, or undefined if it is something else. */
export function asObject(value: unknown): Record<string, unknown> | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Record<string, unknown>) : undefined
}
