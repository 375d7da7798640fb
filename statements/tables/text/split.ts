/** Rows of cells. `isBroken` if a quote is never closed, or is closed before other text. */
type SplitText = { rows: string[][]; isBroken: boolean }

type Cell = { text: string; end: number; isBroken?: true }

/**
 * Splits CSV text (RFC 4180, with line feeds) into at most `maxRows` rows. Broken quotes are read as Papa Parse reads
 * them (test/statements/csv/split.test.ts).
 */
export function splitText(text: string, delimiter: string, maxRows: number): SplitText {
  const cellAt = cellReader(text, delimiter)
  const rows: string[][] = []
  let cells: string[] = []
  let isBroken = false
  for (let at = 0; at <= text.length && text !== '' && rows.length < maxRows; ) {
    const cell = cellAt(at)
    cells.push(cell.text)
    isBroken ||= cell.isBroken === true
    const isLast = !text.startsWith(delimiter, cell.end)
    if (isLast) {
      rows.push(cells)
      cells = []
    }
    at = cell.end + (isLast ? 1 : delimiter.length)
  }
  return { rows, isBroken }
}

/** Reads the cell that begins at an index. Its `end` is the next delimiter or line feed, or the end of the text. */
function cellReader(text: string, delimiter: string): (at: number) => Cell {
  const nextDelimiter = forwardSearch((from) => text.indexOf(delimiter, from), text.length)
  const nextLineFeed = forwardSearch((from) => text.indexOf('\n', from), text.length)
  const nextNonSpace = forwardSearch((from) => indexOfNonSpace(text, from), text.length)
  const endFrom = (at: number) => Math.min(nextDelimiter(at), nextLineFeed(at))

  return (start) => {
    // Excel is told to keep a text as it is by writing it as a formula: `="0123"`.
    const at = text.startsWith('="', start) ? start + 1 : start
    if (text[at] !== '"') {
      const end = endFrom(at)
      return { text: text.slice(at, end), end }
    }
    let isBroken = false
    for (let quote = text.indexOf('"', at + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
      if (text[quote + 1] === '"') {
        quote += 1
        continue
      }
      const end = endFrom(quote + 1)
      const isLast = quote === text.length - 1
      if (isLast || (end < text.length && nextNonSpace(quote + 1) >= end))
        return { text: text.slice(at + 1, quote).replaceAll('""', '"'), end, ...(isBroken && { isBroken }) }
      isBroken = true
    }
    return { text: text.slice(at + 1), end: text.length, isBroken: true }
  }
}

/** The index of the next character that is not white space, or -1. */
function indexOfNonSpace(text: string, from: number): number {
  const nonSpace = /\S/g
  nonSpace.lastIndex = from
  return nonSpace.exec(text)?.index ?? -1
}

/** A search that remembers what it found last, so that going from left to right it looks at each character once. */
function forwardSearch(find: (from: number) => number, end: number): (from: number) => number {
  let found = -1
  return (from) => {
    if (found < from) found = find(from)
    if (found < 0) found = end
    return found
  }
}
