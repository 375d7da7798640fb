import { addDays } from '../../../src/domain/dates.ts'
import type { Minor } from '../../../src/domain/money.ts'
import type { Aspects } from '../../shared/aspect.ts'
import { knownBalance } from '../../shared/known.ts'
import type { Remembered, SignConvention } from '../../shared/options.ts'
import { quoted } from '../../shared/text.ts'
import { isCharge, isOwed, isRefund, isRepayment, isTransfer, productIn } from '../text/debt-words.ts'
import { type CsvRow, cellOf } from '../text/row.ts'
import type { CsvTable } from '../text/table.ts'
import { areMixed, balancesOfDays, signsByBalances } from './balances.ts'
import { type Entry, withFee } from './entry.ts'
import { headerOf } from './marks.ts'
import { type Asked, mayBeOwed, type Proof, question } from './sign-questions.ts'

/** A row that changed the balance by so much, and the balance after it. */
export type Step = { row: CsvRow; change: number; balance: Minor | null }

/**
 * Which way the amounts of an account go if a higher balance is better for its holder, and why it may not be: null where it
 * surely is.
 */
export type Direction = { value: SignConvention; doubt: string | null }

/** How many texts of each direction are searched for words, and how many lines above a table. */
const [maxTexts, maxTitles] = [200, 50]

/**
 * What the balances of an account say about its signed amounts; null if they do not follow from these. That they follow
 * proves that both agree, not that more is better: a card and a loan have a positive balance of what is owed.
 */
export function directionOf(table: CsvTable, entries: Entry[]): Direction | null {
  const value = signsByBalances(entries) ?? signsWithFees(entries)
  if (value === null) return null
  const changes = value === 'inverted' ? -1 : 1
  const steps = entries.map(({ row, amount, balance }) => ({ row, change: amount * changes, balance }))
  return { value, doubt: doubtAbout(table, steps) }
}

/** Which way amounts go that nothing but balances shows, or the kind of the account, or the question about it. */
export function provedByBalances(
  groups: Entry[][],
  directions: Direction[],
  byKind: () => string | null,
  aspects: Aspects,
): Proof | Asked {
  const entries = groups.flat()
  const [first] = directions
  const inDoubt = directions.find(({ value, doubt }) => doubt !== null || value === 'inverted')
  const kept = first && keptSigns(aspects.kept, first.value)
  // An earlier import knows more of the account than balances prove.
  if (kept) return kept
  const known = first && meaningOfBalances(groups, aspects)
  if (known) return { value: signsOf(known.isOwn, first.value), proof: known.proof, yields: true }
  const areAgainst = first?.value === 'inverted' || groups.some(areMixed)
  const proof = areAgainst || (first && !inDoubt) ? null : byKind()
  if (proof) return { value: 'as_written', proof, yields: true }
  if (inDoubt)
    return question(mayBeOwed(inDoubt.doubt ?? 'negative amounts raise them'), entries, 'signs_of_debt')
  if (first) return { value: first.value, proof: 'the balances follow' }
  if (groups.some(areMixed))
    return question('The balances in the file contradict the signs of its amounts.', entries)
  return question('Nothing in the file proves which way its amounts go.', entries, 'signs_unproved')
}

/** The signs that an earlier import settled; `own` are those of amounts that lead to balances of which more is better. */
function keptSigns(kept: Remembered | null, own: SignConvention): Proof | null {
  const { signs, balance } = kept?.values ?? {}
  const proof = kept?.source ?? ''
  if (balance) return { value: signsOf(balance === 'own', own), proof, yields: true }
  return signs === 'as_written' || signs === 'inverted' ? { value: signs, proof, yields: true } : null
}

const signsOf = (isOwn: boolean, own: SignConvention): SignConvention =>
  isOwn === (own === 'as_written') ? 'as_written' : 'inverted'

/**
 * Whether balances are what the account held, or what is owed, by what is known of it at the ends of the days of the file, and
 * before the first of them.
 */
export function meaningOfBalances(
  groups: Entry[][],
  aspects: Aspects,
): { isOwn: boolean; proof: string } | null {
  const found = groups.flatMap((group) => {
    const { first, days } = balancesOfDays(group)
    const ofDays = [...days].flatMap(([day, balance]) => sameOrOwed(knownBalance(aspects, day), [balance]))
    const { balance = null, amount = 0 } = first ?? {}
    if (balance === null || !first?.date) return ofDays
    const before = knownBalance(aspects, addDays(first.date, -1))
    return [...ofDays, ...sameOrOwed(before, [balance - amount, balance + amount])]
  })
  const [isOwn] = found
  if (isOwn === undefined || found.includes(!isOwn)) return null
  return { isOwn, proof: 'the known balances of the account' }
}

