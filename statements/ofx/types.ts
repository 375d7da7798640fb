import { pluralize } from '../../src/domain/pluralize.ts'
import { readWrittenAmount } from '../shared/amount.ts'
import { type Aspects, directionChoices } from '../shared/aspect.ts'
import type { OfxAggregate } from './sgml.ts'

/** Types of entries that leave no doubt which way the money went (OFX 1.6, 11.4.3.1.1 "Transaction Types"). */
const debitTypes = new Set(['DEBIT', 'CHECK', 'CASH', 'DIRECTDEBIT'])
const creditTypes = new Set(['CREDIT', 'DEP', 'DIRECTDEP'])

/** What cards are charged, beside these. */
const cardDebitTypes = new Set([...debitTypes, 'POS', 'FEE', 'SRVCHG'])

/** The most types that are asked about. */
const maxAsked = 8

const typeOf = ({ elements }: OfxAggregate) => elements.get('TRNTYPE')?.slice(0, 40).toUpperCase() ?? 'blank'
const amountOf = ({ elements }: OfxAggregate) => elements.get('TRNAMT') ?? ''
const isNegative = (entry: OfxAggregate) => readWrittenAmount(amountOf(entry))?.isNegative ?? false

/** The entries of a statement, and whether it is that of a card. */
type Entries = { entries: OfxAggregate[]; isCard: boolean }

/**
 * Compares the types of the entries of each statement with the signs of their amounts. Returns evidence against the signs,
 * if more types contradict than agree, or any where no amount has a sign; or if no type says anything of a card, whose signs
 * banks write both ways. If statements without signs have types of both directions, and not too many, each type that is no
 * credit is asked about, and `debits` are the entries that were spent.
 */
export function settleTypes(
  statements: Entries[],
  aspects: Aspects,
): { against: string | null; debits: Set<OfxAggregate> } {
  const moved = statements.map(({ entries, isCard }) => ({
    entries: entries.filter((entry) => /[1-9]/.test(amountOf(entry))),
    isCard,
  }))
  const unsigned = moved.filter(({ entries }) => !entries.some(isNegative))
  const byType = Map.groupBy(
    unsigned.flatMap(({ entries }) => entries),
    typeOf,
  )
  const hasType = (known: Set<string>) => [...byType.keys()].some((type) => known.has(type))
  const isAsked = hasType(debitTypes) && hasType(creditTypes) && byType.size <= maxAsked
  const compared = isAsked ? moved.filter(({ entries }) => entries.some(isNegative)) : moved
  const against = compared.map(contradiction).find((one) => one !== null) ?? null
  const spent = [...byType].filter(
    ([type, { length }]) =>
      isAsked && !creditTypes.has(type) && askAboutType(type, length, aspects) === 'out',
  )
  return { against, debits: new Set(spent.flatMap(([, entries]) => entries)) }
}

function contradiction({ entries, isCard }: Entries): string | null {
  const debits = isCard ? cardDebitTypes : debitTypes
  const typed = entries.filter((entry) => debits.has(typeOf(entry)) || creditTypes.has(typeOf(entry)))
  if (isCard && typed.length === 0 && entries.length > 0)
    return 'No type of the entries (DEBIT, CREDIT and others) confirms the signs of the amounts, which cards write both ways.'
  const against = typed.filter((entry) => isNegative(entry) !== debits.has(typeOf(entry)))
  return against.length * 2 > typed.length || (against.length > 0 && !entries.some(isNegative))
    ? `The types of the entries (DEBIT, CREDIT and others) contradict the signs of ${against.length} of ${typed.length} amounts.`
    : null
}

function askAboutType(type: string, entries: number, aspects: Aspects): string {
  return aspects.settle(`marks.${type}`, () => ({
    question: `Nothing in the file says which way ${pluralize(entries, 'amount')} of type ${type} went: none has a sign.`,
    options: directionChoices(type),
  }))
}
