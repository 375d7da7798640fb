import { Invalid } from '../../../shared/failures.ts'
import type { Aspects, Settled } from '../aspects/aspect.ts'
import { refuseFile } from '../problems.ts'
import { legacyEncodings, likelyCharset } from './charsets.ts'

/** A text, and how its encoding was settled: not at all if every byte is ASCII. */
export type DecodedText = { text: string; settled: Settled }

/**
 * Decodes a file. The encoding is decided, in this order, by a byte order mark; by NULs between ASCII characters
 * (UTF-16); by the request; by whether the file is valid UTF-8, which is never a coincidence; by its own declaration; by
 * the letters that would result, which is said, since another encoding may be told. Throws Invalid.
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
  const label = aspects.told.encoding ?? aspects.kept?.values.encoding
  if (label === undefined) return null
  const encoding = encodingOf(label)
  if (!encoding)
    throw new Invalid({
      encoding: [`The selected encoding is invalid; use one such as utf-8 or ${legacyEncodings.join(', ')}.`],
    })
  const isTold = aspects.told.encoding !== undefined
  aspects.prove('encoding', encoding, isTold ? 'as the request says' : (aspects.kept?.source ?? ''))
  return decode(encoding, bytes)
}

function decodeMarked(bytes: Uint8Array): string | null {
  const [a, b, c, d] = bytes
  if (a === 0xef && b === 0xbb && c === 0xbf)
    return decodeUtf8(bytes) ?? refuseDamaged(decode('utf-8', bytes))
  if ((a === 0xff && b === 0xfe && c === 0 && d === 0) || (a === 0 && b === 0 && c === 0xfe && d === 0xff))
    refuseFile('The file is in UTF-32, which cannot be read; save it as UTF-8.')
  if (a === 0xff && b === 0xfe) return decodeWhole('utf-16le', bytes)
  if (a === 0xfe && b === 0xff) return decodeWhole('utf-16be', bytes)
  return null
}

/** In UTF-16, nearly every other byte of a text that is mostly ASCII is a NUL. */
function decodeUtf16(bytes: Uint8Array): string | null {
  const length = Math.min(bytes.length - (bytes.length % 2), 4096)
  if (length < 4) return null
  let even = 0
  let odd = 0
  for (let i = 0; i < length; i += 2) {
    if (bytes[i] === 0) even += 1
    if (bytes[i + 1] === 0) odd += 1
  }
  const most = length * 0.35
  if (odd > most && even < length * 0.02) return decodeWhole('utf-16le', bytes)
  if (even > most && odd < length * 0.02) return decodeWhole('utf-16be', bytes)
  return null
}

/** Null for a legacy encoding. Refuses a file that is UTF-8 except for a few bytes: it was cut off or damaged. */
function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    const text = decode('utf-8', bytes)
    const broken = count(text, /\ufffd/gu)
    const good = count(text, /[^\0-\x7f\ufffd]/gu)
    if (broken === 1 && endsInCharacter(bytes, good > 0))
      refuseFile(
        `The file ends inside a character on line ${lineOf(text, '\ufffd')}; it seems to be cut off.`,
      )
    // In a legacy encoding, each of these characters would be two letters that hardly ever stand side by side.
    if (good > 0 && good >= broken) refuseDamaged(text)
    return null
  }
}

/**
 * True if the last bytes begin a UTF-8 character without completing it. A single byte may also be the last letter in a
 * legacy encoding, as in `café`, unless common letters begin with it or the file has UTF-8 elsewhere.
 */
function endsInCharacter(bytes: Uint8Array, isUtf8: boolean): boolean {
  const lead = bytes.findLastIndex((byte) => byte < 0x80 || byte >= 0xc0)
  const first = bytes[lead] ?? 0
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
  const there = bytes.length - lead
  if (first < 0xc2 || first > 0xf4 || there >= length) return false
  return isUtf8 || there > 1 || first === 0xc2 || first === 0xc3
}

function refuseDamaged(text: string): never {
  refuseFile(
    `The file is not valid UTF-8 (see line ${lineOf(text, '\ufffd')}); it may be cut off or damaged.`,
  )
}

/** Refuses UTF-16 with half a character in it: the file was cut off or damaged. */
function decodeWhole(label: 'utf-16le' | 'utf-16be', bytes: Uint8Array): string {
  try {
    return new TextDecoder(label, { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    refuseFile('The file is not valid UTF-16; it may be cut off or damaged.')
  }
}

function decodeLegacy(bytes: Uint8Array, aspects: Aspects): string {
  const declared = declaredCharset(decode('windows-1252', bytes.subarray(0, 2048)))
  const encoding = declared ?? likelyCharset(bytes)
  const proof = declared ? 'the file says so' : 'the most likely of the usual ones; `encoding` tells another'
  return decode(aspects.prove('encoding', encoding, proof), bytes)
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
