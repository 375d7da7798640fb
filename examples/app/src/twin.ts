import type { Entered, Ledger, LedgerTransaction } from 'purse-client'

/** A transaction that this may be again, by the rule of the API, which answers 409 (docs/contract.md, Duplicates). */
export function twinOf(ledger: Ledger, entered: Entered['transaction']): LedgerTransaction | undefined {
  const { account_id, transaction_date: day, type, reference } = entered
  const { data } = ledger.transactions({ account_id, from: day, to: day, type, per_page: 1_000 })
  return data.find(
    (row) =>
      row.amount === entered.amount &&
      row.account.key === account_id &&
      (row.to_account?.key ?? null) === entered.to_account_id &&
      !(row.reference && reference && row.reference !== reference),
  )
}
