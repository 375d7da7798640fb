/** Splits a list that was refused as a whole into halves, to be sent one after the other. */
export function inHalves<Item>(items: Item[]): Item[][] {
  const half = Math.ceil(items.length / 2)
  return [items.slice(0, half), items.slice(half)]
}
