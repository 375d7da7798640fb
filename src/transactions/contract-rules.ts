import type { FieldErrors } from '../domain/field-errors.ts'
import {
  addError,
  invalidText,
  mustDifferText,
  onlyForTransfersText,
  requiredText,
} from '../domain/field-errors.ts'

/** The fields of a transaction that depend on each other. Accounts and categories may be named in any way. */
export type LinkedFields<Name> = {
  type?: string | undefined
  account_id?: Name | null | undefined
  to_account_id?: Name | null | undefined
  category_id?: Name | null | undefined
}

type Options<Name> = {
  exists: (noun: 'account' | 'category', name: Name) => boolean
  /** True for a new transaction: a later change may remove the category. */
  isNew: boolean
  /** The errors of single fields: a rule that depends on one of these fields adds none. */
  errors: FieldErrors
}

/**
 * Returns the errors of single fields with those of the rules across fields, as POST and PUT /api/transactions return
 * them. sql-rules.ts has the same rules in SQL; a test compares the two.
 */
export function withRuleErrors<Name>(row: LinkedFields<Name>, options: Options<Name>): FieldErrors {
  const { type, account_id: from = null, to_account_id: to = null, category_id: category = null } = row
  const { exists, isNew, errors: given } = options
  const errors = { ...given }
  const demand = (field: string, text: string, holds: boolean, otherInput = field) => {
    if (!holds && !(field in given) && !(otherInput in given)) addError(errors, field, text)
  }
  const isTransfer = type === 'transfer'
  demand('account_id', invalidText, from !== null && exists('account', from))
  demand('to_account_id', requiredText, !isTransfer || to !== null, 'type')
  demand('to_account_id', onlyForTransfersText, isTransfer || to === null, 'type')
  demand('to_account_id', invalidText, to === null || exists('account', to))
  demand('to_account_id', mustDifferText, to === null || to !== from, 'account_id')
  demand('category_id', invalidText, category === null || exists('category', category))
  if (isNew) demand('category_id', requiredText, isTransfer || category !== null, 'type')
  return errors
}
