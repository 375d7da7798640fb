/** Texts are cut before they are normalised, which takes quadratic time on runs of combining marks. */
const maxText = 256
/** Only the first words of a text are compared. */
const maxWords = 32
/** Banks cut words short and people leave endings off, so words count as the same if they begin with the same letters. */
const lettersCompared = 5
/** Words with more digits are the numbers of cards and bookings, which say nothing about the payee; `n26` does. */
const maxDigits = 3

/** Scripts without spaces: each pair of neighbouring characters counts as a word. */
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u

/** Letters that no normalisation takes apart, as people without them on their keyboards write them. */
const plainLetters: Record<string, string> = { ß: 'ss', ø: 'o', æ: 'a', œ: 'o', ł: 'l', đ: 'd', ı: 'i' }

/** Words that say how money moved, or nothing at all, but not where it went. */
const commonWords = new Set(
  wordsOf(`the and for from with you our les des der die das und von für mit del los las per con par sur via nr ref no
    account acct konto compte cuenta conta conto rekening bank banque banco banca ltd inc llc gmbh sarl www com
    card carte karte tarjeta cartão carta kort karta kartou visa mastercard maestro girocard debit credit contactless
    payment paiement zahlung kartenzahlung pago pagamento betaling betalning platnosc platba ödeme maksu
    purchase achat compra acquisto einkauf aankoop kortköp varekjøp korttiosto zakup nákup
    transfer faster incoming outgoing received sent deposit online internet mobile eingang ausgang pix eft havale
    virement überweisung übertrag umbuchung transferencia transferência bonifico overboeking overføring överföring
    przelew převod tilisiirto sepa instant gutschrift lastschrift dauerauftrag prélèvement domiciliación addebito
    accredito incasso standing order direct recurring pos ecom
    перевод оплата карта покупка платеж κάρτα αγορά μεταφορά
    振込 振替 口座振替 入金 出金 支払 デビット カード 转账 支付 消费 이체 결제 입금 출금`),
)

/** The words by which a text can be recognised, without accents, case, numbers and what banks always write. */
export function distinctiveWords(text: string): Set<string> {
  const words = wordsOf(text.slice(0, maxText)).filter((word) => !commonWords.has(word))
  return new Set(words.flatMap(stems).slice(0, maxWords))
}

/** The words that name a payee, as they are written and as they are compared. */
export function payeeWords(text: string): { written: string; folded: string }[] {
  const words = text.slice(0, maxText).match(/[\p{L}\p{N}]+/gu) ?? []
  return words
    .flatMap((written) => {
      const [folded] = wordsOf(written)
      const isDistinctive =
        folded !== undefined && !commonWords.has(folded) && (folded.length > 1 || unspaced.test(folded))
      return isDistinctive ? [{ written, folded }] : []
    })
    .slice(0, maxWords)
}

/** True if two texts have a distinctive word in common. */
export function shareWords(some: Set<string>, others: Set<string>): boolean {
  for (const word of some) if (others.has(word)) return true
  return false
}

function wordsOf(text: string): string[] {
  const folded = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[ßøæœłđı]/g, (letter) => plainLetters[letter] ?? letter)
    // Müller is Mueller where a bank has no ü.
    .replace(/([aou])e/g, '$1')
  const words = folded.match(/[\p{L}\p{N}]+/gu) ?? []
  return words.filter((word) => /\p{L}/u.test(word) && word.replace(/\P{N}/gu, '').length <= maxDigits)
}

function stems(word: string): string[] {
  const letters = [...word]
  if (unspaced.test(word)) return letters.slice(1).map((letter, index) => `${letters[index]}${letter}`)
  return letters.length > 2 ? [letters.slice(0, lettersCompared).join('')] : []
}
