/** A ledger in Svelte: any read as a store. */
import type { Ledger } from 'purse-client'

/** What a store is to Svelte. */
type Readable<T> = { subscribe: (run: (value: T) => void) => () => void }

/**
 * A store of what a read answers. In a component: `const accounts = storeOf(ledger, () => ledger.accounts())`, and
 * `{#each $accounts as { key, name } (key)}`; with runes `fromStore(accounts).current`, of `svelte/store`.
 */
export function storeOf<T>(ledger: Ledger, read: () => T): Readable<T> {
  return {
    subscribe(run) {
      run(read())
      return ledger.subscribe(() => run(read()))
    },
  }
}
