import { addDays } from '../../../src/domain/dates.ts'
import { type Minor, negated } from '../../../src/domain/money.ts'
import { type Aspects, asTold, refuseAnswer } from '../../shared/aspect.ts'
import { knownBalance, needDays, signsByKnownRows } from '../../shared/known.ts'
import type { CsvTable } from '../text/table.ts'
import { provedByKind } from './account-kind.ts'
import { directionsByBalances } from './balances.ts'
import { doubtAbout, meaningOfBalances } from './direction.ts'
import type { Entry } from './entry.ts'
import { loneMark, recordMarks } from './marks.ts'
import { type Proof, question, type Shown, unsignedQuestion } from './sign-questions.ts'

/** Further evidence: balances of lines that are not entries, and the proof of this kind of file. */
type Evidence = { openings: Minor[]; own: Proof | null }

/** An entry without a sign, and whether its balance shows that it was raised (1) or lowered (-1). */
type Unsigned = { entry: Entry; direction: 1 | -1 | null }

/** Why balances may be what is owed, and what proves by the kind of the account that they are not. */
type Doubt = { doubt: string | null; byKind: string | null }

/** How the balances are meant, and what is known of the entries whose direction they do not show. */
type Meaning = { isOwn: boolean; oldestCameIn: boolean }

/**
 * The entries of amounts that have no signs: each raises or lowers a balance. Whether what raises it came in may be in doubt,
 * and which way those went that balances do not show, usually the oldest, is asked.
 */
export function unsigned(
  table: CsvTable,
  groups: Entry[][],
  { openings, own }: Evidence,
  aspects: Aspects,
): Entry[][] {
  const read = groups.map((group): Unsigned[] => {
    const directions = directionsByBalances(group, [...openings, ...knownOpenings(group, aspects)])
    return group.map((entry, i) => ({ entry, direction: directions[i] ?? null }))
  })
  const all = read.flat()
  if (all.every(({ direction }) => direction === null)) return ofOneDirection(table, groups, own, aspects)
  const doubts = read.map((group) => doubtAbout(table, group.map(stepOf)))
  const doubt = doubts.find((one) => one !== null) ?? null
  const moved = () => read.map((group) => group.map(movedBy))
  const byKind = doubt === null ? null : provedByKind(table, moved(), aspects)
  const { isOwn, oldestCameIn } = settle(all, { doubt, byKind }, aspects)
  return read.map((group) =>
    group.map(({ entry, direction }) => {
      const cameIn = direction === null ? oldestCameIn : (direction === 1) === isOwn
      return { ...entry, amount: (cameIn ? entry.amount : -entry.amount) as Minor }
    }),
  )
}

/** The entry as it moved the balance: by nothing, if that does not show. */
const movedBy = ({ entry, direction }: Unsigned) => ({
  ...entry,
  amount: (entry.amount * (direction ?? 0)) as Minor,
})

/** What the account held, or owed, before the first day of the file. */
function knownOpenings(entries: Entry[], aspects: Aspects): Minor[] {
  const [first] = entries.flatMap(({ date }) => date ?? []).sort()
  const held = first ? knownBalance(aspects, addDays(first, -1)) : null
  return held === null ? [] : [held, negated(held)]
}

const stepOf = ({ entry: { row, amount, balance }, direction }: Unsigned) => ({
  row,
  change: amount * (direction ?? 0),
  balance,
})

/** Without a balance that shows a direction, all amounts go the same way. */
function ofOneDirection(table: CsvTable, groups: Entry[][], own: Proof | null, aspects: Aspects): Entry[][] {
  const entries = groups.flat()
  const hasBalances = entries.some(({ balance }) => balance !== null)
  const doubt = hasBalances ? notShown : 'Nothing in the file says which way its amounts go: none has a sign.'
  const signs = aspects.settle(
    'signs',
    () => own ?? signsByKnownRows(entries, aspects) ?? question(doubt, entries, 'signs_missing'),
  )
  const isInverted = signs.startsWith('inverted')
  const word = loneMark(
    table,
    entries.map(({ row }) => row),
  )
  const settled = aspects.settled.signs
  if (word && settled) recordMarks(new Map([[word, isInverted ? 'debit' : 'credit']]), settled.proof, aspects)
  if (!isInverted) return groups
  return groups.map((group) => group.map((entry) => ({ ...entry, amount: -entry.amount as Minor })))
}

const notShown = 'The balances do not show which way every amount went, and none has a sign.'

