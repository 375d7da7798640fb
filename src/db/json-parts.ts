/**
 * The server refuses parameters of more than 5,000,000 bytes. A UTF-16 code unit takes at most three bytes in UTF-8, so
 * a million of them always fit, and no text has to be encoded to be measured.
 */
const unitsPerPart = 1_000_000

/** A list as JSON, in parts that each fit into one parameter. `from` is the index of a part's first value. */
export function jsonParts(values: readonly unknown[]): { from: number; json: string }[] {
  const parts: { from: number; texts: string[] }[] = []
  let units = 0
  for (const [index, value] of values.entries()) {
    const text = JSON.stringify(value)
    units += text.length + 1
    if (index === 0 || units > unitsPerPart) {
      parts.push({ from: index, texts: [] })
      units = text.length + 1
    }
    parts.at(-1)?.texts.push(text)
  }
  return parts.map(({ from, texts }) => ({ from, json: `[${texts.join(',')}]` }))
}
