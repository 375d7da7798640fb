/** A pattern for one of the words in a list. */
const oneOf = (words: string) => `(?:${words.trim().split(/\s+/).join('|')})`

const sum = oneOf(
  'sub.?totals? totals? totaux totale totaal summe gesamt suma summa somma razem sum celkem celkom spolu osszesen yhteensa ukupno skupaj',
)
/** The same in Turkish, and in scripts whose letters have no word boundaries in a pattern. */
const otherSum = oneOf('合计 总计 合計 합계 รวม סהכ συνολο итого toplam')
/** What is added up, in lines such as `Total payments`. */
const summands = oneOf(`
  amount payments? credits? debits? deposits withdrawals charges fees purchases general geral generale
  movimientos movimentos movimenti entrate uscite umsatze einnahmen ausgaben operacji af bij
`)
const balance = oneOf('balance saldo kontostand solde')
/** What is said of a balance, before or behind its name. */
const balanceKinds = oneOf(`
  available current ledger alter neuer aktueller contabile contable contabil disponibile disponible disponivel
  inicial initial iniziale final finale
`)
const onDate = `(?: ${oneOf('as at of on am vom per zum au du al del em op na dnia')})* \\d+ (?:\\d+|\\p{L}+) \\d+`

/**
 * Words in lines of totals and balances; cells that mark such a line even if it has an amount; and those that do so only if
 * it has no date: Total is a petrol station too, and the balance of a day may be what is paid.
 */
export const summary = new RegExp(
  `^(?:${sum}|total \\w+)\\b|\\b(?:balance|saldo|kontostand|solde|anfangssaldo|endsaldo|beginsaldo|eindsaldo)\\b|^s a l d o$|^${otherSum}`,
)
export const summaryOnly =
  /^(?:s a l d o|turnover|apyvarta|kaive|apgrozijums|saldo(?: anterior| inicial| final| do dia| iniziale| finale| poczatkowe| koncowe| actual| disponivel| bloqueado)?|(?:open(?:ing)?|clos(?:e|ing)|beginning|ending|starting|previous|final) balance(?: as of .*)?|balance [bc] (?:[df]|fwd)|(?:balance )?(?:brought|carried) (?:forward|fwd|down)|anfangssaldo|endsaldo|saldovortrag|(?:alter|neuer) kontostand|(?:ancien|nouveau) solde|solde precedent|beginsaldo|eindsaldo|algsaldo|loppsaldo|(?:sakuma|beigu) atlikums|likutis (?:pradziai|pabaigai)|(?:pocatecni|konecny) zustatek|(?:nyito|zaro) egyenleg|(?:pocetno|zavrsno|konacno) stanje|(?:входящии|исходящии) остаток|(?:balance|saldo|kontostand|solde)(?: (?:as (?:of|at)|at|am|per|zum|au|al|em|op|na|dnia))+ \d+ (?:\d+|\p{L}+) \d+)$/u
export const sumOnly = new RegExp(
  [
    `^${sum}(?: ${summands})?(?: \\d+)?$`,
    `^(?:${balanceKinds} ${balance}|${balance} ${balanceKinds})(?:${onDate})?$`,
    `^${balance}${onDate}$`,
    `^${otherSum}$`,
  ].join('|'),
  'u',
)

/** What every text of `summaryOnly` contains, however it is written: folding each cell would take far longer. */
export const nameOfBalance =
  /turnover|apyvarta|käive|apgro|atlik|sald|balance|s.a.l.d.o|forward|fwd|down|kontostand|solde|likut|zůstat|egyenleg|stanje|остат/i

/** The same for `sumOnly`. */
export const nameOfSum = new RegExp(
  `${nameOfBalance.source}|tot|sum|gesamt|razem|itog|celk|spolu|sszesen|yhteens|ukupno|skupaj|${otherSum}`,
  'i',
)

/** Words that begin the text of a total. */
export const totalWords = new RegExp(`^(?:(?:${sum}|total \\w+)\\b|${otherSum})`)

/** Counts of rows, which begin with a number as dates do. */
export const rowCount =
  /^\d+ (?:rows?|records?|entries|items|transactions?|umsatze|buchungen|zeilen|operations?|lignes|movimientos|operaciones|movimentos|movimenti|operazioni|transacties|regels|transakcj[ei])$/
