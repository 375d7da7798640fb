/** The status of rows that are pending, were declined, or were reversed before they were booked. */
export const notBooked =
  /^(?:pending.*|authori[sz](?:ed|ation).*|declined|failed|void(?:ed)?|blocked|scheduled|processing|in progress|reverted|cancell?ed|rejected|denied|expired|refused|umsatz vorgemerkt.*|vorgemerkt.*|nicht gebucht|offen|in bearbeitung|geplant|storniert|abgelehnt|abgebrochen|en attente|en cours|refuse|annule|pendiente|rechazad[ao]|anulad[ao]|pendente|cancelad[ao]|in attesa|non contabilizzat[ao]|annullat[ao]|in behandeling|gereserveerd|geweigerd|oczekujac[ae]|w realizacji|odrzucon[ae]|anulowan[ae])$/

/** What Alipay and WeChat Pay write under 收/支 beside what they count neither way: moves between pots, and refunds. */
export const neutral = /^(?:不计收支|其他|\/)$/

/**
 * Words in lines of totals and balances; cells that mark such a line even if it has an amount; and those that do so only if
 * it has no date, since Total is a petrol station too.
 */
export const summary =
  /^(?:sub ?totals?|totals?|total \w+|totaux?|totale|totaal|summe|gesamt|suma|somma|razem|sum)\b|\b(?:balance|saldo|kontostand|solde|anfangssaldo|endsaldo|beginsaldo|eindsaldo)\b|^s a l d o$|^(?:合计|总计|合計|합계)/
export const summaryOnly =
  /^(?:s a l d o|turnover|apyvarta|saldo(?: anterior| inicial| final| do dia| iniziale| finale| poczatkowe| koncowe| actual| disponivel| bloqueado)?|(?:opening|closing|beginning|ending|starting|previous|final) balance(?: as of .*)?|balance [bc] (?:[df]|fwd)|(?:balance )?(?:brought|carried) (?:forward|fwd|down)|anfangssaldo|endsaldo|saldovortrag|(?:alter|neuer) kontostand|(?:ancien|nouveau) solde|solde precedent|beginsaldo|eindsaldo|(?:balance|saldo|kontostand|solde)(?: (?:as|of|at|on|am|vom|per|zum|au|du|al|del|em|op|na|dnia))+ \d+ (?:\d+|\p{L}+) \d+)$/u
export const sumOnly =
  /^(?:(?:sub ?totals?|totals?|totaux|totale|totaal|summe|gesamt|suma|somma|razem|sum)(?: (?:amount|credits?|debits?|deposits|withdrawals))?|合计|总计|合計|합계)$/

/** Counts of rows, which begin with a number as dates do. */
export const rowCount =
  /^\d+ (?:rows?|records?|entries|items|transactions?|umsatze|buchungen|zeilen|operations?|lignes|movimientos|operaciones|movimentos|movimenti|operazioni|transacties|regels|transakcj[ei])$/
