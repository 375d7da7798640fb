import type { CalendarDate } from './dates.ts'
import type { Minor } from './money.ts'

/** A row as one option of a question reads it. */
export type ExampleRow = {
  line: number
  date: CalendarDate
  type: 'income' | 'expense' | 'transfer'
  amount: Minor
  description: string | null
}

/**
 * A question about a file: the option that settles it, the `code` of its reason, which a program may rely on, and its
 * possible values with the rows that each changes. If it `dependsOn` another one, it was asked with the first option of
 * that, and holds for no other.
 */
export type FileQuestion = {
  field: string
  code: string
  text: string
  dependsOn: string | null
  options: { value: string; label: string; example: ExampleRow[] }[]
}
