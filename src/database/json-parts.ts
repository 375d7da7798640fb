/**
 * The most UTF-16 code units in a part. The server accepts parameters of up to 5,000,000 bytes, and a unit takes at most
 * three in UTF-8. The rest is for the errors that a stored batch adds to its items: 340 bytes each for 10,000 items, whose
 * ASCII characters then fill more than half of the part.
 */
const unitsPerPart = 800_000

/** Splits a list into JSON arrays that each fit into one parameter. `from` is the index of a part's first value. */
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
