import type { Reading } from '../../statements/index.ts'
import type { FieldErrors } from '../domain/field-errors.ts'
import type { ImportFile } from './import-file.ts'

/** An item that breaks rules: its position, and pairs of field and message as JSON. */
export type BrokenItem = { position: number; errors: string }

/** The key of an error: it names the item of JSON, or the line of a file. `field` is empty for the row as a whole. */
export function errorKey(format: ImportFile['format'], line: number, field: string): string {
  const row = format === 'json' ? `transactions.${line - 1}` : `rows.${line}`
  return field === '' ? row : `${row}.${field}`
}

/** The problems of a file, and its questions by the option that answers each. */
export function fileErrors({ problems, questions }: Pick<Reading, 'problems' | 'questions'>): FieldErrors {
  const errors: FieldErrors = {}
  const add = (key: string, text: string) => {
    errors[key] = [...(errors[key] ?? []), text]
  }
  for (const { line, field, text } of problems)
    add(line === null ? field : errorKey('csv', line, field), text)
  for (const { field, text } of questions) add(field.split('.', 1)[0] ?? field, text)
  return errors
}

/**
 * The errors of the broken rows that are listed, out of `total`. A row that names its account gets an error about that
 * name; an error about the form's account is listed only once.
 */
export function errorsOf({ format, rows, accountId }: ImportFile, broken: BrokenItem[], total: number) {
  const errors: FieldErrors = {}
  for (const { position, errors: pairs } of broken) {
    const row = rows[position]
    for (const [field, message] of JSON.parse(pairs) as [string, string][]) {
      const isOfForm = field === 'account_id' && accountId !== null && row?.account === accountId
      const isNamed =
        (field === 'account_id' && typeof row?.account === 'string') ||
        (field === 'to_account_id' && typeof row?.to_account === 'string')
      const name = isNamed ? field.replace('_id', '') : field
      const key = isOfForm ? field : errorKey(format, row?.line ?? position + 1, name)
      const text = isNamed ? message.replaceAll('account id', 'account') : message
      errors[key] = [...new Set([...(errors[key] ?? []), text])]
    }
  }
  const unlisted = total - broken.length
  if (unlisted > 0 && Object.keys(errors).some((key) => key !== 'account_id')) {
    errors[format === 'json' ? 'transactions' : 'rows'] = [`${unlisted} more rows have errors.`]
  }
  return errors
}
