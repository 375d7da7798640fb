import { ifOwn, type Operation, pick, request, type Turn, withinBounds } from './calls.ts'
import { decimal, shownAccount, shownAccounts } from './shown.ts'
import type { Account } from './state.ts'

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
        const account = { id: response.body?.id, user_id: turn.person.id, ...fields, version: 1 }
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
      return request(turn, 'PUT', `/api/accounts/${id}`, { body: body(changes) }, (state) =>
        ifOwn('Account', state.accounts.get(id), turn, (account) => {
          const changed = { ...account, ...changes, version: account.version + 1 }
          const next = state.after((next) => next.accounts.set(id, changed))
          const expected = { status: 200, body: shownAccount(next, changed) }
          return withinBounds(next, turn, 'starting_balance', expected)
        }),
      )
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

export const listAccounts: Operation = {
  name: 'list the accounts',
  weight: 2,
  plan: (turn) =>
    request(turn, 'GET', '/api/accounts', {}, (state) => ({
      status: 200,
      body: shownAccounts(state, turn.person.id),
    })),
}
