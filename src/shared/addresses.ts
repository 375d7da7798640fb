/** In characters (RFC 5321 §4.5.3.1.3, without the angle brackets). */
export const longestAddress = 254

const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
/**
 * What both HTML's email inputs and RFC 5322 allow, with the limits of RFC 5321 (§4.5.3.1.1) and RFC 1035 (§2.3.4).
 * No mail reaches a domain of one label, or one that ends in a number (RFC 3696 §2).
 */
const wellFormed = new RegExp(`^(?=.{1,64}@)${atom}(?:\\.${atom})*@(?:${label}\\.)+(?!\\d+$)${label}$`)

/**
 * Returns an address in lower case, as it is stored and compared, or null if the text is not an address. Its form is
 * checked first, since lower case turns U+212A KELVIN SIGN into an ASCII k, which may be in somebody else's address.
 */
export function normalizeAddress(text: string): string | null {
  return text.length <= longestAddress && wellFormed.test(text) ? text.toLowerCase() : null
}
