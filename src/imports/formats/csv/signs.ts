import { type Minor, negated } from '../../../shared/money.ts'
import type { Problems } from '../problems.ts'
import type { FileOptions } from '../statement.ts'
import { quoted } from '../text.ts'
import { type Balanced, checkSigns, provedRows, type SignCheck, signedByBalances } from './balance.ts'
import { foldHeader } from './header-names.ts'
import { markOf } from './mark-words.ts'
import type { CsvRow } from './rows.ts'
import type { SignBasis } from './signed-amounts.ts'
import type { CsvTable } from './table.ts'

type Entry = Balanced & { row: CsvRow; isPending: boolean }

/** What banks write beside the repayment of a card. If repayments are negative, charges are positive. */
const repayment =
  /\bpayment (?:received|thank)|thank you for (?:your )?payment|\bautopay payment|pagamento recebido|pago recibido|gracias por (?:tu|su) pago|paiement recu|merci (?:de|pour) votre paiement|zahlung erhalten|(?:einzahlung|zahlung) (?:vielen |besten )?dank|betaling ontvangen|betalning mottagen|betalt bg/
/** Headers that only cards have. */
const cardHeader =
  /^(?:card member|cardmember|card holder(?: name)?|cardholder(?: name)?|purchased by|card (?:no|number)|karteninhaber(?: in)?|kartennummer|numero de (?:carte|tarjeta)|kortnummer|utl belopp|portador|卡号末四位|(?:利用|이용)(?:日|일자)?)$/
const refund =
  /\b(?:refund|reversal|gutschrift|erstattung|remboursement|reembolso|devolucion|estorno|rimborso|zwrot|terugbetaling)\b/

/**
 * The entries of each account with their true signs. Balances can prove the signs or refute them. Unless the user has
 * given `signs`, an error asks for it if nothing shows which way amounts go, if the balances contradict the signs, or if
 * the amounts look like the charges and repayments of a card. `openings` are balances of lines that are not entries.
 */
export function settleSigns<T extends Entry>(
  table: CsvTable,
  groups: T[][],
  { basis, openings }: { basis: SignBasis | null; openings: Minor[] },
  { signs }: FileOptions,
  problems: Problems,
): T[][] {
  if (basis === 'marks' || basis === null) return groups
  const known = new Set(groups.map(checkOf).filter((check) => check !== null))
  if (basis === 'nothing') return settleUnsigned(groups, { known, openings, signs }, problems)
  if (signs) return groupsAs(signs, groups)
  const doubt = doubtOf(table, known, groups.flat())
  if (doubt) ask(doubt, groups.flat(), problems)
  return groups
}

/**
 * The entries of a file whose amounts have no signs: only balances can give them some or, where these prove nothing, the
 * user. Adds an error if amounts went both ways, so that what the user says cannot be true of them all.
 */
function settleUnsigned<T extends Entry>(
  groups: T[][],
  { known, openings, signs }: { known: Set<SignCheck>; openings: Minor[]; signs: FileOptions['signs'] },
  problems: Problems,
): T[][] {
  // No balance precedes the oldest amount, so that even if all later ones go one way, it may go the other.
  const isAboutOldest = known.size > 0 && !known.has('either')
  const signOf = signOfOldest(openings, isAboutOldest ? signs : undefined)
  const byBalance = groups.map((group) => signedByBalances(group, signOf))
  if (byBalance.every((group) => group !== null)) return byBalance
  const unsettled = groups.filter((_, i) => byBalance[i] === null)
  if (signs) {
    if (unsettled.some((group) => checkOf(group) === 'mixed')) problems.add('signs', bothWays)
    return groups.map((group, i) => byBalance[i] ?? signedUnlessProved(group, signs))
  }
  const oldest = isAboutOldest ? oldestIfOpen(groups, signOf) : []
  if (oldest.length > 0) ask(oldestIsOpen, oldest, problems)
  else ask(known.size > 0 ? someAreOpen : nothingSays, unsettled.flatMap(openEntries), problems)
  return groups
}

/** Asks which way amounts go, with one of the entries as an example. */
function ask(doubt: string, entries: Entry[], problems: Problems): void {
  const example = entries.find(({ amount }) => amount > 0) ?? entries[0]
  if (example)
    problems.add(
      'signs',
      `${doubt} Send signs=as_written if a positive amount such as ${quoted(example.row.amount.text)} in row ${example.row.line} came in, signs=inverted if it was spent; or map the column to debit or to credit.`,
    )
}

