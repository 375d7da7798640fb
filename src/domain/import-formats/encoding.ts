import { legacyCharset } from './legacy-charset.ts'
import { refuseFile } from './problems.ts'

/**
 * Reads bytes as text in the encoding they are in: a byte order mark decides, then NULs between ASCII (UTF-16), then
 * validity (nothing else is valid UTF-8 by chance), then what the file says of itself, then the letters it would have.
 */
export function decodeText(bytes: Uint8Array): string {
  const text = decodeMarked(bytes) ?? decodeUtf16(bytes) ?? decodeUtf8(bytes) ?? decodeLegacy(bytes)
  refuseNul(text)
  return text
}

function decodeMarked(bytes: Uint8Array): string | null {
  const [a, b, c, d] = bytes
  if (a === 0xef && b === 0xbb && c === 0xbf) return decodeUtf8(bytes) ?? decode('utf-8', bytes)
  if ((a === 0xff && b === 0xfe && c === 0 && d === 0) || (a === 0 && b === 0 && c === 0xfe && d === 0xff))
    refuseFile('The file is in UTF-32, which cannot be read; save it as UTF-8.')
  if (a === 0xff && b === 0xfe) return decodeWhole('utf-16le', bytes)
  if (a === 0xfe && b === 0xff) return decodeWhole('utf-16be', bytes)
  return null
}

/** Text of mostly ASCII has a NUL in every other byte when it is UTF-16. */
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

/** UTF-8, where one character may be cut off at the end and a bank may have cut a few in the middle. */
function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    const text = decode('utf-8', bytes)
    const broken = count(text, /\ufffd/g)
    const good = count(text, /[^\0-\x7f\ufffd]/g)
    if (good >= 4 * broken) return text
    // Too much of it is UTF-8 for a legacy encoding, in which every character of it would come out as two.
    if (good > 0 && good >= broken) refuseDamaged(text)
    const isCutOff = good === 0 && broken === 1 && [0xc2, 0xc3].includes(bytes.at(-1) ?? 0)
    return isCutOff ? refuseDamaged(text) : null
  }
}

function refuseDamaged(text: string): never {
  const line = count(text.slice(0, text.indexOf('\ufffd')), /\n/g) + 1
  refuseFile(
    `The file is neither valid UTF-8 nor in another encoding: see line ${line}. It may be cut off or damaged.`,
  )
}

/** UTF-16 knows no half characters: one that is left over tells of a file that was cut off or damaged. */
function decodeWhole(label: 'utf-16le' | 'utf-16be', bytes: Uint8Array): string {
  try {
    return new TextDecoder(label, { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    refuseFile('The file is not valid UTF-16; it may be cut off or damaged.')
  }
}

function decodeLegacy(bytes: Uint8Array): string {
  const head = decode('windows-1252', bytes.subarray(0, 2048))
  return decode(declaredCharset(head) ?? legacyCharset(bytes), bytes)
}

/** The encoding that the header of an XML or OFX file names, if TextDecoder knows it. */
function declaredCharset(head: string): string | null {
  const xml = /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})["']/i.exec(head)?.[1]
  const ofx = /\bCHARSET\s*[:=]\s*"?([\w-]{1,40})/i.exec(head)?.[1]
  const label = (xml ?? ofx)?.toLowerCase()
  if (label === undefined || /^(?:utf-?8|unicode|none|us-?ascii|ascii)$/.test(label)) return null
  for (const name of [label, `windows-${label}`, `iso-${label}`]) {
    try {
      const { encoding } = new TextDecoder(name)
      return encoding.startsWith('utf') ? null : encoding
    } catch {
      // Not a label of this runtime; the next spelling may be.
    }
  }
  return null
}

function refuseNul(text: string): void {
  const at = text.indexOf('\0')
  if (at < 0) return
  const line = count(text.slice(0, at), /\n/g) + 1
  refuseFile(`The file contains a NUL character in line ${line} and so is no text.`)
}

function decode(label: string, bytes: Uint8Array): string {
  return new TextDecoder(label).decode(bytes)
}

function count(text: string, pattern: RegExp): number {
  let found = 0
  for (const _ of text.matchAll(pattern)) found += 1
  return found
}
