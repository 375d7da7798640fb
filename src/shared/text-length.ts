/** True if a text has more than `max` code points, of one or two UTF-16 units each. */
export function isLongerThan(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || [...text].length > max)
}
