/** A ledger in Svelte: any read as a store. */
import type { Ledger } from 'purse-client'

/** Svelte's interface of a store. */
type Readable<T> = { subscribe: (run: (value: T) => void) => () => void }

/**
 * A store of a read's answers. In a component: `const accounts = storeOf(ledger, () => ledger.accounts())`, and
 * `{#each $accounts as { key, name } (key)}`; with runes, `fromStore(accounts).current` from `svelte/store`.
 */
export function storeOf<T>(ledger: Ledger, read: () => T): Readable<T> {
  return {
    subscribe(run) {
      run(read())
      return ledger.subscribe(() => run(read()))
    },
  }
}
