/** A ledger behind TanStack Query, for any framework: the ledger answers, and says when to ask it again. */
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

/** The ledger answers without a network, and its answers are valid until it says otherwise. */
const local = { networkMode: 'always', staleTime: Number.POSITIVE_INFINITY } as const

/** For `useQuery(queries.transactions({ q: 'tea' }))` and the like. */
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

/** Asks again after each write, each sync and each change in another tab. Returns a function that stops this. */
export function invalidating(ledger: Ledger, queries: QueryClient): () => void {
  return ledger.subscribe(() => void queries.invalidateQueries({ queryKey: keys.all }))
}
