import { refuseFile } from './unreadable.ts'

/** Yields the lines of a text, numbered from 1, and refuses the file at the first line longer than `maxLength`. */
export function* linesOf(text: string, maxLength = 10_000): Generator<{ line: number; content: string }> {
  let line = 0
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at)
    const stop = end < 0 ? text.length : end
    line += 1
    if (stop - at > maxLength) refuseFile(`Line ${line} of the file is longer than ${maxLength} characters.`)
    yield { line, content: text.slice(at, stop) }
    at = stop + 1
  }
}
