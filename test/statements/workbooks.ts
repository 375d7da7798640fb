import { crc32, deflateRawSync } from 'node:zlib'

const encode = (text: string) => new TextEncoder().encode(text)
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** A cell of a workbook: a text, a number, the serial number of a date, or the error of a formula. */
export type Cell = string | number | { date: number } | { error: string }
/** The sheets of a workbook by their names. */
export type Sheets = Record<string, Cell[][]>

/** Members of a ZIP archive by their names, packed as they come or, by default, deflated. */
export function zip(members: Record<string, string | Uint8Array>, isDeflated = true): Uint8Array {
  const local: Uint8Array[] = []
  const directory: Uint8Array[] = []
  let at = 0
  for (const [name, text] of Object.entries(members)) {
    const content = typeof text === 'string' ? encode(text) : text
    const packed = isDeflated ? new Uint8Array(deflateRawSync(content)) : content
    const common = [20, 0, isDeflated ? 8 : 0, 0, 0]
    const sizes = [crc32(content), packed.length, content.length]
    const header = record('PK\u0003\u0004', common, sizes, [encode(name).length, 0])
    local.push(header, encode(name), packed)
    directory.push(
      record('PK\u0001\u0002', [20, ...common], sizes, [encode(name).length, 0, 0, 0, 0], [0, at]),
      encode(name),
    )
    at += header.length + encode(name).length + packed.length
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0)
  const count = Object.keys(members).length
  return joined([...local, ...directory, record('PK\u0005\u0006', [0, 0, count, count], [size, at], [0])])
}

/** A workbook (ECMA-376) as Excel writes it: shared texts, and dates as numbers with a format. */
export function workbook(sheets: Sheets, isDeflated = true): Uint8Array {
  return zip(workbookParts(sheets), isDeflated)
}

export function workbookParts(sheets: Sheets): Record<string, string> {
  const texts: string[] = []
  const names = Object.keys(sheets)
  const parts = names.map((name, i) => [
    `xl/worksheets/sheet${i + 1}.xml`,
    sheetXml(sheets[name] ?? [], texts),
  ])
  const list = names.map((name, i) => `<sheet name="${name}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`)
  const targets = names.map(
    (_, i) => `<Relationship Id="rId${i + 1}" Target="worksheets/sheet${i + 1}.xml"/>`,
  )
  return {
    '[Content_Types].xml': '<Types/>',
    'xl/workbook.xml': `<workbook xmlns:r="r"><sheets>${list.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${targets.join('')}</Relationships>`,
    ...Object.fromEntries(parts),
    'xl/sharedStrings.xml': `<sst>${texts.map((text) => `<si><t>${escaped(text)}</t></si>`).join('')}</sst>`,
    'xl/styles.xml':
      '<styleSheet><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
  }
}

function sheetXml(rows: Cell[][], texts: string[]): string {
  const xml = rows.map((cells, row) => {
    const each = cells.map((cell, column) => {
      const at = `r="${String.fromCharCode(65 + column)}${row + 1}"`
      if (typeof cell === 'number') return `<c ${at}><v>${cell}</v></c>`
      if (typeof cell === 'object' && 'error' in cell) return `<c ${at} t="e"><v>${cell.error}</v></c>`
      if (typeof cell === 'object') return `<c ${at} s="1"><v>${cell.date}</v></c>`
      return cell === '' ? '' : `<c ${at} t="s"><v>${texts.push(cell) - 1}</v></c>`
    })
    return each.some((cell) => cell !== '') ? `<row r="${row + 1}">${each.join('')}</row>` : ''
  })
  return `<worksheet><sheetData>${xml.join('')}</sheetData></worksheet>`
}

/** A signature, then numbers of two bytes, of four, of two, and of four. */
function record(signature: string, ...groups: number[][]): Uint8Array {
  const widths = [2, 4, 2, 4]
  const length = groups.reduce((sum, group, i) => sum + group.length * (widths[i] ?? 0), 4)
  const view = new DataView(new ArrayBuffer(length))
  for (const [i, letter] of [...signature].entries()) view.setUint8(i, letter.charCodeAt(0))
  let at = 4
  for (const [i, group] of groups.entries())
    for (const value of group) {
      if (widths[i] === 2) view.setUint16(at, value, true)
      else view.setUint32(at, value, true)
      at += widths[i] ?? 0
    }
  return new Uint8Array(view.buffer)
}

function joined(parts: Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
