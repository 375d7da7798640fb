import * as z from 'zod/mini'
import { doc, field } from '../domain/doc.ts'
import * as shown from '../domain/shown.ts'
import { checkSources, checkStates } from '../domain/types.ts'
import { versionConflict } from '../domain/versions.ts'

// The responses; contract.ts has the requests.

export const shownFields = () => ({
  id: shown.id(),
  account_id: shown.id(),
  date: shown.calendarDate(),
  balance: field(shown.amount(), doc("The bank's balance at the end of the day.")),
  ledger_balance: field(
    shown.total(),
    doc("The account's balance at the end of the day, by the bank's days of its transactions (`booked_on`)."),
  ),
  difference: field(shown.total(), doc('`ledger_balance` minus `balance`.')),
  state: field(z.enum(checkStates), doc('`ok` if there is no difference.')),
  source: field(z.enum(checkSources), doc('Whether a person entered the balance, or a file told it.')),
  import_id: field(z.nullable(shown.id()), doc('The import of that file.')),
  broken_at: field(
    z.nullable(shown.timestamp()),
    doc('When a check that was `ok` broke; null for one that is `ok` or never was.'),
  ),
  client_id: field(z.nullable(z.string()), doc('The id that the client gave it on creation.')),
  version: shown.version(),
})
export const exampleCheck = () => ({
  id: 12,
  account_id: 1,
  date: '2026-10-31',
  balance: '1210.50',
  ledger_balance: 1198,
  difference: -12.5,
  state: 'broken' as const,
  source: 'import' as const,
  import_id: 41,
  broken_at: '2026-11-20T18:04:11.000Z',
  client_id: null,
  version: 1,
})

export const balanceCheck = shown.object(
  'BalanceCheck',
  "The bank's balance of an account at the end of a day, compared with the account's own.",
  shownFields(),
  exampleCheck(),
)
/** A check without what changes with the transactions. */
export const storedCheck = z.omit(balanceCheck, {
  ledger_balance: true,
  difference: true,
  state: true,
  broken_at: true,
})

export type ShownBalanceCheck = z.output<typeof balanceCheck>

export const balanceCheckConflict = versionConflict('BalanceCheckConflict', balanceCheck, {
  message: 'The balance check has changed.',
  current: { ...exampleCheck(), version: 2 },
})
