import type { LoggedRow } from '../database/schema.ts'
import { addDays } from '../domain/dates.ts'
import { deviceName } from '../domain/device-names.ts'
import { formatMoney, moneyNumber } from '../domain/money.ts'
import type { Explanation } from './explain.ts'
import type { ShownExplainedCheck } from './explained-contract.ts'
import { type BalanceCheck, type CheckRow, stateOf } from './read.ts'
import type { ShownBalanceCheck } from './response-contract.ts'

/** The most changes that are listed for a broken check. */
export const maxChanges = 50

/** A check without its difference, which changes without the check. */
export function presentStoredCheck(check: CheckRow) {
  return {
    id: check.id,
    account_id: check.accountId,
    date: check.date,
    balance: formatMoney(check.balance),
    source: check.source,
    import_id: check.importId,
    client_id: check.clientId,
    version: check.version,
  }
}

export function presentCheck(check: BalanceCheck): ShownBalanceCheck {
  return {
    ...presentStoredCheck(check),
    ledger_balance: moneyNumber(BigInt(check.balance) + check.difference),
    difference: moneyNumber(check.difference),
    state: stateOf(check),
    broken_at: check.brokenAt?.toISOString() ?? null,
  }
}

export function presentExplained(check: Explanation): ShownExplainedCheck {
  const { date, wasOk, lastOk, candidates, changes, unexplained } = check
  const all = changes.map(
    (change): ShownChange => ({
      at: change.at.toISOString(),
      op: change.op,
      count: change.count,
      transaction_id: change.transactionId,
      effect: moneyNumber(change.effect),
      before: presentLogged(change.before),
      after: presentLogged(change.after),
      by: presentWriter(change),
      cause: change.cause,
      import_id: change.importId,
    }),
  )
  const isUnexplained = stateOf(check) === 'broken' && !wasOk
  return {
    ...presentCheck(check),
    broken_by: all.length > maxChanges ? [...all.slice(0, maxChanges - 1), restOf(changes)] : all,
    unexplained: moneyNumber(unexplained),
    last_ok: lastOk && { id: lastOk.id, date: lastOk.date },
    span: isUnexplained ? { from: lastOk && addDays(lastOk.date, 1), to: date } : null,
    candidates: candidates.map(({ kind, ids, startingBalance }) => ({
      kind,
      transaction_ids: ids,
      starting_balance: startingBalance === null ? null : formatMoney(startingBalance),
    })),
  }
}

type ShownChange = ShownExplainedCheck['broken_by'][number]

/** The changes beyond those that are listed, as one. */
function restOf(changes: Explanation['changes']): ShownChange {
  const rest = changes.slice(maxChanges - 1)
  return {
    at: (rest[0]?.at ?? new Date(0)).toISOString(),
    op: 'many',
    count: rest.reduce((sum, { count }) => sum + Math.max(count, 1), 0),
    transaction_id: null,
    effect: moneyNumber(rest.reduce((sum, { effect }) => sum + effect, 0n)),
    before: null,
    after: null,
    by: null,
    cause: null,
    import_id: null,
  }
}

function presentLogged(row: LoggedRow | null): ShownChange['before'] {
  if (!row) return null
  if ('starting_balance' in row) return { starting_balance: formatMoney(row.starting_balance) }
  return { ...row, amount: formatMoney(row.amount) }
}

function presentWriter({ byKind, byName, tokenId }: Explanation['changes'][number]): ShownChange['by'] {
  const name = byName !== null && byKind === 'session' ? deviceName(byName) : byName
  return { kind: byKind, name, token_id: tokenId }
}
