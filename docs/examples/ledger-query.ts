/** A ledger behind TanStack Query, of any framework: the ledger answers, and says when to ask it again. */
import type { QueryClient } from '@tanstack/query-core'
import type { Entered, Ledger, LedgerFilter, LedgerPeriod } from 'purse-client'

/** All keys begin alike, so that they are invalidated together. */
export const keys = {
  all: ['ledger'],
  accounts: ['ledger', 'accounts'],
  categories: ['ledger', 'categories'],
  transactions: (filter: LedgerFilter) => ['ledger', 'transactions', filter],
  summary: (period: LedgerPeriod) => ['ledger', 'summary', period],
  conflicts: ['ledger', 'conflicts'],
} as const

/** It answers without a network, and what it has answered is good until it says otherwise. */
const local = { networkMode: 'always', staleTime: Number.POSITIVE_INFINITY } as const

/** For `useQuery(queries.transactions({ q: 'tea' }))` and its like. */
export const queriesOf = (ledger: Ledger) => ({
  accounts: () => ({ queryKey: keys.accounts, queryFn: () => ledger.accounts(), ...local }),
  categories: () => ({ queryKey: keys.categories, queryFn: () => ledger.categories(), ...local }),
  transactions: (filter: LedgerFilter) => ({
    ...{ queryKey: keys.transactions(filter), queryFn: () => ledger.transactions(filter), ...local },
  }),
  summary: (period: LedgerPeriod) => ({
    ...{ queryKey: keys.summary(period), queryFn: () => ledger.summary(period), ...local },
  }),
  conflicts: () => ({ queryKey: keys.conflicts, queryFn: () => ledger.conflicts(), ...local }),
})

/** For `useMutation(mutations.record())`: nothing to update by hand, since the write itself invalidates. */
export const mutationsOf = (ledger: Ledger) => ({
  record: () => ({
    mutationFn: (fields: Entered['transaction']) => ledger.create('transaction', fields),
    networkMode: 'always' as const,
  }),
})

/** Asks again after each write, each sync and what other tabs have done. Returns a function that ends this. */
export function invalidating(ledger: Ledger, queries: QueryClient): () => void {
  return ledger.subscribe(() => void queries.invalidateQueries({ queryKey: keys.all }))
}
