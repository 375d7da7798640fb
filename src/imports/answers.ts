import type { Answers } from '../../statements/index.ts'
import type { ImportOptions } from './contract.ts'

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

/** The options of an import that answer questions about its file. */
export type AnsweringOptions = Pick<ImportOptions, (typeof answering)[number]>

/** The options as answers; those that hold several values are spread over fields such as `mapping.amount`. */
export function answersOf(options: AnsweringOptions): Answers {
  return Object.fromEntries(
    answering.flatMap((name): [string, string][] => {
      const value = options[name]
      if (typeof value === 'string') return value === '' ? [] : [[name, value]]
      return Object.entries(value ?? {}).map(([key, one]) => [`${name}.${key}`, one])
    }),
  )
}
