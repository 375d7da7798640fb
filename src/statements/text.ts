const maxCodePoints = 255

/** Control and formatting characters that no description needs; a NUL could not be stored at all. */
const unwanted = /[\p{Cc}\p{Cs}\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/gu

/** One line of text as it is stored: no control characters, single spaces, at most 255 code points; empty is null. */
export function cleanText(raw: string): string | null {
  // Cut first: what is left after 4 × 255 code units cannot come into the first 255 characters but past padding.
  const text = raw.slice(0, 16_384).toWellFormed().replace(unwanted, ' ').replace(/\s+/g, ' ').trim()
  if (text === '') return null
  if (text.length <= maxCodePoints) return text
  const points = [...text]
  return points.length <= maxCodePoints ? text : `${points.slice(0, maxCodePoints - 1).join('')}…`
}

/** Joins the parts of a description; what repeats or is contained in an earlier part is left out. */
export function describe(...parts: (string | null | undefined)[]): string | null {
  const kept: string[] = []
  for (const part of parts) {
    const text = cleanText(part ?? '')
    if (text === null || /^not ?provided$/i.test(text)) continue
    const folded = text.toLowerCase()
    if (kept.some((earlier) => earlier.toLowerCase().includes(folded))) continue
    const swallowed = kept.findIndex((earlier) => folded.includes(earlier.toLowerCase()))
    if (swallowed >= 0) kept[swallowed] = text
    else kept.push(text)
  }
  return cleanText(kept.join(' – '))
}

/** What banks write where they have no reference (SWIFT NONREF, SEPA NOTPROVIDED, references given elsewhere). */
const placeholder =
  /^(?:nonref\b.*|notprovided|not provided|nosref|noref|none|n\/?a|null|(?:eref|kref|mref|pref|cref|marf)\+?|[-.0/\s]*|.)$/i

/** The bank's id of an entry, or null where the bank only fills the field. */
export function bankReference(...candidates: (string | null | undefined)[]): string | null {
  for (const candidate of candidates) {
    const text = cleanText(candidate ?? '')
    if (text !== null && !placeholder.test(text)) return text
  }
  return null
}

/** A value as errors show it: short, and in quotes that do not matter. */
export function shown(raw: string): string {
  const text = cleanText(raw) ?? ''
  return text.length <= 40 ? text : `${[...text].slice(0, 39).join('')}…`
}
