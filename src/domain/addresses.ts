import * as z from 'zod/mini'

/** In characters. */
export const longestAddress = 255

const wellFormed = z.email()

/**
 * Returns an address in lower case, as it is stored and compared, or null if the text is not an address. Its form is
 * checked first, since lower case turns U+212A KELVIN SIGN into an ASCII k, which may be in somebody else's address.
 */
export function normalizeAddress(text: string): string | null {
  return text.length <= longestAddress && wellFormed.safeParse(text).success ? text.toLowerCase() : null
}
