import type { ImportQuestion } from 'purse-client'
import { shortDay } from './format.ts'
import { nameOfField } from './titles.ts'

type Option = ImportQuestion['options'][number]

/** A question about a file as a person would ask it. */
export function askedIn({ field, text, options }: ImportQuestion): string {
  const [aspect, what = ''] = [field.split('.', 1)[0], field.slice(field.indexOf('.') + 1)]
  const days = options.flatMap((option) => dayOf(option) ?? [])
  if (field === 'date_format' && new Set(days).size > 1) return `Is this ${[...new Set(days)].join(' or ')}?`
  if (aspect === 'mapping') return `Which column has the ${nameOfField(what)}?`
  if (aspect === 'marks') return `Were the amounts marked “${what}” spent, or did they come in?`
  if (aspect === 'states' && what && !dateless.test(what)) return `Did the rows marked “${what}” move money?`
  return asked[field] ?? inPlainWords(text)
}

/** States of rows without a date, of which the text says more. */
const dateless = /date$|^unchanged balance$|^blank$/

const asked: Record<string, string> = {
  encoding: 'Which of these can you read?',
  delimiter: 'Which of these is a row of the file?',
  decimal_separator: 'What stands before the cents?',
  fees: 'Do the amounts contain the fees?',
  signs: 'Which of these amounts were spent?',
  statement_account: 'Which account of the file is this?',
}

/** A text without what a script would send: `…; choose one by its number`, `Send signs=inverted …`, `mapping={…}`. */
export const inPlainWords = (text: string): string =>
  text
    .replace(/[.;,:]? (?:or )?(?:send|map|add|choose|name them|use one of|use up to)\b.*/is, '.')
    .replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (name) => nameOfField(name))

const lockAnswers: Record<string, string> = {
  skip: 'Leave them out, so that the period stays as it is.',
  add: 'Add them. The balance check of the period may turn red.',
}

/** An answer in words. */
export function answerIn({ field }: Pick<ImportQuestion, 'field'>, option: Option): string {
  const day = dayOf(option)
  if (field === 'reconciled') return lockAnswers[option.value] ?? option.label
  if (field === 'date_format' && day) return day
  return inPlainWords(option.label.replaceAll('_', ' '))
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
