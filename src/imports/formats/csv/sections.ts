import { cleanText } from '../text.ts'
import { monthNumber } from '../written/month-names.ts'
import { foldHeader } from './header-names.ts'
import { summary } from './line-words.ts'
import type { CsvRecord } from './records.ts'
import type { CsvTable } from './table.ts'

/** How a line begins that names the account of the table below it. */
const account =
  /^(?:account|iban|konto|kontonummer|compte|cuenta|conto|conta|rekening|rachunek|numer rachunku|sub account) /

/**
 * Words by which the titles of one account differ, besides months: pages, periods, and kinds of transactions. Numbers
 * beside them are days or pages.
 */
const passing =
  /^(?:[qh]\d|kw|(?:19|20)\d\d|\d[a-z]+\d*|week|woche|semaine|quarter|quartal|trimestre|kwarta[al]+|page|pagina?|pg?|seite|blatt|hoja|strona|of|von|de|di|van|z|from|on|continued|suite|fortsetzung|statement|kontoauszug|releve|extracto|wyciag|afschrift|transactions|activity|umsatze|pending|posted|cleared|authorized|completed|processing|vorgemerkte?|gebuchte?|deposits|withdrawals|purchases|payments|credits|debits|fees|other)$/

/**
 * Returns a function that takes the lines above a header and returns the title of the table below them. On another page
 * and in another month the title stays the same, and lines that also stand above the first header change nothing.
 */
export function sectionsOf({ preamble }: CsvTable): (above: CsvRecord[]) => string {
  const lines = preamble.map(titleOf)
  const first = titleAmong(lines)
  const sections = new Map(lines.map(({ key }) => [key, '']))
  if (first) sections.set(first.key, first.text)
  let section = first?.text ?? ''
  return (above) => {
    const title = titleAmong(above.map(titleOf))
    if (title && (first || title.rank > 1)) {
      if (!sections.has(title.key)) sections.set(title.key, title.text)
      section = sections.get(title.key) || section
    }
    return section
  }
}

/**
 * A line above a header. `key` is what is left of its text without passing words; `rank` is 2 for a line that names an
 * account, 1 for one with a single text, 0 for one that is no title.
 */
type Title = { text: string; key: string; rank: number }

/** The last line that names an account or, if none does, that has a single text. */
function titleAmong(lines: Title[]): Title | undefined {
  return lines.findLast(({ rank }) => rank > 1) ?? lines.findLast(({ rank }) => rank > 0)
}

function titleOf({ cells }: CsvRecord): Title {
  const text = cleanText(cells.join(' ')) ?? ''
  const folded = foldHeader(text)
  // A number that follows the word for an account is the account's, not a day.
  const isOfAccount = account.test(folded)
  const words = (isOfAccount ? folded.replace(/^(\S+(?: n[or])?) (?=\d)/, '$1') : folded).split(' ')
  const lasting = words.filter((word) => !passing.test(word) && monthNumber(word) === null)
  const isOther = (word: string) => lasting.length < words.length && /^(?:\d\d?|[iv]+)$/.test(word)
  const key = lasting.filter((word) => !isOther(word)).join(' ')
  const isAlone = text === cleanText(cells[0] ?? '') && !summary.test(folded)
  return { text, key, rank: key === '' ? 0 : isOfAccount ? 2 : Number(isAlone) }
}
