import { maxRows } from '../../statements/index.ts'
import type { FieldErrors } from '../domain/field-errors.ts'
import { firstErrors, maxErrors } from '../domain/field-errors.ts'
import { Invalid } from '../failures/failures.ts'
import { isObject } from '../http/validate.ts'
import type { NewTransaction } from '../transactions/contract.ts'
import { listItems, readItem } from '../transactions/items.ts'
import type { ImportOptions } from './contract.ts'
import { errorKey } from './errors.ts'
import { type ImportFile, type ImportRow, toImportRow } from './import-file.ts'
import { importFile } from './read-file.ts'

/** Reads the items of a JSON import like those of a batch; `account_id` is for items without one. Throws Invalid. */
export function readImportRows(list: unknown, kind: ImportFile['kind'], options: ImportOptions): ImportFile {
  const items = listItems(list, maxRows)
  if (typeof items === 'string') throw new Invalid({ transactions: [items] })
  const errors: FieldErrors = {}
  const rows: ImportRow[] = []
  for (const [index, item] of items.entries()) {
    if (isObject(item) && !('account_id' in item)) item.account_id = options.account_id
    const draft = readItem(item)
    for (const [field, messages] of Object.entries(draft.errors))
      errors[errorKey('json', index + 1, field)] = messages
    // Reading ends at the first error that would not be listed.
    if (Object.keys(errors).length > maxErrors) break
    if (draft.complete) rows.push(toRow(draft.values, index + 1))
  }
  if (Object.keys(errors).length > 0) throw new Invalid(firstErrors(errors, 'transactions'))
  const { account_id: accountId = null } = options
  return importFile(kind, options, { format: 'json', rows, accountId })
}

function toRow(item: NewTransaction, line: number): ImportRow {
  const {
    account_id: account,
    to_account_id: to_account = null,
    category_id: category = null,
    ...fields
  } = item
  return toImportRow({ line, account, to_account, category, ...fields })
}
