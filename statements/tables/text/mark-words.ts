import { foldHeader } from './fold-header.ts'

export type Mark = 'debit' | 'credit'

/** The words of a debit/credit mark, folded, in the languages of the headers. */
const words: Record<Mark, string> = {
  debit: `d|dr|db|dt|deb|dbit|debit|debits|out|outgoing|outflow|money out|paid out|cash out|transfer out|withdrawal|withdrawals|withdraw|sent|spent|expense|expenses|purchase|purchases|charge|charges
    soll|s|lastschrift|lastschriften|belastung|ausgabe|ausgaben|ausgang|abbuchung|auszahlung|gesendet|kauf
    sortie|sorties|depense|depenses|retrait|achat|envoye|prelevement|cargo|cargos|debe|gasto|gastos|salida|retiro|compra|enviado|egreso|egresos|adeudo|debito|saida|saque|despesa|despesas
    dare|uscita|uscite|addebito|spesa|prelievo|acquisto|inviato|debet|af|uit|uitgave|uitgaven|afschrijving|opname|aankoop|verzonden
    wn|obciazenie|obciazenia|wydatek|wydatki|wyplata|zakup|wyslane|ut|uttag|utgift|utgifter|kop|skickat|uttak|kjop|ud|udgift|kob|otto|veloitus|meno|osto
    vydaj|vydaje|vyber|nakup|odchozi|odeslano|terheles|kiadas|plata|retragere|cheltuiala|debetas|deebet|χρεωση|חובה|дт|дебет|списание|支出|借|出金|출금`,
  credit: `c|cr|cd|ct|k|kr|crdt|cred|credit|credits|in|incoming|inflow|money in|paid in|cash in|transfer in|deposit|deposits|received|income|refund|refunds
    haben|h|gutschrift|gutschriften|einnahme|einnahmen|eingang|einzahlung|empfangen|erhalten|erstattung
    entree|entrees|recette|recettes|depot|recu|remboursement|encaissement|haber|abono|abonos|ingreso|ingresos|entrada|deposito|recibido|reembolso|devolucion|credito|receita|receitas|recebido|estorno
    avere|entrata|entrate|accredito|ricevuto|rimborso|incasso|kredit|bij|inkomst|inkomsten|ontvangen|bijschrijving|storting|terugbetaling
    ma|uznanie|uznania|wplyw|wplywy|wplata|zwrot|otrzymane|przychod|inn|insattning|mottaget|inntekt|innskudd|ind|indtaegt|indbetaling|pano|hyvitys|tulo
    prijem|prijmy|vklad|prichozi|prijato|jovairas|bevetel|incasare|depunere|venit|kreditas|kreedit|πιστωση|זכות|кт|кредит|зачисление|поступление|收入|贷|入金|입금`,
}

/** Further kinds of transactions that leave no doubt which way the money went, folded. */
const kinds: Record<Mark, string> = {
  debit: `card payment|card purchase|visa purchase|pos purchase|debit card purchase|direct debit|atm withdrawal|cash withdrawal|bill payment|sale|sent p2p
    kartenzahlung|kartenumsatz|folgelastschrift|erstlastschrift|消费|取现|转出|platba kartou|korttiosto|pkorttimaksu|varekjop|kartyas vasarlas`,
  credit: `退货|转入|存现|direct credit|direct deposit|topup|top up|salary|payroll|received p2p|return|credit interest
    gutschr ueberweisung|gehalt|lohn gehalt|palkka|innbetaling|bezhotovostni prijem`,
}

/** A buyer's expense is a seller's income, and a seller's refund is an expense. */
const trade = new Set(
  'sale|charge|charges|purchase|purchases|card purchase|refund|refunds|return|kauf|erstattung|achat|remboursement|compra|reembolso|devolucion|estorno|acquisto|rimborso|aankoop|terugbetaling|zakup|zwrot|kop|kjop|kob|osto|hyvitys|nakup|消费|退货'.split(
    '|',
  ),
)

const byWord = (lists: Record<Mark, string>) =>
  new Map(
    (['debit', 'credit'] as const).flatMap((mark) =>
      lists[mark].split(/\s*[|\n]\s*/).map((word) => [word, mark] as const),
    ),
  )
const marks = byWord(words)
const marksOfKinds = byWord(kinds)
/** No mark is longer; folding a text takes far longer than to measure it. */
const maxLength = 40

/** The side that a mark names: `D`, `Soll`, `Af` and `-` are debits, `C`, `Haben`, `Bij` and `+` credits. */
export function markOf(word: string): Mark | null {
  const text = word.trim()
  if (text.length > maxLength) return null
  if (text === '+') return 'credit'
  if (text === '-' || text === '\u2212') return 'debit'
  return marks.get(foldHeader(text)) ?? null
}

/** The side of a mark, or of a kind of transaction such as `Card payment`. */
export function sideOf(word: string): Mark | null {
  if (word.length > maxLength) return null
  return markOf(word) ?? marksOfKinds.get(foldHeader(word)) ?? null
}

/** True for a kind whose side depends on whose account it is: the buyer's, or the seller's. */
export function isTrade(word: string): boolean {
  return word.length <= maxLength && trade.has(foldHeader(word))
}
