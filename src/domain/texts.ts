/** Format characters that are invisible at the ends of a text. Others are parts of emoji and flags. */
const format = '\\u00ad\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060\\u2066-\\u2069\\ufeff'
const edge = new RegExp(`[\\s${format}]`)
const formats = new RegExp(`[${format}]`, 'g')
const visible = /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/u
/** More marks on one letter than any language has (Unicode Standard Annex #15, stream-safe texts). */
const longRunOfMarks = /\p{M}{31}/u

/** Trims whitespace and format characters. A regular expression would take quadratic time on inner blanks. */
export function trimText(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && edge.test(text.charAt(start))) start += 1
  while (end > start && edge.test(text.charAt(end - 1))) end -= 1
  return text.slice(start, end)
}

/** Removes all format characters that `trimText` removes at the ends. */
export function withoutFormats(text: string): string {
  return text.replace(formats, '')
}

/** True if a text has no visible character. A text with a NUL is not blank, so that it is rejected. */
export function isBlank(text: string): boolean {
  return !visible.test(text) && !text.includes('\0')
}

/** A text in NFC, as it is stored and compared. A long run of combining marks, which takes quadratic time, is unchanged. */
export function toNfc(text: string): string {
  return longRunOfMarks.test(text) ? text : text.normalize('NFC')
}

/** True if a text has more than `max` code points, of one or two UTF-16 units each. */
export function isLongerThan(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || [...text].length > max)
}

/** SQLite's functions end a text at a NUL, and the driver cannot send an unpaired surrogate. */
export const isStorable = (text: string) => !text.includes('\0') && !/[\ud800-\udfff]/u.test(text)
