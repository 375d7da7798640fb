import { isUtf8 } from 'node:buffer'

const escapes = /%(?:[0-9a-f]{2}(?:%[0-9a-f]{2})*)?/gi

/**
 * Returns the request with `%25` in its URL for every `%` that does not begin an escaped UTF-8 character. Hono reads
 * either as a plain `%`, but the latter by way of an exception, which takes 20 µs: a URL of 16 KB would cost ten times as
 * much as any other.
 */
export function withSoundEscapes(request: Request): Request {
  const url = request.url.replace(escapes, (run) => (isSound(run) ? run : run.replaceAll('%', '%25')))
  return url === request.url ? request : new Request(url, request)
}

function isSound(run: string): boolean {
  return run !== '%' && isUtf8(Buffer.from(run.replaceAll('%', ''), 'hex'))
}