const nothingSays = 'Nothing in the file says which way its amounts go: none has a sign.'
const oldestIsOpen = 'The balances do not show which way the oldest amount went, and it has no sign.'
const someAreOpen = 'The balances do not show which way every amount went, and none has a sign.'
const bothWays =
  'The balances show that some amounts came in and others were spent, but not for each of them; give every amount its sign, or its balance.'

/** The oldest entries whose signs are open; none if the balances leave others open as well. */
function oldestIfOpen<T extends Entry>(groups: T[][], signOf: (entry: T) => number | null): T[] {
  const open: T[] = []
  for (const group of groups) {
    let oldest: T | undefined
    const signed = signedByBalances(group, (entry) => {
      oldest = entry
      return signOf(entry) ?? 1
    })
    if (!signed || !oldest) return []
    if (signOf(oldest) === null) open.push(oldest)
  }
  return open
}

/** Why the meaning of signs has to be asked about; null if it is clear. */
function doubtOf(table: CsvTable, known: Set<SignCheck>, entries: Entry[]): string | null {
  if (known.has('inverted') || known.has('mixed'))
    return 'The balances in the file contradict the signs of its amounts.'
  if (known.has('right')) return null
  const says = (words: RegExp) => (entry: Entry) =>
    words.test(foldHeader(entry.row.cells.join(' ').slice(0, 500)))
  const negative = entries.filter(({ amount }) => amount < 0)
  const positive = entries.filter(({ amount }) => amount > 0)
  const againstKinds = signsContradictKinds(table, entries)
  const isOfCard = table.headers.some(({ name }) => cardHeader.test(name))
  if (isOfCard && negative.length < entries.length / 2)
    return 'The file is that of a card, and most of its amounts are positive, as if they were charges.'
  const areRefunds = negative.length <= entries.length / 2 && negative.every(says(refund))
  if (negative.length > 0 && (againstKinds || areRefunds || negative.some(says(repayment))))
    return 'Negative amounts in the file seem to be repayments, so that positive ones would be charges.'
  const isClear = (entry: Entry) =>
    entry.balance !== null ||
    entry.row.amount.written?.positive ||
    says(refund)(entry) ||
    says(repayment)(entry)
  if (negative.length > 0 && positive.length >= 4 * negative.length && !positive.some(isClear))
    return 'Nearly all amounts in the file are positive, as if they were charges of a card.'
  return null
}

/** True if some rows are called purchases, refunds or the like, and every one of them has the sign of the other kind. */
function signsContradictKinds({ columns }: CsvTable, entries: Entry[]): boolean {
  const kinds = [...(columns.type ?? []), ...(columns.posting_text ?? [])]
  const found = entries.flatMap(({ row, amount }) => {
    const mark = kinds.map((column) => markOf(row.cells[column] ?? '')).find((one) => one !== null)
    return mark && amount !== 0 ? [(mark === 'debit') === amount < 0] : []
  })
  return found.length > 0 && !found.includes(true)
}

function checkOf(group: Entry[]): SignCheck {
  return checkSigns(checkedEntries(group))
}

/** The booked entries or, if their balances say nothing, all of them. */
function checkedEntries<T extends Entry>(group: T[]): T[] {
  const booked = group.filter(({ isPending }) => !isPending)
  return checkSigns(booked) === null ? group : booked
}

/** The entries of which balances do not prove which way they went. */
function openEntries<T extends Entry>(group: T[]): T[] {
  const proved = new Set(provedRows(checkedEntries(group)))
  return group.filter((entry) => !proved.has(entry))
}

/** The entries with the signs that balances prove or else, the user says. */
function signedUnlessProved<T extends Entry>(group: T[], signs: 'as_written' | 'inverted'): T[] {
  const open = new Set(openEntries(group))
  const isProvedInverted = checkOf(group) === 'inverted'
  return group.map((entry) => {
    const isInverted = open.has(entry) ? signs === 'inverted' : isProvedInverted
    return isInverted ? { ...entry, amount: negated(entry.amount) } : entry
  })
}

/** The sign of an account's oldest entry, which no balance precedes: by an opening balance, or else as the user says. */
function signOfOldest(openings: Minor[], signs: FileOptions['signs']) {
  return ({ amount, balance }: Entry): number | null => {
    // If the first balance is this amount, the account started from zero.
    const before = [...openings, 0].find((opening) => Math.abs((balance ?? 0) - opening) === amount)
    if (before !== undefined) return (balance ?? 0) > before ? 1 : -1
    return signs ? (signs === 'inverted' ? -1 : 1) : null
  }
}

function groupsAs<T extends Entry>(signs: 'as_written' | 'inverted', groups: T[][]): T[][] {
  if (signs === 'as_written') return groups
  return groups.map((group) => group.map((entry) => ({ ...entry, amount: negated(entry.amount) })))
}
