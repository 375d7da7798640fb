/**
 * The server refuses a parameter of more than 5,000,000 bytes. A UTF-16 code unit is at most three bytes in UTF-8, so
 * a million of them fit whatever they are, and no text has to be encoded to be measured.
 */
const unitsPerPart = 1_000_000

/** A list as JSON in parts that each fit into one parameter, with the place in the list at which each begins. */
export function jsonParts(values: readonly unknown[]): { from: number; json: string }[] {
  const parts: { from: number; texts: string[] }[] = []
  let units = 0
  for (const [place, value] of values.entries()) {
    const text = JSON.stringify(value)
    units += text.length + 1
    if (place === 0 || units > unitsPerPart) {
      parts.push({ from: place, texts: [] })
      units = text.length + 1
    }
    parts.at(-1)?.texts.push(text)
  }
  return parts.map(({ from, texts }) => ({ from, json: `[${texts.join(',')}]` }))
}
