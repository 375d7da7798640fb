import { errorsByField } from '../domain/field-errors.ts'
import type { ShownBatch } from './contract.ts'
import type { SyncStatus } from './status.ts'

export function presentSync({ batch, items }: SyncStatus): ShownBatch {
  const count = (outcome: string) => items.filter((item) => item.outcome[0] === outcome).length
  return {
    id: batch.id,
    status: batch.status,
    counts: {
      total: items.length,
      created: count('created'),
      duplicate: count('duplicate'),
      invalid: count('invalid'),
      failed: count('failed'),
    },
    items: items.map(({ clientId, outcome: [outcome, transactionId, errors] }, index) => ({
      index,
      client_id: clientId,
      outcome,
      transaction_id: transactionId,
      errors: errors && errorsByField(errors, 'item'),
    })),
    created_at: batch.createdAt.toISOString(),
    completed_at: batch.completedAt?.toISOString() ?? null,
  }
}
