import type { CalendarDate } from '../../domain/dates.ts'
import type { FieldErrors } from '../../domain/field-errors.ts'
import { dayInWords, reconciledText } from '../../domain/reconciled-text.ts'
import type { operationOutcomes } from '../../domain/types.ts'
import type { Change } from '../../feed/rows.ts'
import type { Operation } from '../contract.ts'

/** The id of a row or, of one that the upload creates, `#` and its client id. 0 is none. */
export type Ref = number | string

export type Outcome = {
  index: number
  noun: Operation['noun']
  outcome: (typeof operationOutcomes)[number]
  id: Ref | null
  version: number | null
  /** The fields that conflict. */
  fields?: string[]
  errors?: FieldErrors
  /** The row as it is now, where the client cannot know it. */
  current?: Change
  /** True if the category that the operation names does not exist. */
  isUncategorised?: boolean
}

type Named = Pick<Operation, 'index' | 'noun'>

const outcomeOf = ({ index, noun }: Named, outcome: Outcome['outcome']): Outcome => ({
  ...{ index, noun, outcome },
  ...{ id: null, version: null },
})

export const gone = (operation: Named): Outcome => outcomeOf(operation, 'gone')

/** `current` is the row of an update or a deletion. */
export const invalid = (operation: Named, errors: FieldErrors, current?: Change): Outcome => ({
  ...outcomeOf(operation, 'invalid'),
  ...(current && { id: current.id, version: versionOf(current) }),
  errors,
})

const versionOf = ({ row }: Change) => (row && 'version' in row ? row.version : null)

/** A new row has `#` and its client id. */
export const created = (
  operation: Named,
  id: string,
  outcome: 'created' | 'duplicate' = 'created',
): Outcome => ({
  ...outcomeOf(operation, outcome),
  ...{ id, version: 1 },
})

export function changed(operation: Named, outcome: 'updated' | 'deleted', current: Change): Outcome {
  const version = versionOf(current)
  const next = version !== null && outcome === 'updated' ? version + 1 : version
  return { ...outcomeOf(operation, outcome), id: current.id, version: next }
}

/** An outcome that shows the row as it is. */
export function shownAs(
  operation: Named,
  outcome: 'duplicate' | 'conflict' | 'unchanged',
  current: Change,
  fields?: string[],
): Outcome {
  const shown = { id: current.id, version: versionOf(current), current }
  return { ...outcomeOf(operation, outcome), ...shown, ...(fields && { fields }) }
}

export const isEmpty = (errors: FieldErrors): boolean => Object.keys(errors).length === 0

/** The error of a change in a reconciled period, under a field. */
export const lockError = (field: string, through: CalendarDate): FieldErrors => ({
  [field]: [reconciledText(dayInWords(through))],
})
