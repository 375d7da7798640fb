import { Inflate } from 'fflate'
import { refuseFile } from '../../shared/unreadable.ts'
import { tooLarge } from './sheet.ts'

/** Where a member of an archive is, and how it is stored. */
type Member = { method: number; flags: number; size: number; at: number }

const endOfDirectory = 0x06054b50
const directoryEntry = 0x02014b50
/** The end of the directory is followed by a comment of at most 65,535 bytes. */
const maxTail = 22 + 65_535
const maxMembers = 1_000
const stored = 0
const deflated = 8
/** How many bytes are inflated at once: to a thousand times as many at most, so that an archive that swells is soon refused. */
const pieceBytes = 4_096

/**
 * Opens a ZIP archive (APPNOTE.TXT 4.3). Returns a function that reads the text of a member, in UTF-8, or an empty one for a
 * name that no member has; null if the bytes are no archive. All members together may inflate to `maxInflated` bytes.
 */
export function openZip(bytes: Uint8Array, maxInflated: number): ((name: string) => string) | null {
  const members = readDirectory(bytes)
  if (!members) return null
  let left = maxInflated
  return (name) => {
    const member = members.get(name)
    if (!member) return ''
    const content = unpack(contentOf(bytes, member), member, left)
    left -= content.byteLength
    return new TextDecoder().decode(content)
  }
}

function contentOf(bytes: Uint8Array, { at, size }: Member): Uint8Array {
  const view = viewOf(bytes)
  // The local header repeats the name, and has an extra field of its own length.
  if (at + 30 > view.byteLength) refuseDamaged()
  const start = at + 30 + view.getUint16(at + 26, true) + view.getUint16(at + 28, true)
  return bytes.subarray(start, start + size)
}

function unpack(content: Uint8Array, { method, flags, size }: Member, left: number): Uint8Array {
  if ((flags & 1) === 1) refuseFile('The workbook is encrypted; save it without a password.')
  if (content.byteLength < size || (method !== stored && method !== deflated)) refuseDamaged()
  if (method === deflated) return inflate(content, left)
  return size <= left ? content : refuseFile(tooLarge)
}

function inflate(content: Uint8Array, left: number): Uint8Array {
  const chunks: Uint8Array[] = []
  let size = 0
  const stream = new Inflate((chunk) => {
    size += chunk.byteLength
    chunks.push(chunk)
  })
  for (let at = 0; at < content.byteLength; at += pieceBytes) {
    const end = at + pieceBytes
    try {
      stream.push(content.subarray(at, end), end >= content.byteLength)
    } catch {
      refuseDamaged()
    }
    if (size > left) refuseFile(tooLarge)
  }
  const inflated = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    inflated.set(chunk, at)
    at += chunk.byteLength
  }
  return inflated
}

/** The members by their names; the first of a name counts. */
function readDirectory(bytes: Uint8Array): Map<string, Member> | null {
  const view = viewOf(bytes)
  let end = bytes.byteLength - 22
  const first = Math.max(0, bytes.byteLength - maxTail)
  while (end >= first && view.getUint32(end, true) !== endOfDirectory) end -= 1
  if (end < first) return null
  const members = new Map<string, Member>()
  let at = view.getUint32(end + 16, true)
  for (let i = view.getUint16(end + 10, true); i > 0 && members.size < maxMembers; i -= 1) {
    if (at + 46 > end || view.getUint32(at, true) !== directoryEntry) return null
    const nameLength = view.getUint16(at + 28, true)
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength))
    if (!members.has(name))
      members.set(name, {
        flags: view.getUint16(at + 8, true),
        method: view.getUint16(at + 10, true),
        size: view.getUint32(at + 20, true),
        at: view.getUint32(at + 42, true),
      })
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  return members
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function refuseDamaged(): never {
  refuseFile('The workbook is damaged; it may be cut off.')
}
