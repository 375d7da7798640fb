/** In characters (RFC 5321 §4.5.3.1.3, without the angle brackets). */
export const longestAddress = 254

const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
/**
 * The addresses that both HTML's email inputs and RFC 5322 allow, with the limits of RFC 5321 (§4.5.3.1.1) and RFC 1035
 * (§2.3.4). A domain has at least two labels and does not end in a number (RFC 3696 §2).
 */
const wellFormed = new RegExp(`^(?=.{1,64}@)${atom}(?:\\.${atom})*@(?:${label}\\.)+(?!\\d+$)${label}$`)

/**
 * Returns an address in lower case, as it is stored and compared; null if it is invalid. Validates before it lowercases,
 * which turns U+212A KELVIN SIGN into an ASCII k, the letter of another address.
 */
export function normalizeAddress(text: string): string | null {
  return text.length <= longestAddress && wellFormed.test(text) ? text.toLowerCase() : null
}
