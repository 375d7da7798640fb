const escapes = /(?:%[0-9a-f]{2})+/gi
const noEscape = /%(?![0-9a-f]{2})/gi

const tail = '%[89ab][0-9a-f]'
/** The escapes of one character in UTF-8 (RFC 3629). An expression is faster than decoding into a buffer (2 µs). */
const character = [
  '%[0-7][0-9a-f]',
  `%(?:c[2-9a-f]|d[0-9a-f])${tail}`,
  `%(?:e0%[ab][0-9a-f]|ed%[89][0-9a-f]|e[1-9abcef]${tail})${tail}`,
  `%(?:f0%[9ab][0-9a-f]|f4%8[0-9a-f]|f[1-3]${tail})${tail}${tail}`,
].join('|')
const valid = new RegExp(`^(?:${character})+$`, 'i')

/**
 * Returns the request with `%25` in its URL for each `%` that begins no escape, or is part of escapes that are not UTF-8.
 * Hono decodes such a `%` in the same way, but with an exception, which takes 20 µs each.
 */
export function withValidEscapes(request: Request): Request {
  const url = request.url
    .replace(escapes, (run) => (valid.test(run) ? run : run.replaceAll('%', '%25')))
    .replace(noEscape, '%25')
  return url === request.url ? request : new Request(url, request)
}
