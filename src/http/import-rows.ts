import { type FieldErrors, Invalid } from '../domain/failures.ts'
import type { ImportFile, ImportRow } from '../services/imports/store.ts'
import type { ImportFields } from './import-input.ts'
import { readTransactionList, type TransactionDraft } from './transaction-list.ts'

/** So many errors are listed at most. */
const errorsListed = 100
/** Most rows of one import (decisions.md, Import). */
const maxRows = 10_000

/** Reads the items of a JSON import, each as an item of a sync batch. `account_id` beside them is for items without one. */
export function readImportRows(list: unknown, kind: ImportFile['kind'], options: ImportFields): ImportFile {
  const items = readTransactionList(list, maxRows, { account_id: options.account_id })
  if (typeof items === 'string') throw new Invalid({ transactions: [items] })
  const errors: FieldErrors = {}
  const rows = items.flatMap((draft, index): ImportRow[] => {
    for (const [field, messages] of Object.entries(draft.errors)) {
      errors[`rows.${index + 1}${field && `.${field}`}`] = messages
    }
    return draft.complete ? [toRow(draft.values, index + 1)] : []
  })
  if (Object.keys(errors).length > 0) throw new Invalid(bounded(errors))
  const accountId = options.account_id ?? null
  return {
    kind,
    format: 'json',
    rows,
    accountId,
    skipped: 0,
    closing: null,
    isDryRun: options.dry_run ?? false,
  }
}

/** The first errors of many, and how many more there are. */
function bounded(errors: FieldErrors): FieldErrors {
  const all = Object.entries(errors)
  const first = Object.fromEntries(all.slice(0, errorsListed))
  const unlisted = all.length - errorsListed
  return unlisted > 0 ? { ...first, rows: [`${unlisted} more fields have errors.`] } : first
}

function toRow(item: Extract<TransactionDraft, { complete: true }>['values'], line: number): ImportRow {
  return {
    line,
    account: item.account_id,
    to_account: item.to_account_id ?? null,
    category: item.category_id ?? null,
    type: item.type,
    amount: item.amount,
    description: item.description ?? null,
    reference: item.reference ?? null,
    transaction_date: item.transaction_date,
    client_id: item.client_id ?? null,
    force: item.force ?? false,
  }
}
