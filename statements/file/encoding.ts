import type { Aspects, Settled } from '../shared/aspect.ts'
import { refuseFile } from '../shared/unreadable.ts'
import { legacyEncodings, likelyCharset } from './charsets.ts'

/** A text, and how its encoding was settled: not at all if every byte is ASCII. */
type DecodedText = { text: string; settled: Settled }

/**
 * Decodes a file. The encoding is decided, in this order, by a byte order mark; by NULs between ASCII characters (UTF-16);
 * by the request; by being valid UTF-8, unless that is a coincidence; by the file's own declaration; by the letters that
 * would result. Throws Unreadable.
 */
export function decodeText(bytes: Uint8Array, aspects: Aspects): DecodedText {
  const padded =
    decodeMarked(bytes) ??
    decodeUtf16(bytes) ??
    decodeTold(bytes, aspects) ??
    decodeUtf8(bytes) ??
    decodeLegacy(bytes, aspects)
  // Some programs pad the last block of a file with NULs, or end it with Ctrl-Z as DOS did.
  let end = padded.length
  while (padded[end - 1] === '\0' || padded[end - 1] === '\x1a') end -= 1
  const text = padded.slice(0, end)
  if (text.includes('\0'))
    refuseFile(`The file has a NUL character on line ${lineOf(text, '\0')}, so it is not text.`)
  return { text, settled: aspects.settled }
}

function decodeTold(bytes: Uint8Array, aspects: Aspects): string | null {
  const answer = aspects.answer('encoding')
  if (!answer) return null
  const encoding = encodingOf(answer.value)
  if (!encoding)
    refuseFile(
      `The selected encoding is invalid; use one such as utf-8 or ${legacyEncodings.join(', ')}.`,
      'encoding',
    )
  return decode(aspects.record('encoding', encoding, answer.proof), bytes)
}

function decodeMarked(bytes: Uint8Array): string | null {
  const [a, b, c, d] = bytes
  if (a === 0xef && b === 0xbb && c === 0xbf) return decodeWhole('utf-8', bytes)
  if ((a === 0xff && b === 0xfe && c === 0 && d === 0) || (a === 0 && b === 0 && c === 0xfe && d === 0xff))
    refuseFile('The file is in UTF-32, which cannot be read; save it as UTF-8.')
  if (a === 0xff && b === 0xfe) return decodeWhole('utf-16le', bytes)
  if (a === 0xfe && b === 0xff) return decodeWhole('utf-16be', bytes)
  return null
}

/** In UTF-16, nearly every other byte of a text that is mostly ASCII is a NUL. */
function decodeUtf16(bytes: Uint8Array): string | null {
  const start = bytes.subarray(0, 4096)
  const nulsAt = (rest: number) => start.filter((byte, i) => byte === 0 && i % 2 === rest).length
  const [even, odd] = [nulsAt(0), nulsAt(1)]
  const [most, few] = [start.length * 0.35, start.length * 0.02]
  if (odd > most && even < few) return decodeWhole('utf-16le', bytes)
  return even > most && odd < few ? decodeWhole('utf-16be', bytes) : null
}

/** Null for a legacy encoding. Refuses a file that is UTF-8 except for a few bytes: it was cut off or damaged. */
function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
    return isCoincidence(text) ? null : text
  } catch {
    const text = decode('utf-8', bytes)
    const good = count(text, /[^\0-\x7f\ufffd]/gu)
    // In a legacy encoding, each of these characters would be two letters that hardly ever stand side by side.
    return good > 0 && good >= count(text, /\ufffd/gu) ? refuseDamaged('utf-8', bytes) : null
  }
}

/** True if letters of another script stand in Latin words only: in windows-1250, `ÓŁ` is the Cyrillic `ӣ` of UTF-8. */
function isCoincidence(text: string): boolean {
  let found = false
  for (const [run] of text.matchAll(/[A-Za-z]?[^\0-\x7f]+[A-Za-z]?/g)) {
    if (!/^[A-Za-z][\u0370-\u07ff][A-Za-z]?$/.test(run)) return false
    found = true
  }
  return found
}

/** Refuses a text that has half a character in it. */
function decodeWhole(label: 'utf-8' | 'utf-16le' | 'utf-16be', bytes: Uint8Array): string {
  try {
    return new TextDecoder(label, { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    return refuseDamaged(label, bytes)
  }
}

function refuseDamaged(label: string, bytes: Uint8Array): never {
  const line = lineOf(decode(label, bytes), '\ufffd')
  refuseFile(`The file is not valid ${label.toUpperCase()} (see line ${line}); it may be cut off or damaged.`)
}

function decodeLegacy(bytes: Uint8Array, aspects: Aspects): string {
  const declared = declaredCharset(decode('windows-1252', bytes.subarray(0, 2048)))
  const encoding = declared ?? likelyCharset(bytes)
  const proof = declared ? 'the file says so' : 'the most likely of the usual ones; `encoding` tells another'
  return decode(aspects.record('encoding', encoding, proof), bytes)
}

/** The legacy encoding that the header of an XML or OFX file declares, if TextDecoder knows it. */
function declaredCharset(head: string): string | null {
  const xml = /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})["']/i.exec(head)?.[1]
  const ofx = /\bCHARSET\s*[:=]\s*"?([\w-]{1,40})/i.exec(head)?.[1]
  const label = (xml ?? ofx)?.toLowerCase()
  if (label === undefined || /^(?:utf-?8|unicode|none|us-?ascii|ascii)$/.test(label)) return null
  const encoding = [label, `windows-${label}`, `iso-${label}`].map(encodingOf).find((found) => found !== null)
  return encoding?.startsWith('utf') ? null : (encoding ?? null)
}

/** The name of an encoding by one of its labels; null if TextDecoder does not know it. */
function encodingOf(label: string): string | null {
  try {
    return new TextDecoder(label).encoding
  } catch {
    return null
  }
}

function decode(label: string, bytes: Uint8Array): string {
  return new TextDecoder(label).decode(bytes)
}

/** The line of the first occurrence of a character. */
function lineOf(text: string, character: string): number {
  return count(text.slice(0, text.indexOf(character)), /\n/g) + 1
}

function count(text: string, pattern: RegExp): number {
  let found = 0
  for (const _ of text.matchAll(pattern)) found += 1
  return found
}
