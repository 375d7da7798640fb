import type { CalendarDate } from '../../src/domain/dates.ts'
import type { Minor } from '../../src/domain/money.ts'
import type { AccountKind, signConventions } from '../../src/domain/types.ts'

/** Whether negative amounts were spent, as they are written, or positive ones were. */
export type SignConvention = (typeof signConventions)[number]

/**
 * Answers by the fields of their questions:
 * - `delimiter`: up to three characters, or one of the words `comma`, `semicolon`, `tab`, `pipe`;
 * - `encoding`: a label of the Encoding Standard, such as `windows-1253`;
 * - `date_format`: `DD/MM/YYYY`, `MM/DD/YYYY`, `YYYY-MM-DD` or similar, of which only the order counts. A date that is
 *   impossible in that order is read in the one that fits, if there is just one;
 * - `decimal_separator`: `.` or `,`;
 * - `signs`: `as_written` if negative amounts were spent, `inverted` if positive ones were. Where no amount has a sign, whether
 *   those that raise the balance came in; with `_but_oldest` behind it, the oldest went the other way;
 * - `statement_account`: which account of the file is meant, or `*` if all rows are of one;
 * - `mapping.amount` and so on: the header or number of the column (`1` is the first), or an empty text if none has it;
 * - `states.Pending` and so on: `booked` or `skipped`; `marks.D` and so on: `in` or `out`;
 * - `fees`: whether they are `included` in the amounts, charged besides (`extra`), or not charged (`ignored`).
 */
export type Answers = Record<string, string>

/** The values that an earlier file of the same layout settled, and words that name it, such as `as in import 12`. */
export type Remembered = { values: Answers; source: string }

type OfDay = { date: CalendarDate; amount: Minor }

/**
 * What is known of the account that the file is meant for: its `kind`, the `rows` recorded on the days of `needs`, and what it
 * held at the end of some of these days, in their order, each until the next. There are none if that is unknown.
 */
export type Known = { kind?: AccountKind | null; rows?: OfDay[]; balances?: OfDay[] }

/** What a file is read with besides its bytes; the rest is proved by the file, or asked. */
export type ReadOptions = {
  /** Dates far ahead of it are doubted where the file leaves years open, and in bank files always. */
  today?: CalendarDate
  answers?: Answers
  remembered?: Remembered | null
  known?: Known | null
  /** The accounts of earlier files that went into other accounts, with words that name these. */
  elsewhere?: ReadonlyMap<string, string>
}
