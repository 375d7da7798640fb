import { refuseFile } from './problems.ts'

/** A field of a SWIFT message: its tag without colons, and its lines. */
export type Mt940Field = { tag: string; line: number; lines: string[] }

const maxLineLength = 10_000

/**
 * Splits SWIFT text into its fields (ISO 15022: a tag between colons begins a line). The blocks around a message
 * ({1:…}{2:…}{4: … -}) and what banks write before and between messages are passed over.
 */
export function splitFields(text: string): Mt940Field[] {
  const fields: Mt940Field[] = []
  let inMessage = false
  // Older German files write @@ for a line end.
  const lines = (text.includes('@@:') ? text.replaceAll('@@', '\n') : text).split('\n')
  lines.forEach((raw, i) => {
    if (raw.length > maxLineLength) refuseFile(`Line ${i + 1} of the file is too long.`)
    const content = raw.replace(/^\{1:.*\{4:/, '').trimEnd()
    const match = /^\s*:(\d{2}[A-Z]?|NS):(.*)$/.exec(content)
    if (match) {
      fields.push({ tag: match[1] ?? '', line: i + 1, lines: [match[2] ?? ''] })
      inMessage = true
    } else if (/^-+$|^-}|^\{/.test(content)) inMessage = false
    else if (inMessage && content !== '') fields.at(-1)?.lines.push(content)
  })
  return fields
}
