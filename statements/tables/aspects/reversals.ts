import { type Minor, negated } from '../../../src/domain/money.ts'
import type { Aspects } from '../../shared/aspect.ts'
import type { Mark } from '../text/mark-words.ts'
import type { CsvTable } from '../text/table.ts'
import type { Entry } from './entry.ts'
import { markColumns } from './marks.ts'
import type { Asked, Proof } from './sign-questions.ts'

/** The marks beside signed amounts, if some amounts agree with them and others do not: these may be reversals. */
export function mixedMarks(table: CsvTable, entries: Entry[], aspects: Aspects): (Mark | null)[] | null {
  const rows = entries.map(({ row }) => row)
  const found = markColumns(table, rows, aspects).find(({ marks }) => {
    const agreeing = entries.flatMap(({ amount }, i) =>
      amount === 0 || !marks[i] ? [] : amount > 0 === (marks[i] === 'credit'),
    )
    return new Set(agreeing).size > 1
  })
  return found?.marks ?? null
}

/** The question about amounts, with the readings by their marks among its options. */
export function withMarkOptions(asked: Proof | Asked): Proof | Asked {
  if (!('question' in asked)) return asked
  return {
    question: `${asked.question} Or send signs=by_mark if the marks alone say which way amounts went, signs=by_mark_or_reversed if negative amounts went the other way.`,
    options: [
      {
        value: 'by_mark_or_reversed',
        label: 'The marks say which way amounts went, and negative amounts went the other way.',
      },
      { value: 'by_mark', label: 'The marks alone say which way amounts went.' },
      ...asked.options,
    ],
  }
}

export const isByMark = (answer: string) => answer.startsWith('by_mark')

/** The amounts as their marks say, with either answer. */
export function signedByMarks(groups: Entry[][], marks: (Mark | null)[], answer: string): Entry[][] {
  const markOf = new Map(groups.flat().map((entry, i) => [entry, marks[i]]))
  return groups.map((group) =>
    group.map((entry) => {
      const amount = answer === 'by_mark' ? (Math.abs(entry.amount) as Minor) : entry.amount
      return { ...entry, amount: markOf.get(entry) === 'debit' ? negated(amount) : amount }
    }),
  )
}
