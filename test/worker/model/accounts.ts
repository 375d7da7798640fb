import {
  ifOwn,
  invalid,
  maybeOverride,
  type Operation,
  type Override,
  pick,
  request,
  type Turn,
  withinBounds,
  withinPeriod,
} from './calls.ts'
import { decimal, shownAccount, shownAccounts } from './shown.ts'
import type { Account, Check, State } from './state.ts'

function newAccount({ dice, isRich }: Turn): Pick<Account, 'name' | 'type' | 'starting_balance' | 'notes'> {
  const usual = dice.of([0n, 1_000n, -1_000n, BigInt(dice.from(-999, 999)) * 101n]) as bigint
  return {
    name: dice.of(['Bank', 'Cash', 'CASH', 'Card', 'Savings', 'Travel']) as string,
    type: dice.of(['bank', 'mobile', 'cash']) as string,
    starting_balance: isRich && dice.isOnceIn(2) ? 999_999_999_999_999n : usual,
    notes: dice.of([null, null, 'joint']) as string | null,
  }
}

/** Balances are sent as decimal strings. */
const body = (fields: Partial<Account>) => ({
  ...fields,
  ...(fields.starting_balance !== undefined && { starting_balance: decimal(fields.starting_balance) }),
})

export const accountOperations: Operation[] = [
  {
    name: 'open an account',
    weight: 4,
    plan(turn) {
      const fields = newAccount(turn)
      return request(turn, 'POST', '/api/accounts', { body: body(fields) }, (state, response) => {
        const account = {
          id: response.body?.id,
          user_id: turn.person.id,
          ...fields,
          reconciled_through: null,
          version: 1,
        }
        const next = state.after((next) => next.accounts.set(account.id, account))
        const expected = { status: 201, body: shownAccount(next, account) }
        return withinBounds(next, turn, 'starting_balance', expected)
      })
    },
  },
  {
    name: 'change an account',
    weight: 4,
    plan(turn) {
      const id = pick(turn, 'accounts')
      const changes = Object.fromEntries(
        Object.entries(newAccount(turn)).filter(() => turn.dice.isOnceIn(2)),
      ) as Partial<Account>
      return change(turn, id, changes, maybeOverride(turn))
    },
  },
  {
    name: 'reconcile a period',
    weight: 6,
    plan(turn) {
      const { dice, state } = turn
      const id = pick(turn, 'accounts')
      const days = state.checksOf(id).map(({ date }) => date)
      const last = dice.isOnceIn(3) ? null : (dice.of(days) ?? '2026-01-15')
      const start = dice.isOnceIn(5) ? { starting_balance: newAccount(turn).starting_balance } : {}
      return change(turn, id, { reconciled_through: last, ...start }, maybeOverride(turn))
    },
  },
  {
    name: 'delete an account',
    weight: 2,
    plan(turn) {
      const id = pick(turn, 'accounts')
      return request(turn, 'DELETE', `/api/accounts/${id}`, {}, (state) =>
        ifOwn('Account', state.accounts.get(id), turn, () => {
          const next = state.after((next) => {
            next.accounts.delete(id)
            for (const check of state.checksOf(id)) next.checks.delete(check.id)
            for (const one of state.transactions.values())
              if (one.account_id === id || one.to_account_id === id) next.delete(one)
          })
          return withinBounds(next, turn, 'amount', { status: 204 })
        }),
      )
    },
  },
]

/** A change of an account: a period that it opens no longer binds it. */
function change(turn: Turn, id: number, changes: Partial<Account>, override: Override) {
  const sent = { ...body(changes), ...override }
  return request(turn, 'PUT', `/api/accounts/${id}`, { body: sent }, (state) =>
    ifOwn('Account', state.accounts.get(id), turn, (account) => {
      const changed = { ...account, ...changes, version: account.version + 1 }
      const next = state.after((next) => next.accounts.set(id, changed))
      const { reconciled_through: last } = changed
      const isKept = last === null || last === account.reconciled_through
      if (!isKept && !next.checksOf(id).some((check) => check.date === last && isRight(next, check)))
        return invalid({ reconciled_through: ['There is no matching balance check on this day.'] })
      const expected = { status: 200, body: shownAccount(next, changed) }
      if (last === null) return withinBounds(next, turn, 'starting_balance', expected)
      return withinPeriod(state, next, turn, { field: 'starting_balance', override }, expected)
    }),
  )
}

const isRight = (state: State, { account_id, date, balance }: Check) =>
  state.balanceOn(account_id, date) === balance

export const listAccounts: Operation = {
  name: 'list the accounts',
  weight: 2,
  plan: (turn) =>
    request(turn, 'GET', '/api/accounts', {}, (state) => ({
      status: 200,
      body: shownAccounts(state, turn.person.id),
    })),
}
