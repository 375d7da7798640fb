/** True if a text has more than `max` code points. Most texts need not be counted: each takes one or two UTF-16 units. */
export function isLongerThan(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || [...text].length > max)
}
