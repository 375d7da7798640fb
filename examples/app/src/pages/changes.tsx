import { useState } from 'preact/hooks'
import type { Ledger, LedgerConflict, LedgerRejection } from 'purse-client'
import type { PageProps } from '../app.tsx'
import { counted } from '../format.ts'
import { useFollowed } from '../store.ts'
import { connection, idOf, readyIn } from '../sync.ts'
import { nameOf, nameOfField, shownValue } from '../titles.ts'
import { Button } from '../ui/button.tsx'
import { confirmOverride } from '../ui/override.tsx'
import { Page } from '../ui/page.tsx'
import { Table } from '../ui/table.tsx'
import { TransactionDialog } from './transaction-dialog.tsx'

/** What is waiting for a network, and what is waiting for the person. */
export function Changes({ ledger }: PageProps) {
  const { isOnline, stopped } = useFollowed(connection).get()
  const [conflicts, rejected] = [ledger.conflicts(), ledger.rejected()]
  const waiting = readyIn(ledger)
  return (
    <Page title="Changes">
      {conflicts.map((conflict) => (
        <Conflict key={idOf(conflict)} ledger={ledger} conflict={conflict} />
      ))}
      {rejected.map((rejection) => (
        <Rejection key={idOf(rejection)} ledger={ledger} rejection={rejection} />
      ))}
      {waiting.length > 0 && (
        <article>
          <h2>{counted(waiting.length, 'change')} to be sent</h2>
          {!isOnline && <p>They will be sent once there is a network.</p>}
          {isOnline && stopped && <p>The service is busy: they will be sent a little later.</p>}
          {waiting.map((named) => (
            <p key={idOf(named)}>{nameOf(ledger, named)}</p>
          ))}
        </article>
      )}
      {ledger.waiting().length === 0 && <p>Everything is saved.</p>}
    </Page>
  )
}

/** Both sides of a conflict. Until the person has chosen, others see theirs. */
function Conflict({ ledger, conflict }: { ledger: Ledger; conflict: LedgerConflict }) {
  const { mine, theirs } = conflict
  const fields = conflict.fields.filter((field) => !mine || !theirs || mine[field] !== theirs[field])
  const cell = (values: typeof mine, field: string) =>
    values ? shownValue(ledger, field, values[field]) : 'deleted'
  return (
    <article>
      <h2>{theirs?.description ?? nameOf(ledger, conflict)}</h2>
      <p>You have changed this, and so has somebody else, or you on another device.</p>
      <Table
        head={['Field', 'Mine', 'Theirs']}
        rows={fields.map((field) => [nameOfField(field), cell(mine, field), cell(theirs, field)])}
      />
      <div class="together">
        <Button label="Keep mine" onClick={() => ledger.keepMine(conflict)} />
        <Button label="Keep theirs" isMain={false} onClick={() => ledger.keepTheirs(conflict)} />
      </div>
    </article>
  )
}

const pages = {
  account: '/accounts',
  category: '/categories',
  profile: '/settings',
  transaction: undefined,
  balance_check: '/accounts',
  recurring: '/recurring',
}

function Rejection({ ledger, rejection }: { ledger: Ledger; rejection: LedgerRejection }) {
  const [isOpen, setOpen] = useState(false)
  const override = async (refusal: string) => {
    const change = `This sends your change of ${nameOf(ledger, rejection)} again.`
    if (await confirmOverride({ refusal, change })) await ledger.overrideReconciled(rejection)
  }
  const text = Object.values(rejection.errors).flat().join(' ')
  const page = pages[rejection.noun]
  const edited = rejection.noun === 'transaction' ? ledger.transaction(rejection.key) : undefined
  return (
    <article>
      <h2>{nameOf(ledger, rejection)}</h2>
      <p role="alert">{text}</p>
      <div class="line">
        {edited && <Button label="Correct it" onClick={() => setOpen(true)} />}
        {!edited && page && !rejection.errors.row && <a href={page}>Correct it</a>}
        {rejection.reconciled_through && (
          <Button label="Do it anyway …" isMain={false} onClick={() => override(text)} />
        )}
        <Button label="Drop my change" isMain={false} onClick={() => ledger.discard(rejection)} />
      </div>
      {isOpen && edited && <TransactionDialog {...{ ledger, edited, onDone: () => setOpen(false) }} />}
    </article>
  )
}
