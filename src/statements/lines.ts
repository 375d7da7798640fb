import { refuseFile } from './problems.ts'

const maxLineLength = 10_000

/** The lines of a text one by one, numbered from 1; one that no statement has is refused. */
export function* linesOf(text: string): Generator<{ line: number; content: string }> {
  let line = 0
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at)
    const stop = end < 0 ? text.length : end
    line += 1
    if (stop - at > maxLineLength)
      refuseFile(`Line ${line} of the file is longer than ${maxLineLength} characters.`)
    yield { line, content: text.slice(at, stop) }
    at = stop + 1
  }
}