/**
 * Settles what the balances mean and which way the oldest amounts went, which an answer for one month does not say of the
 * next. As long as the first is unknown, `as_written` says that positive amounts came in: those that raise the balance or, if
 * none does, those that lower it.
 */
function settle(all: Unsigned[], { doubt, byKind }: Doubt, aspects: Aspects): Meaning {
  const told = aspects.told.signs?.startsWith('by_mark') ? undefined : aspects.told.signs
  const open = all.flatMap(({ entry, direction }) => (entry.amount !== 0 && !direction ? [entry] : []))
  const shown = shownIn(all)
  const isOneWay = all.every(({ direction }) => direction !== (shown.verb === 'raise' ? -1 : 1))
  const known = knownMeaning(all, { doubt, byKind }, isOneWay, shown, aspects)
  const kept = isOneWay && known ? keptSigns(known.isOwn === (shown.verb === 'raise'), aspects) : null
  if (
    told !== undefined &&
    known &&
    !known.yields &&
    open.length === 0 &&
    isOwnBy(told, shown) !== known.isOwn
  )
    refuseAnswer('signs', told, { proof: known.proof, line: shown.entry?.row.line })
  const isAsked = told === undefined && (known === null || (open.length > 0 && kept === null))
  const asked = known ? question(notShown, open, 'signs_missing') : unsignedQuestion(doubt ?? '', shown, open)
  // What the account held before shows which way the oldest amount went.
  if (isAsked)
    needDays(
      all.map(({ entry }) => entry),
      aspects,
    )
  const answer = isAsked
    ? aspects.ask('signs', asked.question, asked.options, asked.code)
    : (told ?? kept ?? '')
  const isOwn = known?.isOwn ?? isOwnBy(answer, shown)
  const oldestCameIn = answer === 'as_written' || answer === 'inverted_but_oldest'
  if (!isAsked) {
    // Where the balances show every direction, there is nothing to tell.
    const isUsed = told !== undefined && (known === null || open.length > 0)
    const proof = isUsed ? asTold : (known?.proof ?? '')
    const cameIn = isOwn === (shown.verb === 'raise')
    const areAlike = isOneWay && answer === (cameIn ? 'as_written' : 'inverted')
    aspects.record('signs', isUsed || areAlike ? answer : 'by_balance', proof, { once: !areAlike })
    aspects.record('balance', isOwn ? 'own' : 'owed', known?.proof ?? proof)
  }
  return { isOwn, oldestCameIn }
}

/** Whether more is better, by an answer. */
const isOwnBy = (answer: string, { verb }: Shown) => answer.startsWith('inverted') === (verb === 'lower')

/** Whether more is better, as far as that is known without a question; `yields` to an answer if the file does not show it. */
function knownMeaning(
  all: Unsigned[],
  { doubt, byKind }: Doubt,
  isOneWay: boolean,
  { verb }: Shown,
  aspects: Aspects,
): { isOwn: boolean; proof: string; yields?: boolean } | null {
  const { kept } = aspects
  const { balance, signs } = kept?.values ?? {}
  if (kept && balance) return { isOwn: balance === 'own', proof: kept.source, yields: true }
  // Of a layout with signs, this month may have amounts of one sign only.
  if (kept && isOneWay && (signs === 'as_written' || signs === 'inverted'))
    return { isOwn: (signs === 'as_written') === (verb === 'raise'), proof: kept.source, yields: true }
  const shown = all.map(movedBy)
  const recorded = signsByKnownRows(shown, aspects)
  if (recorded) return { isOwn: recorded.value === 'as_written', proof: recorded.proof, yields: true }
  const held = meaningOfBalances([all.map(({ entry }) => entry)], aspects)
  if (held) return { ...held, yields: true }
  if (doubt === null) return { isOwn: true, proof: 'the balances show which way each amount went' }
  return byKind ? { isOwn: true, proof: byKind, yields: true } : null
}

/** The signs of an earlier import, if the amounts that came in or were spent agree with them. */
function keptSigns(cameIn: boolean, { kept }: Aspects): string | null {
  const signs = cameIn ? 'as_written' : 'inverted'
  return kept?.values.signs === signs ? signs : null
}

/** An amount that raises its balance, or one that lowers it if none does. */
function shownIn(all: Unsigned[]): Shown {
  const raising = all.find(({ direction }) => direction === 1)
  if (raising) return { entry: raising.entry, verb: 'raise' }
  return { entry: all.find(({ direction }) => direction === -1)?.entry, verb: 'lower' }
}
