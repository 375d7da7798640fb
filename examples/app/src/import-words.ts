import type { ImportQuestion } from 'purse-client'
import { shortDay } from './format.ts'
import { nameOfField } from './titles.ts'

type Option = ImportQuestion['options'][number]

/** A question about a file as a person would ask it. */
export function askedIn({ field, text, options }: ImportQuestion): string {
  const [aspect, what = ''] = [field.split('.', 1)[0], field.slice(field.indexOf('.') + 1)]
  const days = options.flatMap((option) => dayOf(option) ?? [])
  if (field === 'date_format' && new Set(days).size > 1) return `Is this ${[...new Set(days)].join(' or ')}?`
  if (field === 'encoding') return 'Which of these can you read?'
  if (field === 'delimiter') return 'Which of these is a row of the file?'
  if (aspect === 'mapping') return `Which column has the ${nameOfField(what)}?`
  // What a script would send is of no use to a person.
  return text.replace(/ (Send|Map) .*/, '')
}

/** An answer in words. */
export function answerIn({ field }: Pick<ImportQuestion, 'field'>, option: Option): string {
  const day = dayOf(option)
  if (field === 'date_format' && day) return day
  return option.label.replaceAll('_', ' ')
}

const dayOf = ({ example: [first] }: Option) => first && shortDay(first.transaction_date)

const aspects: Record<string, string> = {
  date_format: 'Dates',
  decimal_separator: 'Decimals',
  delimiter: 'Between columns',
  encoding: 'Letters',
  fees: 'Fees',
  signs: 'Which amounts were spent',
  statement_account: 'Account of the file',
}

/** The name of an aspect of a file: `mapping.amount` is the column of amounts. */
export function aspectIn(field: string): string {
  const [aspect = '', what] = field.split('.', 2)
  if (aspect === 'mapping') return `Column of the ${nameOfField(what ?? '')}`
  return what ? `“${what}”` : (aspects[aspect] ?? nameOfField(aspect))
}

const readAs: Record<string, string> = {
  as_written: 'negative ones',
  inverted: 'positive ones',
  '*': 'all of them',
  ',': 'a comma',
  '.': 'a point',
}

/** How an aspect was read, in words. */
export const valueIn = (value: string): string => readAs[value] ?? value.replaceAll('_', ' ')
