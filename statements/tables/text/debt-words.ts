/** Names of cards and loans and of what is owed on them, as titles, headers and names of accounts have them. */
const products = `
  card|credit card|creditcard|card number|card no|cardholder|credit limit|available credit|line of credit|visa|mastercard|american express|amex|loan|mortgage|owed|owing|outstanding|amount due|minimum payment|principal balance|principal outstanding|debt
  karte|kreditkarte|kartennummer|kartenkonto|kreditlimit|kreditrahmen|darlehen|kredit nr|kreditkonto|ratenkredit|privatkredit|hypothek|baufinanzierung|restschuld|schuld|tilgungsplan
  carte|pret|emprunt|credit immobilier|credit renouvelable|credit a la consommation|plafond de credit|marge de credit|hypotheque|capital restant|restant du|dette
  tarjeta|prestamo|hipoteca|limite de credito|credito disponible|deuda|adeudado|saldo deudor|saldo pendiente|capital pendiente|pago minimo
  cartao|emprestimo|credito habitacao|saldo devedor|divida|em divida|fatura
  carta|mutuo|prestito|finanziamento|debito residuo|capitale residuo|limite di credito
  kaart|kredietkaart|kredietlimiet|lening|hypotheek|openstaand|doorlopend krediet
  kort|kreditkort|kredittkort|kortnummer|kreditgrans|kredittgrense|lan|lanekonto|lankonto|laan|bolan|boliglan|privatlan|skuld|gaeld|gjeld|realkredit|restgaeld|restgjeld
  kortti|luottokortti|luottoraja|laina|asuntolaina|velka|avoin saldo
  karta|kartou|karty|kredyt|pozyczka|hipoteka|zadluzenie|uver|uverovy|hypoteka|pujcka|pozicka|dluh|dlh|kartya|hitel|kolcson|jelzalog|tartozas
  card de credit|imprumut|credit ipotecar|sold datorat|kredi karti|kart no|kart numarasi|konut kredisi|ihtiyac kredisi|kredi limiti|kalan borc
  πιστωτικη καρτα|καρτα|δανειο|οφειλη|кредитная карта|кредитна картка|номер карты|номер картки|ипотека|іпотека|заем|займ|позика|задолженность|заборгованість
  כרטיס אשראי|הלוואה|משכנתא|بطاقة ائتمان|قرض|クレジットカード|カード番号|ローン|借入|信用卡|贷款|貸款|欠款|신용카드|카드번호|대출|บัตรเครดิต|สินเชื่อ|เงินกู้|kartu kredit|kad kredit|nomor kartu|pinjaman|the tin dung|khoan vay`

/** What is owed, as headers of balances call it; some of these words mean something else in titles. */
const debts = `
  owed|owing|due|outstanding|principal|loan|debt|restschuld|schuld|capital|dette|deuda|adeudado|pendiente|deudor|devedor|debito residuo|skuld|gjeld|gaeld|velka|encours|offen|offener|openstaand|avoin|zadluzenie|zadluzenia|em divida|dluh|dluzna|dlzna|tartozas|datorat|borc|kalan borc|задолженность|заборгованість|οφειλη|欠款`

/** What a debtor pays, as the statement of the card or the loan calls it. */
const repayments = `
  repayment|repaid|instalment|installment|emi|payment received|payment thank you|thank you|payment posted|autopay payment|automatic payment
  ruckzahlung|tilgung|sondertilgung|rate|ratenzahlung|monatsrate|darlehensrate|kreditrate|ausgleich|einzahlung|annuitat|leistungsrate|zahlung erhalten|zahlungseingang|danke
  remboursement|echeance|mensualite|paiement recu|reglement recu|merci|pago recibido|su pago|gracias|cuota|mensualidad|amortizacion
  pagamento recebido|pagamento efetuado|obrigado|obrigada|prestacao|parcela|amortizacao|rata|pagamento ricevuto|grazie|rimborso
  aflossing|termijn|termijnbedrag|betaling ontvangen|bedankt|dank|amortering|avbetalning|inbetalning|tack|afdrag|ydelse|indbetaling|tak|avdrag|innbetaling|terminbelop|takk
  lyhennys|maksusuoritus|suoritus|kiitos|splata|raty|wplata|dziekujemy|splatka|dekujeme|dakujeme|torlesztes|torleszto|reszlet|befizetes|koszonjuk|rambursare|plata primita|multumim
  taksit|odemeniz|tesekkur|δοση|ευχαριστουμε|погашение|погашення|взнос|внесок|спасибо|дякуємо
  החזר|תודה|返済|還款|还款|상환|ชำระคืน|ผ่อนชำระ|angsuran|cicilan|pelunasan|ansuran|terima kasih`

