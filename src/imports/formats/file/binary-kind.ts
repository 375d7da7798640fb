/** The first bytes of binary files that people upload by mistake. */
const signatures: [number[], string][] = [
  [[0x50, 0x4b, 0x03, 0x04], 'a ZIP archive'],
  [[0x50, 0x4b, 0x05, 0x06], 'an empty ZIP archive'],
  [[0x25, 0x50, 0x44, 0x46], 'a PDF document'],
  [[0x89, 0x50, 0x4e, 0x47], 'a PNG image'],
  [[0xff, 0xd8, 0xff], 'a JPEG image'],
  [[0xd0, 0xcf, 0x11, 0xe0], 'an old Microsoft Office document (such as .xls)'],
  [[0x1f, 0x8b], 'a gzip archive'],
  [[0x7b, 0x5c, 0x72, 0x74, 0x66], 'an RTF document'],
]

/** Uncompressed text near the beginning of ZIP archives that tells their kinds apart. */
const zipParts: [string, string][] = [
  ['xl/', 'an Excel workbook (.xlsx)'],
  ['word/', 'a Word document (.docx)'],
  ['opendocument.spreadsheet', 'an OpenDocument spreadsheet (.ods)'],
  ['Index/', 'a Numbers spreadsheet'],
]

/** What kind of binary file this is; null if it may be text. */
export function binaryKind(bytes: Uint8Array): string | null {
  const kind = signatures.find(([start]) => start.every((byte, i) => bytes[i] === byte))?.[1] ?? null
  if (kind !== 'a ZIP archive') return kind
  const start = new TextDecoder('windows-1252').decode(bytes.subarray(0, 65_536))
  return zipParts.find(([part]) => start.includes(part))?.[1] ?? kind
}
