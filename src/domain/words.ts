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

/** Payment services, marketplaces and acquirers: the words beside them name the payee. */
const intermediaries = new Set(
  wordsOf(`paypal pypl pp et cie sca sàrl europe luxembourg inst xfer stripe square sq sumup zettle izettle klarna adyen
    mollie worldpay worldline payone nexi sixpayment concardis elavon fiserv clover toast tst shopify shop sp paddle
    fastspring gocardless braintree skrill paysafe ratepay giropay sofort unzer payconiq bancontact twint swish vipps
    mobilepay bizum lydia satispay blik przelewy24 payu iyzico paytr alipay wechat weixin venmo cashapp zelle afterpay
    clearpay affirm sezzle paytm phonepe razorpay mercadopago pagseguro picpay paypay merpay linepay kakaopay naverpay
    grabpay gcash gopay pay payments apple google samsung bill viva wallet mypos dojo lightspeed flatpay teya
    amazon amzn amznmktplace amz mktp mktplace mktplc marketplace ebay etsy aliexpress alibaba temu allegro mercado libre
    livre mercadolibre mercadolivre wish rakuten shopee lazada tokopedia flipkart coupang mercari kleinanzeigen
    楽天 楽天市場 メルカリ 支付宝 微信支付 微信 淘宝 天猫 拼多多 京东 쿠팡`),
)

/** Titles, articles and kinds of shops: many payees have them. */
const sharedWords = new Set(
  wordsOf(`dr doctor docteur dott dra prof med mr mrs ms miss herr frau mme monsieur madame sr sra san st ste saint sainte
    santa sankt são la le el lo il los las les un une una a an am im in al du di da do of zum zur new old
    café caffè bar pub bistro brasserie restaurant restaurante ristorante trattoria osteria pizzeria
    gasthaus gasthof wirtshaus taverna imbiss grill kebab hotel hostel motel pension albergo inn bakery boulangerie
    bäckerei bakkerij panadería panificio butcher boucherie metzgerei fleischerei slagerij carnicería shop store stores
    boutique laden geschäft magasin tienda negozio winkel market supermarket supermarché supermarkt supermercado
    supermercato markt marché pharmacy pharmacie apotheke apteka apotheek farmacia drogerie garage tankstelle station
    parking taxi salon friseur coiffeur peluquería barber kiosk tabac theatre theater teatro kino cinema museum praxis
    practice clinic clínica cabinet studio school schule école city stadt centre center zentrum
    カフェ 喫茶 ホテル 食堂 レストラン 薬局 スーパー コンビニ 酒店 饭店 餐厅 咖啡 超市 카페 식당 약국 호텔`),
)

/** The words by which a text can be recognised, without accents, case, numbers and what banks always write. */
export function distinctiveWords(text: string): Set<string> {
  const words = wordsOf(text.slice(0, maxText)).filter((word) => !commonWords.has(word))
  return new Set(words.flatMap(stems).slice(0, maxWords))
}

/**
 * A word of a text, as it is written and as it is compared. One that many payees share (a kind of shop, say) names one
 * only together with the words beside it.
 */
export type PayeeWord = { written: string; folded: string; isShared: boolean }

/** The words that name a payee, without payment services and marketplaces; these only if there is nothing else. */
export function payeeWords(text: string): PayeeWord[] {
  const written = text.slice(0, maxText).match(/[\p{L}\p{N}]+/gu) ?? []
  const words = written.flatMap((written) => {
    const [folded] = wordsOf(written)
    const isDistinctive =
      folded !== undefined && !commonWords.has(folded) && (folded.length > 1 || unspaced.test(folded))
    const isShared = folded !== undefined && (sharedWords.has(folded) || intermediaries.has(folded))
    return isDistinctive ? [{ written, folded, isShared }] : []
  })
  const direct = words.filter(({ folded }) => !intermediaries.has(folded))
  return (direct.length > 0 ? direct : words).slice(0, maxWords)
}

/** The words that name a payee by themselves, as `distinctiveWords` compares them. */
export function payeeStems(text: string): Set<string> {
  return new Set(payeeWords(text).flatMap(({ folded, isShared }) => (isShared ? [] : stems(folded))))
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
