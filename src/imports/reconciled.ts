import type { FieldErrors } from '../domain/field-errors.ts'
import { firstErrors } from '../domain/field-errors.ts'
import { pluralize } from '../domain/pluralize.ts'
import { dayInWords, reconciledText } from '../domain/reconciled-text.ts'
import { Invalid, Questions } from '../failures/failures.ts'
import { errorKey } from './errors.ts'
import type { ImportFile } from './import-file.ts'
import type { LockedRow } from './statements.ts'

const maxExamples = 3

/** The failure of an import with rows in a reconciled period: a question about a file, an error for each item of JSON. */
export function reconciledRows({ format, rows }: ImportFile, locked: LockedRow[]): Invalid {
  const textOf = ({ through }: LockedRow) => reconciledText(dayInWords(through))
  if (format === 'json') {
    const errors: FieldErrors = {}
    for (const one of locked) errors[errorKey(format, one.position + 1, 'transaction_date')] = [textOf(one)]
    return new Invalid(firstErrors(errors, 'transactions'))
  }
  const [latest = ''] = locked.map(textOf).toSorted().reverse()
  const text = `${pluralize(locked.length, 'new row')} would change a reconciled period. ${latest}`
  const example = locked.slice(0, maxExamples).flatMap(({ position }) => {
    const row = rows[position]
    return row ? [{ ...row, date: row.transaction_date }] : []
  })
  const options = [
    { value: 'skip', label: 'Leave these rows out.', example: [] },
    { value: 'add', label: 'Add them, which may break a balance check.', example },
  ]
  return new Questions({ reconciled: [text] }, [
    { field: 'reconciled', code: 'reconciled', text, dependsOn: null, options },
  ])
}
