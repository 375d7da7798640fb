import { linesOf } from '../shared/lines.ts'
import { refuseFile } from '../shared/unreadable.ts'

/** A field of a SWIFT message: its tag without the colons, and its lines. */
export type Mt940Field = { tag: string; line: number; lines: string[] }

const maxFields = 100_000
/** How many lines of a field are kept. By the standard, a `:86:` has six, but some banks write more. */
const maxLines = 100

/**
 * Splits SWIFT text into its fields (ISO 15022: a tag between colons begins a line). Skips the blocks around a message
 * ({1:…}{2:…}{4: … -}) and whatever banks write before and between messages.
 */
export function* splitFields(text: string): Generator<Mt940Field> {
  let fields = 0
  let open: Mt940Field | null = null
  let inMessage = false
  // Older German files have @@ for line ends.
  for (const { line, content: raw } of linesOf(text.includes('@@:') ? text.replaceAll('@@', '\n') : text)) {
    const content = raw.replace(/^\{1:.*\{4:/, '').trimEnd()
    const match = /^\s*:(\d{2}[A-Z]?|NS):(.*)$/.exec(content)
    if (match) {
      if (fields === maxFields) refuseFile('The file has too many fields.')
      fields += 1
      if (open) yield open
      open = { tag: match[1] ?? '', line, lines: [match[2] ?? ''] }
      inMessage = true
    } else if (/^-+$|^-}|^\{/.test(content)) inMessage = false
    else if (inMessage && content !== '' && open && open.lines.length < maxLines) open.lines.push(content)
  }
  if (open) yield open
}
