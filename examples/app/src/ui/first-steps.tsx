import { useState } from 'preact/hooks'
import type { Ledger } from 'purse-client'
import { AccountDialog } from '../pages/accounts.tsx'
import { place } from '../router.ts'
import { Button } from './button.tsx'

/** Asks for a first account. */
export function FirstAccount({ ledger }: { ledger: Ledger }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <article>
      <h2>Where is your money?</h2>
      <p>Add your bank account, or your wallet. Then record transactions, or import a file from your bank.</p>
      <Button label="Add account" onClick={() => setOpen(true)} />
      {place.get().pathname !== '/import' && (
        <p>
          Coming from another app? <a href="/import">Import its export</a>, which brings its accounts.
        </p>
      )}
      {isOpen && <AccountDialog {...{ ledger, edited: 'new', onDone: () => setOpen(false) }} />}
    </article>
  )
}

/** What a user without transactions does first; nothing for others. */
export function FirstSteps({ ledger }: { ledger: Ledger }) {
  if (ledger.accounts().length === 0) return <FirstAccount ledger={ledger} />
  if (ledger.transactions({ per_page: 1 }).total > 0) return null
  return (
    <article>
      <h2>Next, a first transaction</h2>
      <p>
        <a href="/transactions">Record one</a>, or <a href="/import">import a file from your bank</a>.
      </p>
    </article>
  )
}
