import { inflateRawSync } from 'node:zlib'
import { refuseFile } from '../problems.ts'
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

/** A ZIP archive (APPNOTE.TXT 4.3) whose members are read one by one, `maxInflated` bytes at most in all. */
export class ZipArchive {
  readonly #bytes: Uint8Array
  readonly #members: Map<string, Member>
  #left: number

  private constructor(bytes: Uint8Array, members: Map<string, Member>, maxInflated: number) {
    this.#bytes = bytes
    this.#members = members
    this.#left = maxInflated
  }

  /** Null if the bytes are no archive, or its directory cannot be read. */
  static open(bytes: Uint8Array, maxInflated: number): ZipArchive | null {
    const members = readDirectory(bytes)
    return members && new ZipArchive(bytes, members, maxInflated)
  }

  /** The text of a member, in UTF-8; empty if there is none of that name. Throws Invalid. */
  text(name: string): string {
    const member = this.#members.get(name)
    if (!member) return ''
    const view = viewOf(this.#bytes)
    // The local header repeats the name, and has an extra field of its own length.
    if (member.at + 30 > view.byteLength) refuseDamaged()
    const start = member.at + 30 + view.getUint16(member.at + 26, true) + view.getUint16(member.at + 28, true)
    const content = this.#inflate(this.#bytes.subarray(start, start + member.size), member)
    this.#left -= content.byteLength
    return new TextDecoder().decode(content)
  }

  #inflate(content: Uint8Array, { method, flags, size }: Member): Uint8Array {
    if ((flags & 1) === 1) refuseFile('The workbook is encrypted; save it without a password.')
    if (content.byteLength < size || (method !== stored && method !== deflated)) refuseDamaged()
    if (method === stored) return content.byteLength > this.#left ? refuseLarge() : content
    if (this.#left <= 0) refuseLarge()
    try {
      return inflateRawSync(content, { maxOutputLength: this.#left })
    } catch (error) {
      return error instanceof RangeError ? refuseLarge() : refuseDamaged()
    }
  }
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

function refuseLarge(): never {
  refuseFile(tooLarge)
}
