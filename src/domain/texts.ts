/** Format characters that are invisible at the ends of a text. Others are parts of emoji and flags. */
const format = '\\u00ad\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060\\u2066-\\u2069\\ufeff'
const edge = new RegExp(`[\\s${format}]`)
const formats = new RegExp(`[${format}]`, 'g')
const visible = /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/u
/**
 * Characters that show nothing and mean nothing, wherever they stand, such as tags, which carry text that only machines read.
 * Others have a meaning within a text: joiners, variation selectors, marks of direction, and the tags of a flag.
 */
const invisible =
  /(\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{1,6}\u{e007f})|[\u00ad\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff0-\ufff8\u{e0000}-\u{e00ff}\u{e01f0}-\u{e0fff}]/gu
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

/**
 * A text as it is stored and compared: without characters that show and mean nothing, in NFC. A long run of combining marks,
 * which takes quadratic time, is not composed.
 */
export function normaliseText(text: string): string {
  const seen = text.replace(invisible, '$1')
  const plain = seen === text ? text : trimText(seen)
  return longRunOfMarks.test(plain) ? plain : plain.normalize('NFC')
}

/** True if a text has more than `max` code points, of one or two UTF-16 units each. */
export function isLongerThan(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || [...text].length > max)
}

/** SQLite's functions end a text at a NUL, and the driver cannot send an unpaired surrogate. */
export const isStorable = (text: string) => !text.includes('\0') && !/[\ud800-\udfff]/u.test(text)
