import type { ImportResult, Ledger, LedgerCheck } from 'purse-client'
import { money } from '../amounts.ts'
import { shortDay } from '../format.ts'
import { Button } from '../ui/button.tsx'
import { writeAndSay } from '../ui/toast.tsx'

type Outcome = ImportResult['import']

/** What the balances of a file that was imported say about its account, and what to do. Follows what is done. */
export function ImportChecks({ ledger, outcome }: { ledger: Ledger; outcome: Outcome }) {
  const { balance_checks, starting_balance } = outcome
  const ids = new Set(balance_checks.map(({ id, conflict }) => id ?? conflict?.id))
  const checks = ledger.checks().filter(({ id }) => id !== null && ids.has(id))
  const [first] = checks
  if (!first) return null
  const conflicts = balance_checks.flatMap(({ date, conflict }) => (conflict ? [{ date, ...conflict }] : []))
  const isBroken = checks.some(({ state }) => state === 'broken')
  const start = () =>
    writeAndSay(
      ledger,
      (options) =>
        ledger.update('account', first.account.key, { starting_balance: starting_balance ?? '0' }, options),
      'The starting balance is set.',
      `This sets the starting balance to ${money(starting_balance ?? 0)}.`,
    )
  return (
    <article aria-live="polite">
      <h2>Compared with the bank</h2>
      {checks.map((check) => (
        <Compared key={check.key} check={check} />
      ))}
      {conflicts.map(({ id, date, balance, file }) => (
        <p key={id}>
          {`For ${shortDay(date)} you entered ${money(balance)}, which stays; the file says ${money(file)}.`}
        </p>
      ))}
      {(isBroken || conflicts.length > 0) && (
        <p class="line">
          {isBroken && starting_balance !== null && (
            <Button label={`Set the starting balance to ${money(starting_balance)}`} onClick={start} />
          )}
          <a
            href={`/account?account=${encodeURIComponent(first.account.key)}`}
          >{`Open ${first.account.name}`}</a>
        </p>
      )}
    </article>
  )
}

function Compared({ check: { date, balance, ledger_balance, state } }: { check: LedgerCheck }) {
  if (state === 'ok')
    return (
      <p>
        <span class="income">✓</span> {`On ${shortDay(date)} the bank and Purse have ${money(balance)}.`}
      </p>
    )
  const text = `On ${shortDay(date)} the bank has ${money(balance)} and Purse ${money(ledger_balance)}.`
  return <p role="alert">{text}</p>
}
