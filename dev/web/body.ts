import type { IncomingMessage } from 'node:http'

const largestBodyBytes = 4 * 1024 * 1024

/** Reads a request's body as text. Throws if it is larger than 4 MiB. */
export async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > largestBodyBytes) throw new Error(`The body is larger than ${largestBodyBytes} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Reads a request's body as JSON; undefined if it is not JSON. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  try {
    return JSON.parse(await readText(request))
  } catch {
    return undefined
  }
}
