import type { CalendarDate } from '../../src/shared/dates.ts'
import type { signAnswers, signConventions } from '../../src/shared/types.ts'
import type { DecimalSeparator } from './amount.ts'

/** Whether negative amounts were spent, as they are written, or positive ones were. */
export type SignConvention = (typeof signConventions)[number]

/** What the user says about the file, and what was kept of an earlier import; the rest is detected or asked. */
export type FileOptions = {
  /** Up to three characters, or one of the words `comma`, `semicolon`, `tab`, `pipe`. */
  delimiter?: string
  /** A label of the Encoding Standard, such as `windows-1253`. */
  encoding?: string
  /**
   * `DD/MM/YYYY`, `MM/DD/YYYY`, `YYYY-MM-DD` or similar: only the order of day, month and year counts. A date that is
   * impossible in that order is read in the one that fits, if there is just one.
   */
  date_format?: string
  decimal_separator?: DecimalSeparator
  /** `as_written` if negative amounts were spent, `inverted` if positive ones were. */
  signs?: (typeof signAnswers)[number]
  /** Which account of the file is meant, by the name that `accountNames` gives it. */
  statement_account?: string
  /** For each of our fields, the header or number of its column (`"1"` is the first); `""` if no column has it. */
  mapping?: Record<string, string>
  /** For each word in the column of states, `booked` or `skipped`. */
  states?: Record<string, string>
  /** For each word that marks amounts, `in` or `out`. */
  marks?: Record<string, string>
  /** Whether fees are in the amounts, charged besides them, or not charged at all. */
  fees?: 'included' | 'extra' | 'ignored'
  /** Dates far ahead of it are doubted where the file leaves years open, and in bank files always. */
  today?: CalendarDate
  /** Answers by the fields of their questions; the options above win over them. */
  answers?: Answers
  kept?: Kept | null
  /** Which way the amounts go according to rows that the user has typed. */
  typed?: { value: SignConvention; proof: string } | null
}

/** Answers by field: `signs`, `mapping.amount`, `states.Pending` … */
export type Answers = Record<string, string>

/** The values that an earlier import of the same layout settled, and the name of that import. */
export type Kept = { values: Answers; source: string }

const answering = [
  'delimiter',
  'encoding',
  'date_format',
  'decimal_separator',
  'signs',
  'statement_account',
  'fees',
  'mapping',
  'states',
  'marks',
] as const

/** The options of a request as answers; those that hold several values are spread over fields such as `mapping.amount`. */
export function answersOf(options: FileOptions): Answers {
  const fields = answering.flatMap((name): [string, string][] => {
    const value = options[name]
    if (typeof value === 'string') return value === '' ? [] : [[name, value]]
    return Object.entries(value ?? {}).map(([key, one]) => [`${name}.${key}`, one])
  })
  return { ...options.answers, ...Object.fromEntries(fields) }
}
