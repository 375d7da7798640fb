import { foldHeader } from './fold-header.ts'

/** The status of rows that are pending. */
export const pendingWords =
  /^(?:.*\bpending\b.*|authori[sz](?:ed|ation).*|blocked|scheduled|processing|in progress|on hold|held|unsettled|draft|(?:umsatz )?vorgemerkt.*|nicht gebucht|offen|in bearbeitung|geplant|reserviert|ausstehend|vormerkung|en attente|en cours|a venir|pendiente|en proceso|pendente|em processamento|agendad[ao]|in attesa|non contabilizzat[ao]|in behandeling|gereserveerd|oczekujac[ae]|w realizacji|reserverad|reserverat|reservert|reserved|preliminary|preliminar|provisional|vantar|venter|afventer|reserveret|varaus|cekajici|blokace|fuggo|ожидание|в обработке|.*等待.*|未入账|未出账)$/

/** The status of rows that were declined, or failed otherwise. */
export const declinedWords =
  /^(?:declined|failed.*|void(?:ed)?|rejected|denied|expired|refused|removed|abgelehnt|abgebrochen|refuse|rechazad[ao]|recusad[ao]|negad[ao]|rifiutat[ao]|geweigerd|odrzucon[ae]|nekad|nekat|avvist|afvist|hylatty|zamitnut[aeo]|elutasitva|respins[ae]?|reddedildi|отклонен[оа]?|отказ|.*(?:失败|取消).*)$/

/** True for the folded status of rows that moved nothing. */
export const isSkippedState = (word: string) => pendingWords.test(word) || declinedWords.test(word)

/** The status of rows that moved money. */
export const bookedWords =
  /^(?:booked|posted|completed?|cleared|settled|success|successful|succeeded|ok|done|paid|processed|executed|accepted|approved|confirmed|reconciled|received|sent|payment sent|payment deposited|payment received|charged|captured|finali[sz]ed|credited|debited|recorded|active|transferred|gebucht|berechnet|umsatz gebucht|verbucht|abgeschlossen|ausgefuhrt|erledigt|erfolgreich|bezahlt|comptabilise|effectue|execute|accepte|termine|valide|passe|regle|realizad[ao]|completad[ao]|contabilizad[ao]|liquidad[ao]|aplicad[ao]|ejecutad[ao]|exitos[ao]|pagad[ao]|confirmad[ao]|concluid[ao]|efetuad[ao]|efetivad[ao]|aprovad[ao]|pago|paga|contabilizzat[ao]|eseguit[ao]|completat[ao]|uitgevoerd|geaccepteerd|geboekt|verwerkt|voltooid|zrealizowan[ae]|wykonan[ae]|zaksiegowan[ae]|zakonczon[ae]|rozliczon[ae]|utfort|genomford|bokford|bokfort|gjennomfort|godkjent|udfort|bogfort|gennemfort|suoritettu|kirjattu|toteutunut|zauctovan[aoe]|realizovan[aoe]|proveden[aoe]|zuctovan[aoe]|teljesitett|konyvelt|procesat|finalizat|ivykdyta|исполнен[оа]?|выполнен[оа]?|успешно|tamamlandi|basarili|gerceklesti|.*(?:成功|完成|已|到账|关闭).*|入账|정상|승인|완료|完了|確定)$/

/** The status of rows that were undone: some files keep both the row and what brings it back, others neither. */
export const undoneWords =
  /^(?:(?:partially )?refunded|(?:partially )?reversed|reverted|returned|cancell?ed|storniert|erstattet|zuruckgegeben|annule|rembourse|retourne|anulad[ao]|reembolsad[ao]|devuelt[ao]|revertid[ao]|cancelad[ao]|devolvid[ao]|estornad[ao]|annullat[ao]|rimborsat[ao]|stornat[ao]|restituit[ao]|geannuleerd|terugbetaald|teruggeboekt|anulowan[ae]|zwrocon[ae]|aterbetald|makulerad|annullert|refundert|annulleret|refunderet|peruutettu|palautettu|stornovan[aoe]|vracen[aoe]|отменен[оа]?|возвращен[оа]?|iptal edildi|iade edildi|.*취소.*|取り?消し?|キャンセル|返品)$/

/** A column with more different words does not hold states. */
export const maxStates = 12

/** Headers of a column that says of each row whether it is booked. */
const flagNames =
  /^(?:settled|booked|is booked|posted|is posted|cleared|is cleared|is settled|confirmed|completed|gebucht|verbucht|geboekt|contabilizad[ao]|contabilizzat[ao])$/

/** True for the words of a column of states: few, of which half are known unless the header is such a word, as in `Pending`. */
export function areStates(cells: string[], header: string): boolean {
  const words = new Set<string>()
  for (const cell of cells) if (words.add(cell.trim()).size > maxStates) return false
  words.delete('')
  const isState = (word: string) => bookedWords.test(word) || isSkippedState(word) || undoneWords.test(word)
  const known = [...words].map(foldState).filter(isState)
  return (
    words.size > 0 &&
    (flagNames.test(header) || isSkippedState(header) || (known.length > 0 && known.length * 2 >= words.size))
  )
}

/** Words of a column such as `Booked` for rows that are. */
export const isYes = (word: string, header: string) =>
  flagNames.test(header) && /^(?:y|yes|true|1|x|✓|ja|j|oui|si|sim|tak)$/.test(word)
/** True for a header of such a column. */
export const isFlagName = (header: string) => flagNames.test(header)

/** A state as it is compared. */
export const foldState = (text: string) => foldHeader(text.slice(0, 60))

/** The impact on the balance: only these words move money, and no other. */
export const movingImpact =
  /^(?:debit|credit|soll|haben|belastung|gutschrift|debito|credito|cargo|abono|dare|avere)$/
/** What Alipay and WeChat Pay write under 收/支 beside what they count neither way: moves between pots, and refunds. */
export const neutralMark = /^(?:不计收支|其他|\/)$/
