import * as z from 'zod/mini'

/** Characters of the longest address that is taken. */
export const longestAddress = 255

const wellFormed = z.email()

/**
 * An address in lower case, as it is stored and compared; null for a text that is none. Its form is checked first:
 * lower case turns letters beyond ASCII into ASCII ones, and U+212A KELVIN SIGN must not pass for somebody else's k.
 */
export function normalizeAddress(text: string): string | null {
  return text.length <= longestAddress && wellFormed.safeParse(text).success ? text.toLowerCase() : null
}