/** How money is moved to a card or a loan, and elsewhere. */
const transfers = `
  transfer|from checking|from savings|from current|payment|autopay|uberweisung|umbuchung|zahlung|virement|paiement|transferencia|pago|pagamento|bonifico|giroconto|overschrijving|overboeking|betaling|betalning|overforing|innbetaling|indbetaling|siirto|maksu|przelew|platba|prevod|atutalas|befizetes|transfer bancar|havale|odeme|перевод|переказ|платеж|转账|转入|振込|이체|โอน|תשלום`

/** What a shop gives back. */
const refunds = `
  refund|reversal|erstattung|ruckerstattung|gutschrift|remboursement|avoir|devolucion|reembolso|estorno|rimborso|storno|terugbetaling|aterbetalning|retur|refusjon|tilbagebetaling|palautus|hyvitys|zwrot|vraceni|vratka|vratenie|visszaterites|rambursare|iade|επιστροφη|возврат|повернення|זיכוי|返金|退款|환불`

/** What a debt costs; in other accounts these lower the balance. */
const charges = `
  interest charge|interest charged|interest on purchases|purchase interest|loan interest|debit interest|finance charge|finance charges|late fee|late payment|annual fee|overlimit fee|cash advance
  sollzinsen|zinsbelastung|darlehenszinsen|kreditzinsen|verzugszinsen|uberziehungszinsen|jahresgebuhr|kartengebuhr|mahngebuhr
  interets debiteurs|interets du pret|interets de retard|frais de retard|cotisation annuelle|cotisation carte|agios
  intereses deudores|intereses del prestamo|intereses prestamo|intereses de demora|cuota anual|juros do emprestimo|juros debitados|juros de mora|encargos|anuidade|interessi passivi|interessi debitori|interessi mutuo|interessi di mora|quota annuale
  debetrente|hypotheekrente|rente lening|jaarbijdrage|laneranta|ranta lan|kreditranta|arsavgift|arsgebyr|debetranta|debetrente|lainan korko|luottokorko|odsetki karne|odsetki debetowe|odsetki od kredytu|uroky z uveru|urok z uveru|debetni urok|hitelkamat|dobanda credit
  gecikme faizi|kredi faizi|проценты по кредиту|відсотки за кредитом|利息返済|贷款利息|대출이자`

/** Lower case and without accents: half as long as to fold a header, since every text of a file may be searched. */
const folded = (text: string) => {
  const lower = text.toLowerCase()
  if (!/[^\0-\x7f]/.test(lower)) return lower
  return lower
    .replace(/[łøæ]/g, (letter) => plain[letter] ?? '')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
}
const plain: Record<string, string> = { ł: 'l', ø: 'o', æ: 'ae' }

/** The scripts that put no spaces between words. */
const unspaced = /[\p{sc=Han}\p{sc=Kana}\p{sc=Hangul}\p{sc=Thai}]/u
/** A word of that many letters may have endings, and begin others. */
const stemLength = 6

/** A pattern for folded texts that contain one of the words. */
function oneOf(list: string): RegExp {
  const words = folded(list)
    .trim()
    .split(/\s*[|\n]\s*/)
  const spaced = words
    .filter((word) => !unspaced.test(word))
    // Points, dashes and the like stand between words too.
    .map(
      (word) => word.replaceAll(' ', '[^\\p{L}\\p{N}]{1,3}') + (word.length < stemLength ? '(?!\\p{L})' : ''),
    )
  const others = words.filter((word) => unspaced.test(word))
  return new RegExp([`(?<![\\p{L}\\p{N}])(?:${spaced.join('|')})`, ...others].join('|'), 'u')
}

const patterns = {
  product: oneOf(products),
  debt: oneOf(debts),
  repayment: oneOf(repayments),
  transfer: oneOf(transfers),
  refund: oneOf(refunds),
  charge: oneOf(charges),
}

/** The first word of a title, header or account's name that names a card or a loan; null if there is none. */
export const productIn = (text: string): string | null => patterns.product.exec(folded(text))?.[0] ?? null

/** True if a header of balances says that they are owed. */
export const isOwed = (header: string): boolean => patterns.debt.test(folded(header))

/** True for the text of a debtor's payment. */
export const isRepayment = (text: string): boolean => patterns.repayment.test(folded(text))

/** True for a text that says how money moved, as that of a payment to a card does. */
export const isTransfer = (text: string): boolean => patterns.transfer.test(folded(text))

/** True for the text of what a shop gave back. */
export const isRefund = (text: string): boolean => patterns.refund.test(folded(text))

/** True for the text of what a debt costs. */
export const isCharge = (text: string): boolean => patterns.charge.test(folded(text))