/** Whether a known balance is among some, or its opposite is; nothing if neither or both are. */
function sameOrOwed(known: number | null, balances: number[]): boolean[] {
  if (known === null) return []
  const [isSame, isOwed] = [balances.includes(known), balances.includes(-known)]
  return isSame === isOwed ? [] : [isSame]
}

/** Balances may follow only if fees are charged besides the amounts. */
function signsWithFees(entries: Entry[]): SignConvention | null {
  const charged = entries.map((entry) => ({ ...entry, amount: withFee(entry) }))
  return signsByBalances(charged) === 'as_written' ? 'as_written' : null
}

/** Why an account's balance may be what is owed, which spending raises; null if spending surely lowers it. */
export function doubtAbout(table: CsvTable, steps: Step[]): string | null {
  const raising = steps.filter(({ change }) => change > 0)
  const lowering = steps.filter(({ change }) => change < 0)
  const balances = steps.flatMap(({ balance }) => balance || [])
  const negative = balances.filter((balance) => balance < 0).length
  const product = productOf(table, steps)
  if (negative * 2 > balances.length) {
    // What is owed has a minus sign, unless a card has been overpaid.
    const cameBack = (text: string) => isRepayment(text) || isRefund(text)
    if (areMostly(table, lowering, cameBack)) return 'the amounts that lower them seem to be repayments'
    if (lowering.length >= raising.length && (!product || negative === balances.length)) return null
    if (areMostly(table, raising, cameBack)) return null
    return 'they are negative, and more amounts raise them than lower them'
  }
  if (negative * 2 === balances.length) return 'they are as often negative as positive'
  if (raising.length > lowering.length) return 'more amounts raise them than lower them'
  return debtIn(table, steps)
}

/** What speaks of a card or a loan; null if nothing does. */
export function debtIn(table: CsvTable, steps: Step[]): string | null {
  const product = productOf(table, steps)
  if (product) return `the file has ${product}`
  const raising = steps.filter(({ change }) => change > 0)
  const lowering = steps.filter(({ change }) => change < 0)
  if (areMostly(table, lowering, isRepayment)) return 'the amounts that lower them seem to be repayments'
  if (textsOf(table, raising).some(isCharge)) return 'interest or fees raise them'
  if (lowering.length === raising.length && lowering.length > 1 && textsOf(table, lowering).every(isTransfer))
    return 'all amounts that lower them may be payments'
  if (haveOneText(table, lowering)) return 'all amounts that lower them have the same text'
  return null
}

/** What says that the account is a card or a loan: a title, its name, or a header whose column each row fills. */
function productOf(table: CsvTable, steps: Step[]): string | null {
  const [first] = steps
  const titles = table.preamble.slice(0, maxTitles).map(({ cells }) => cells.join(' ').slice(0, 2_000))
  const named = (['account', 'product'] as const).map((field) =>
    first ? cellOf(table, first.row, field) : '',
  )
  for (const text of [...titles, first?.row.section ?? '', ...named]) {
    const found = productIn(text)
    if (found) return `the title ${quoted(text.slice(0, 100))}`
  }
  const column = table.headers.findIndex(
    ({ name }, column) =>
      (productIn(name) || isOwed(name)) && steps.every(({ row }) => row.cells[column]?.trim()),
  )
  return column < 0 ? null : `the column ${headerOf(table, column)}`
}

const described = ['payee', 'description', 'posting_text'] as const

/** The texts of the first rows. */
function textsOf({ columns }: CsvTable, steps: Step[]): string[] {
  const read = described.flatMap((field) => columns[field] ?? [])
  return steps.slice(0, maxTexts).map(({ row }) => read.map((column) => row.cells[column] ?? '').join(' '))
}

function areMostly(table: CsvTable, steps: Step[], isKind: (text: string) => boolean): boolean {
  const texts = textsOf(table, steps)
  return texts.length > 0 && texts.filter(isKind).length * 2 >= texts.length
}

/** True if two rows or more have one text, whatever numbers are in it: a debtor pays the same again and again. */
function haveOneText(table: CsvTable, steps: Step[]): boolean {
  const [first, ...others] = textsOf(table, steps).map((text) => text.replace(/[^\p{L}]+/gu, ' ').trim())
  return others.length > 0 && others.every((text) => text === first)
}
