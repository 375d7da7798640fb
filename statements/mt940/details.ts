import { joinDescription } from '../shared/text.ts'

/** Subfields of `:86:` as German, Austrian and Polish banks number them. */
const postingText = /^00$/
const purpose = /^(?:2\d|6[0-3])$/
const name = /^3[23]$/

/** SEPA parts of the purpose (DFÜ agreement, annex 3); SVWZ has what a person wrote. */
const sepaParts = /(EREF|KREF|MREF|CRED|DEBT|COAM|OAMT|SVWZ|ABWA|ABWE|PURP)[+:]\s?/

/** The codes of Dutch banks: /TRTP/…/NAME/…/REMI/… */
const dutchCodes =
  /\/(TRTP|IBAN|BIC|NAME|REMI|EREF|MARF|CSID|ORDP|BENM|ISDT|PREF|TRCD|RTRN|CNTP|ULTC|ULTD|ULTB|PURP|SVCL|INIT|ADDR|BUSP|KREF|CREF|IREF|SUM|DETL|OCMT|CHGS|ID)\//

const fullLine = 65
const fullSubfield = 27

/** The other party and the purpose in a `:86:`, in whichever style it is written. */
export function describeDetails(lines: string[]): string | null {
  if (lines.length === 0) return null
  return (
    describeNumbered(lines.join('')) ??
    describeCoded(lines.join('')) ??
    joinDescription(joinWrapped(lines, fullLine))
  )
}

/** `166?00GUTSCHRIFT?20EREF+1?21SVWZ+Rent?32JANE DOE`; the character before the numbers may also be one of `<>~^|`. */
function describeNumbered(text: string): string | null {
  const separator = /^\s*(?:\d{3}\s*)?([?<>~^|])\d{2}/.exec(text)?.[1]
  if (separator === undefined) return null
  const parts = text.split(new RegExp(`\\${separator}(\\d{2})`))
  const valuesOf = (codes: RegExp) => parts.filter((_, i) => i % 2 === 0 && codes.test(parts[i - 1] ?? ''))
  const said = sepaPurpose(joinWrapped(valuesOf(purpose), fullSubfield))
  return joinDescription(joinWrapped(valuesOf(name), fullSubfield), said || valuesOf(postingText).join(' '))
}

/** The purpose that a person wrote, without the SEPA references around it. */
export function sepaPurpose(text: string): string {
  const parts = text.split(sepaParts)
  const at = parts.indexOf('SVWZ')
  if (at >= 0) return parts[at + 1] ?? ''
  return parts.length > 1 ? (parts[0] ?? '') : text
}

function describeCoded(text: string): string | null {
  if (!/^\s*\/[A-Z]{2,4}\//.test(text)) return null
  const parts = text.split(dutchCodes)
  const values = new Map<string, string>()
  for (let i = 1; i + 1 < parts.length; i += 2) {
    const [code = '', value = ''] = [parts[i], parts[i + 1]]
    if (!values.has(code)) values.set(code, withoutSlashes(value))
  }
  // /CNTP/account/bank/name/city/
  const counterparty = values.get('CNTP')?.split('/')[2]
  const remittance = values.get('REMI')?.replace(/^(?:USTD|STRD)\/+/, '')
  return joinDescription(values.get('NAME') ?? counterparty, remittance) ?? joinDescription(text)
}

/** Trims with a loop, because `/\/+$/` is quadratic in a long run of slashes. */
function withoutSlashes(value: string): string {
  let [start, end] = [0, value.length]
  while (value[start] === '/') start += 1
  while (end > start && value[end - 1] === '/') end -= 1
  return value.slice(start, end)
}

/** Joins lines. A full one was wrapped, perhaps in the middle of a word; any other ends with a word. */
function joinWrapped(lines: string[], width: number): string {
  return lines.reduce((text, line, i) => {
    const wrapped = (lines[i - 1]?.length ?? 0) >= width
    return i === 0 || wrapped ? text + line : `${text} ${line}`
  }, '')
}
