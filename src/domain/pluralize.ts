/** A count with its noun: `1 transaction`, `2 transactions`. */
export function pluralize(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
