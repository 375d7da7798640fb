import { useState } from 'preact/hooks'
import type { Ledger, LedgerConflict, LedgerRejection, Named } from 'purse-client'
import type { PageProps } from '../app.tsx'
import { counted, money, shortDay } from '../format.ts'
import { useFollowed } from '../store.ts'
import { connection } from '../sync.ts'
import { Page } from '../ui/page.tsx'
import { AccountForm } from './accounts.tsx'
import { TransactionForm } from './transaction-form.tsx'
import { titleOf } from './transactions.tsx'

/** What waits for a network, and what waits for the person. */
export function Changes({ ledger }: PageProps) {
  const [conflicts, rejected] = [ledger.conflicts(), ledger.rejected()]
  const isOf = (named: Named) => (one: Named) => one.noun === named.noun && one.key === named.key
  const waiting = ledger.waiting().filter((one) => ![...conflicts, ...rejected].some(isOf(one)))
  return (
    <Page title="Changes">
      {conflicts.map((conflict) => (
        <Conflict key={idOf(conflict)} {...{ ledger, conflict }} />
      ))}
      {rejected.map((rejection) => (
        <Rejection key={idOf(rejection)} {...{ ledger, rejection }} />
      ))}
      <section>
        <h2>{counted(waiting.length, 'change')} to be sent</h2>
        <Stopped />
        <ul>
          {waiting.map((named) => (
            <li key={idOf(named)}>{titleOfRow(ledger, named)}</li>
          ))}
        </ul>
      </section>
    </Page>
  )
}

const idOf = ({ noun, key }: Named): string => `${noun} ${key}`

function Stopped() {
  const { isOnline, stopped } = useFollowed(connection).get()
  if (!isOnline) return <p class="quiet">They go out by themselves once there is a network.</p>
  return <p class="quiet">{stopped ? `The last attempt ended early: ${stopped.reason}.` : 'All is well.'}</p>
}

type Values = Record<string, string | number | boolean | null>

/** Both sides of a conflict. Until the person has chosen, theirs is the one that others see. */
function Conflict({ ledger, conflict }: { ledger: Ledger; conflict: LedgerConflict }) {
  const { fields, mine, theirs } = conflict
  const shown = fields.filter((field) => mine?.[field] !== theirs?.[field])
  const cell = (side: Values | null, field: string) => (
    <td>{side ? shownValue(ledger, field, side[field] ?? null) : 'deleted'}</td>
  )
  return (
    <section class="conflict" aria-label={`Conflict about ${titleOfRow(ledger, conflict)}`}>
      <h2>{titleOfRow(ledger, conflict)}</h2>
      <p>You and somebody else, or you on another device, have both changed this.</p>
      <table>
        <thead>
          <tr>
            <td />
            <th scope="col">Mine</th>
            <th scope="col">Theirs</th>
          </tr>
        </thead>
        <tbody>
          {(mine && theirs ? shown : fields).map((field) => (
            <tr key={field}>
              <th scope="row">{nameOf(field)}</th>
              {cell(mine, field)}
              {cell(theirs, field)}
            </tr>
          ))}
        </tbody>
      </table>
      <div class="actions">
        <button type="button" class="primary" onClick={() => ledger.keepMine(conflict)}>
          Keep mine
        </button>
        <button type="button" onClick={() => ledger.keepTheirs(conflict)}>
          Keep theirs
        </button>
      </div>
    </section>
  )
}

function Rejection({ ledger, rejection }: { ledger: Ledger; rejection: LedgerRejection }) {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  const { noun, key, errors } = rejection
  const row = noun === 'transaction' ? ledger.transaction(key) : undefined
  const account = noun === 'account' ? ledger.accounts().find((one) => one.key === key) : undefined
  return (
    <section class="conflict">
      <h2>{titleOfRow(ledger, rejection)}</h2>
      <p class="error">{Object.values(errors).flat().join(' ')}</p>
      <div class="actions">
        {(row || account) && (
          <button type="button" class="primary" onClick={() => setOpen(true)}>
            Correct it
          </button>
        )}
        <button type="button" onClick={() => ledger.discard(rejection)}>
          Drop my change
        </button>
      </div>
      {isOpen && row && <TransactionForm ledger={ledger} edited={row} onDone={close} />}
      {isOpen && account && <AccountForm ledger={ledger} account={account} onDone={close} />}
    </section>
  )
}

const nouns = {
  profile: 'Your profile',
  account: 'Account',
  category: 'Category',
  transaction: 'Transaction',
}

function titleOfRow(ledger: Ledger, { noun, key }: Named): string {
  const row = noun === 'transaction' ? ledger.transaction(key) : undefined
  if (row) return `${titleOf(row)}, ${money(row.amount)}, ${shortDay(row.transaction_date)}`
  const named = [...ledger.accounts(), ...ledger.categories()].find((one) => one.key === key)
  return [nouns[noun], named?.name].filter(Boolean).join(' ')
}

const nameOf = (field: string): string =>
  field.replace(/_id$/, '').replace('transaction_', '').replaceAll('_', ' ')

function shownValue(ledger: Ledger, field: string, value: Values[string] | null): string {
  if (value === null) return 'none'
  if (field === 'amount' || field === 'starting_balance') return money(String(value))
  if (field === 'transaction_date') return shortDay(String(value))
  const rows = field.endsWith('_id') ? [...ledger.accounts(), ...ledger.categories()] : []
  return rows.find(({ key }) => key === value)?.name ?? String(value)
}
