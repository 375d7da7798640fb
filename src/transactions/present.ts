import { formatMoney } from '../shared/money.ts'
import { presentTimestamps } from '../shared/present.ts'
import type { ShownTransaction, ShownTransactionWithRelations } from './contract.ts'
import type { Transaction, TransactionWithRelations } from './read.ts'

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
    is_synced: transaction.isSynced,
    version: transaction.version,
    ...presentTimestamps(transaction),
  }
}

export function presentWithRelations(found: TransactionWithRelations): ShownTransactionWithRelations {
  const { transaction, ...relations } = found
  return { ...presentTransaction(transaction), ...relations }
}
