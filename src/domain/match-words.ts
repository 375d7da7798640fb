/** Texts are cut before they are normalised, which takes quadratic time on runs of combining marks. */
const longestText = 256
/** Of a text's words, the first so many are compared. */
const mostWords = 24
/** Banks cut words short and people leave endings off, so words count as the same if they begin with the same letters. */
const lettersCompared = 5

/** Writing without spaces, whose words are its pairs of neighbouring characters. */
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u

/** Words that say how money moved, or nothing at all, but not where it went. Folded as texts are. */
const commonWords = new Set(
  (
    'the and for with from les des der die das und von fur mit del los las per con via ref nr ' +
    'account acct konto compte cuenta conta conto rekening bank banque banco banca ' +
    'card carte karte tarjeta cartao carta kort visa mastercard maestro debit credit girocard ' +
    'payment paiement zahlung kartenzahlung pago pagamento betaling betalning purchase achat compra acquisto einkauf ' +
    'transfer virement uberweisung ubertrag transferencia bonifico overboeking sepa gutschrift lastschrift ' +
    'prelevement domiciliacion addebito incasso dauerauftrag standing order direct contactless online pos atm ' +
    'ltd inc llc gmbh sarl www com'
  ).split(' '),
)

/** The words of a text by which it can be recognised, without accents, case, numbers and what banks always write. */
export function tellingWords(text: string): Set<string> {
  const words = wordsOf(text).filter((word) => word.length > 1 && !commonWords.has(word))
  return new Set(words.flatMap(stems).slice(0, mostWords))
}

/** True if two texts have a telling word in common. */
export function shareWords(some: Set<string>, others: Set<string>): boolean {
  return [...some].some((word) => others.has(word))
}

/** Runs of letters and digits with at most three digits: numbers of cards and bookings say nothing, `n26` does. */
function wordsOf(text: string): string[] {
  const folded = text.slice(0, longestText).normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const words = folded.match(/[\p{L}\p{N}]+/gu) ?? []
  return words.filter((word) => /\p{L}/u.test(word) && !/\p{N}.*\p{N}.*\p{N}.*\p{N}/u.test(word))
}

function stems(word: string): string[] {
  if (!unspaced.test(word)) return word.length > 2 ? [word.slice(0, lettersCompared)] : []
  const letters = [...word]
  return letters.slice(1).map((letter, index) => `${letters[index]}${letter}`)
}
