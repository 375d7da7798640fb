import { formatMoney } from '../domain/money.ts'
import { presentTimestamps } from '../domain/present.ts'
import type { TransactionPage } from './list.ts'
import type { Transaction, TransactionWithRelations } from './read.ts'
import type {
  ShownTransaction,
  ShownTransactionPage,
  ShownTransactionWithRelations,
} from './response-contract.ts'

export function presentTransaction(transaction: Transaction): ShownTransaction {
  return {
    id: transaction.id,
    user_id: transaction.userId,
    account_id: transaction.accountId,
    to_account_id: transaction.toAccountId,
    category_id: transaction.categoryId,
    type: transaction.type,
    amount: formatMoney(transaction.amount),
    description: transaction.description,
    reference: transaction.reference,
    transaction_date: transaction.transactionDate,
    booked_on: transaction.bookedOn,
    to_booked_on: transaction.toBookedOn,
    import_id: transaction.importId,
    recurring_id: transaction.recurringId,
    occurrence_date: transaction.occurrenceDate,
    is_synced: transaction.isSynced,
    version: transaction.version,
    ...presentTimestamps(transaction),
  }
}

export function presentWithRelations(found: TransactionWithRelations): ShownTransactionWithRelations {
  const { transaction, ...relations } = found
  return { ...presentTransaction(transaction), ...relations }
}

type Page = Omit<TransactionPage, 'rows'> & { rows: ShownTransactionWithRelations[] }

/**
 * A page in the form that existing clients expect. Its links keep the query of the request and begin with the service's
 * own address: the client, or a proxy, may have written anything into `Host`.
 */
export function presentPage(appUrl: string, requestUrl: string, found: Page): ShownTransactionPage {
  const { page, perPage, total, rows, searchedBackTo } = found
  const { pathname, searchParams } = new URL(requestUrl)
  const path = `${appUrl}${pathname}`
  const lastPage = Math.max(1, Math.ceil(total / perPage))
  const before = (page - 1) * perPage
  const linkTo = (target: number) => {
    searchParams.set('page', String(target))
    return `${path}?${searchParams}`
  }
  return {
    current_page: page,
    data: rows,
    first_page_url: linkTo(1),
    from: rows.length > 0 ? before + 1 : null,
    last_page: lastPage,
    last_page_url: linkTo(lastPage),
    next_page_url: page < lastPage ? linkTo(page + 1) : null,
    path,
    per_page: perPage,
    prev_page_url: page > 1 ? linkTo(page - 1) : null,
    to: rows.length > 0 ? before + rows.length : null,
    total,
    ...(searchedBackTo !== undefined && { searched_back_to: searchedBackTo }),
  }
}
