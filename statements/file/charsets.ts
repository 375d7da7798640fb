import { foldHeader } from '../tables/text/fold-header.ts'
import { headerNames } from '../tables/text/header-names.ts'
import { isSkippedState } from '../tables/text/state-words.ts'

/** The letters beyond ASCII of languages in an encoding, in lower case: several alphabets for one, the commonest first. */
const alphabets: [encoding: string, letters: string][] = [
  ['windows-1252', 'äöüßéèêëàâçîïôùûœ'],
  ['windows-1252', 'áéíóúñüçãõâêôàªº'],
  ['windows-1252', 'åäöæøéü'],
  ['windows-1252', 'àèéìíòóùúç'],
  ['windows-1252', 'äëéèïöüóíáêç'],
  ['windows-1252', 'õäöüšž'],
  ['windows-1254', 'çğıöşüâîûi̇'],
  ['windows-1252', 'áðéíóúýþæö'],
  ['windows-1250', 'ąćęłńóśźż'],
  ['iso-8859-2', 'ąćęłńóśźż'],
  ['windows-1250', 'áčďéěíňóřšťúůýžäľĺŕôöü'],
  ['windows-1250', 'áéíóöőúüű'],
  ['windows-1250', 'ăâîşţčćđšž'],
  ['iso-8859-2', 'áčďéěíňóřšťúůýžäľĺŕôöüőű'],
  ['windows-1257', 'āčēģīķļņšūžąęėįųõäöü'],
  ['windows-1251', 'оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъёіїєґўђјљњћџ'],
  ['koi8-r', 'оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё'],
  ['windows-1253', 'αοιετσνηυρπκμλςωδγχθφβξζψάέήίόύώϊϋΐΰ'],
  ['windows-1255', 'ויהלאתרמשבנדקםחפעכטגצסזןךףץ'],
  ['windows-874', 'านรก่อเงมย้วลีดัิทสตะปบคหแจพโชขใื์ไณูธุ็ผศษซถฐญฟภฝึฉฒฮๆ'],
  ['windows-1256', 'المينورتبةعدسفهكقحجشطصخضذثئءغظزىآأؤإپچژگ'],
]

const eastAsianEncodings = ['gb18030', 'shift_jis', 'big5', 'euc-kr']
const sampleBytes = 65_536
/** How much of a file is searched for headers. */
const headerLength = 2_000
const folded = new Set(Object.values(headerNames).flat())

/** Encodings by which a person may tell which one a file is in. */
export const legacyEncodings = [...new Set(alphabets.map(([encoding]) => encoding)), ...eastAsianEncodings]

/**
 * The most likely encoding of a file that is not Unicode: the East Asian one in which most words of headers are found, if
 * two or more are; else the one in which most letters belong to one alphabet.
 */
export function likelyCharset(bytes: Uint8Array): string {
  const sample = bytes.subarray(0, sampleBytes)
  const words = eastAsianWords()
  const [most] = eastAsianEncodings
    .map((encoding) => ({
      encoding,
      found: new Set(new TextDecoder(encoding).decode(sample).match(words)).size,
    }))
    .sort((a, b) => b.found - a.found)
  if (most && most.found > 1) return most.encoding
  const texts = new Map<string, string>()
  let best = { encoding: 'windows-1252', score: Number.NEGATIVE_INFINITY }
  for (const [encoding, letters] of alphabets) {
    const text = texts.get(encoding) ?? new TextDecoder(encoding).decode(sample)
    texts.set(encoding, text)
    const score = scoreOf(text, letters) + 3 * knownWords(text)
    if (score > best.score) best = { encoding, score }
  }
  return best.encoding
}

/** How many cells of the first lines are known headers, or states, with letters beyond ASCII. */
function knownWords(text: string): number {
  const cells = text.slice(0, headerLength).match(/[^\n;,|\t"]*[^\0-\x7f][^\n;,|\t"]*/g) ?? []
  // Folding drops signs, which another encoding has in place of letters.
  const areLetters = (cell: string) => !/[^\0-\x7f\p{L}\p{M}]/u.test(cell)
  return new Set(
    cells
      .filter(areLetters)
      .map(foldHeader)
      .filter((name) => folded.has(name) || isSkippedState(name)),
  ).size
}

/**
 * Letters of the alphabet minus other letters, and signs inside words. Words of another script have no ASCII in them, and
 * the ten commonest of its letters come first in its alphabet.
 */
function scoreOf(text: string, alphabet: string): number {
  const letters = new Set(alphabet)
  const isLatin = /\p{sc=Latin}/u.test(alphabet)
  const common = isLatin ? letters : new Set(alphabet.slice(0, 10))
  let score = 0
  for (const { 0: run, index } of text.matchAll(/[^\0-\x7f]+/g)) {
    const isMixed = /[A-Za-z]/.test(`${text[index - 1] ?? ''}${text[index + run.length] ?? ''}`)
    // A letter alone before a number is the sign of a currency: `£12` in windows-1252 is `Ł12` in windows-1250.
    const isSign = /^\P{L}?\p{L}\d/u.test(`${text[index - 1] ?? ' '}${run}${text[index + run.length] ?? ''}`)
    for (const character of run.toLowerCase()) {
      if (isSign || !letters.has(character)) score -= /\p{L}|\p{C}/u.test(character) ? 3 : 0
      else if (isLatin) score += 1
      else if (isMixed) score -= 3
      else if (run.length > 1) score += common.has(character) ? 1.5 : 0.75
    }
  }
  // Which letters are beside the amounts of a file decides whether these can be read.
  for (const _ of text.matchAll(/(?<!\p{L})(?:kč|zł)(?!\p{L})/giu)) score += 2
  for (const _ of text.matchAll(/\p{L}[^\0-\x7f\p{L}\p{M}](?=\p{L})|\p{Ll}\p{Lu}(?=\p{Ll})/gu)) score -= 2
  return score
}

/** Matches East Asian headers, of which each bank file in these encodings has several, and long words in katakana. */
function eastAsianWords(): RegExp {
  const names = Object.values(headerNames).flat()
  const headers = names.filter((name) =>
    /[\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}]{2}/u.test(name),
  )
  return new RegExp([...headers, '[ァ-ー]{4}'].join('|'), 'g')
}
