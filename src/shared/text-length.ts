/** True if a text has more than `max` code points. Each takes one or two UTF-16 units, so few texts have to be counted. */
export function isLongerThan(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || [...text].length > max)
}
