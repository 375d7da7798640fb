import { useState } from 'preact/hooks'
import type { Ledger } from 'purse-client'
import { AccountDialog } from '../pages/accounts.tsx'
import { Button } from './button.tsx'

/** Asks for a first account. */
export function FirstAccount({ ledger }: { ledger: Ledger }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <article>
      <h2>Where is your money?</h2>
      <p>Add your bank account, or your wallet. Then record transactions, or import a file from your bank.</p>
      <Button label="Add account" onClick={() => setOpen(true)} />
      {isOpen && <AccountDialog {...{ ledger, edited: 'new', onDone: () => setOpen(false) }} />}
    </article>
  )
}
