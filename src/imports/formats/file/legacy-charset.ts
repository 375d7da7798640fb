import { headerNames } from '../csv/header-names.ts'

/** Bytes that are letters in a Central European encoding, but signs such as ¹ ³ ¿ in Windows-1252. */
const lettersOf1250 = new Set([0xb9, 0xb3, 0xbf, 0xa5, 0xa3, 0xaf, 0x8f, 0x8d, 0x9d])
const lettersOf8859_2 = new Set([0xb1, 0xb3, 0xb6, 0xbf, 0xbc, 0xa1, 0xa3, 0xa6, 0xac, 0xaf])

/**
 * Czech and Slovak letters in Windows-1250. A file that has letters from both groups of a pair is in one of these
 * languages: no Western language has the letters together that these bytes are in Windows-1252.
 */
const czech = [
  // ř with ě, č, ů or ň, which in Windows-1252 are ø with ì, è, ù or ò.
  [
    [0xf8, 0xd8],
    [0xec, 0xcc, 0xe8, 0xc8, 0xf9, 0xf2],
  ],
  // š, ž or ý, which are the same bytes in both, with č, ř, ě or ů.
  [
    [0x9a, 0x9e, 0x8a, 0x8e, 0xfd],
    [0xe8, 0xc8, 0xf8, 0xd8, 0xec, 0xf9],
  ],
]
/** č, ň, ě, ř, ů, š, ž and ť. Two of them along with á mean Slovak or Czech: Western text with è and ò has à instead. */
const slavic = [0xe8, 0xc8, 0xf2, 0xec, 0xcc, 0xf8, 0xd8, 0xf9, 0x9a, 0x9e, 0x8a, 0x8e, 0x9d]
/** ő and ű, which are õ and û in Windows-1252; Hungarian text also has ö or ü, and one of á, í, ó and ú. */
const hungarian = [
  [0xf5, 0xd5, 0xfb, 0xdb],
  [0xf6, 0xd6, 0xfc, 0xdc],
  [0xe1, 0xc1, 0xed, 0xcd, 0xf3, 0xd3, 0xfa, 0xda],
]
/** Letters of other languages that have õ or û: ã and ç of Portuguese, ä of Estonian, è, à, ê, â, î and ô of French. */
const notHungarian = [0xe3, 0xc3, 0xe7, 0xc7, 0xe4, 0xc4, 0xe8, 0xe0, 0xea, 0xe2, 0xee, 0xf4]
/** å and æ, which Danish and Norwegian text has along with ø. */
const scandinavian = [0xe5, 0xe6, 0xc5, 0xc6]

const eastAsianEncodings = ['gb18030', 'shift_jis', 'big5', 'euc-kr']
const wordBytes = 65_536

/** Matches East Asian headers, of which each bank file in these encodings has several, and long words in katakana. */
function eastAsianWords(): RegExp {
  const headers = Object.values(headerNames)
    .flat()
    .filter((name) => /\p{Lo}{2}/u.test(name))
  return new RegExp([...headers, '[ァ-ー]{4}'].join('|'), 'g')
}

/**
 * Guesses the encoding of a file that is not Unicode: the East Asian one in which most words are found, if two or more
 * are; Cyrillic if letters above ASCII nearly always stand side by side; Central European if Windows-1252 would put signs
 * inside words, or if the letters are those of Czech, Slovak or Hungarian; otherwise Windows-1252.
 */
export function legacyCharset(bytes: Uint8Array): string {
  const head = bytes.subarray(0, wordBytes)
  const words = eastAsianWords()
  const [most] = eastAsianEncodings
    .map((encoding) => ({
      encoding,
      found: new Set(new TextDecoder(encoding).decode(head).match(words)).size,
    }))
    .sort((a, b) => b.found - a.found)
  if (most && most.found > 1) return most.encoding
  let high = 0
  let besideHigh = 0
  let as1250 = 0
  let as8859_2 = 0
  const seen = new Set<number>()
  const end = Math.min(bytes.length, 262_144)
  for (let i = 0; i < end; i += 1) {
    const byte = bytes[i] ?? 0
    if (byte < 0x80) continue
    high += 1
    seen.add(byte)
    const before = bytes[i - 1] ?? 0
    const after = bytes[i + 1] ?? 0
    if (before >= 0xc0 || after >= 0xc0) besideHigh += 1
    if (!isLetter(before) && !isLetter(after)) continue
    if (lettersOf1250.has(byte)) as1250 += 1
    if (lettersOf8859_2.has(byte)) as8859_2 += 1
  }
  if (high >= 8 && besideHigh > high * 0.8) return 'windows-1251'
  const hasAny = (bytes: number[]) => bytes.some((byte) => seen.has(byte))
  const isSlovak = seen.has(0xe1) && slavic.filter((byte) => seen.has(byte)).length > 1
  const isCzech = !hasAny(scandinavian) && (isSlovak || czech.some((groups) => groups.every(hasAny)))
  const isHungarian = !hasAny(notHungarian) && hungarian.every(hasAny)
  if (as1250 === 0 && as8859_2 === 0) return isCzech || isHungarian ? 'windows-1250' : 'windows-1252'
  return as8859_2 > as1250 ? 'iso-8859-2' : 'windows-1250'
}

function isLetter(byte: number): boolean {
  return (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a)
}
