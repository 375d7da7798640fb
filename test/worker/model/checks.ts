import {
  ifOwn,
  inQuery,
  invalid,
  locked,
  maybeOverride,
  type Operation,
  type Override,
  pick,
  request,
  type Turn,
} from './calls.ts'
import { decimal, shownCheck, shownChecks } from './shown.ts'
import { type Check, maxTotal, type State } from './state.ts'

/** Days at which balances are checked: before, between and on those of transactions, none after today. */
const days = ['1899-12-31', '1990-05-05', '2025-12-31', '2026-01-15', '2026-01-31']

/** A balance: often that of the account. */
function balance({ dice, state }: Turn, accountId: number, date: string): bigint {
  const own = state.balanceOn(accountId, date)
  return dice.isOnceIn(3) || own > 999_999_999_999_999n || own < -999_999_999_999_999n ? 1_000n : own
}

const isPast = (state: State, accountId: number, date: string) => {
  const own = state.balanceOn(accountId, date)
  return own > maxTotal || own < -maxTotal
}

const past = { date: ['The balance of the account on this day is past 90000000000000.00.'] }
const taken = { date: ['The account already has another balance on this day.'] }

/** The last day of the reconciled period in which a check lies, unless that is overridden. */
function lockOf(state: State, { account_id, date }: Check, { override_reconciled }: Override) {
  const last = state.accounts.get(account_id)?.reconciled_through ?? null
  return last !== null && date <= last && !override_reconciled ? last : null
}

export const checkOperations: Operation[] = [
  {
    name: 'check a balance',
    weight: 6,
    plan(turn) {
      const account_id = pick(turn, 'accounts')
      const date = turn.dice.of(days) as string
      const cents = balance(turn, account_id, date)
      const body = { account_id, date, balance: decimal(cents) }
      return request(turn, 'POST', '/api/balance-checks', { body }, (state, response) => {
        if (date < '1900') return invalid()
        if (state.accounts.get(account_id)?.user_id !== turn.person.id) return { status: 422 }
        const same = state.checksOf(account_id).find((one) => one.date === date)
        if (same && same.balance !== cents) return { status: 422 }
        if (same) return { status: 200, body: shownCheck(state, same) }
        if (isPast(state, account_id, date)) return invalid(past)
        const check: Check = {
          id: response.body?.id,
          user_id: turn.person.id,
          account_id,
          date,
          balance: cents,
          version: 1,
        }
        const next = state.after((next) => next.checks.set(check.id, check))
        return { status: 201, body: shownCheck(next, check), next }
      })
    },
  },
  {
    name: 'change a check',
    weight: 2,
    plan(turn) {
      const id = pick(turn, 'checks')
      const sent = {
        ...(turn.dice.isOnceIn(2) && { date: turn.dice.of(days.slice(1)) as string }),
        ...(turn.dice.isOnceIn(2) && { balance: 1_000n }),
      }
      const override = maybeOverride(turn)
      const cents = sent.balance !== undefined && { balance: decimal(sent.balance) }
      const body = { ...sent, ...cents, ...override }
      return request(turn, 'PUT', `/api/balance-checks/${id}`, { body }, (state) =>
        ifOwn('Balance check', state.checks.get(id), turn, (check) => {
          const changed = { ...check, ...sent, version: check.version + 1 }
          const others = state.checksOf(check.account_id).filter((one) => one.id !== id)
          if (others.some(({ date }) => date === changed.date))
            return { status: 422, body: { errors: taken } }
          if (isPast(state, check.account_id, changed.date)) return invalid(past)
          const isSame = changed.date === check.date && changed.balance === check.balance
          const last = isSame ? null : lockOf(state, check, override)
          if (last !== null) return locked(last, 'date')
          const next = state.after((next) => next.checks.set(id, changed))
          return { status: 200, body: shownCheck(next, changed), next }
        }),
      )
    },
  },
  {
    name: 'delete a check',
    weight: 1,
    plan(turn) {
      const id = pick(turn, 'checks')
      const override = maybeOverride(turn)
      return request(turn, 'DELETE', `/api/balance-checks/${id}${inQuery(override)}`, {}, (state) =>
        ifOwn('Balance check', state.checks.get(id), turn, (check) => {
          const last = lockOf(state, check, override)
          if (last !== null) return locked(last, 'date')
          return { status: 204, next: state.after((next) => next.checks.delete(id)) }
        }),
      )
    },
  },
]

export const listChecks: Operation = {
  name: 'list the checks',
  weight: 2,
  plan: (turn) =>
    request(turn, 'GET', '/api/balance-checks', {}, (state) => ({
      status: 200,
      body: shownChecks(state, turn.person.id),
    })),
}
