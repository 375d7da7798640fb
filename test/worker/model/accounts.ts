import * as fc from 'fast-check'
import {
  anyOf,
  claimed,
  idempotencyKey,
  keyed,
  keyHeader,
  keySpent,
  operation,
  type Stage,
  withinBounds,
} from './calls.ts'
import { decimal, shownAccount, shownAccounts } from './shown.ts'
import type { Account, State } from './state.ts'

/** Names that tell accounts apart, except for a few that two accounts share, in the same case or not. */
const names = [
  'Bank',
  'Cash',
  'CASH',
  'Card',
  'Purse',
  'Wallet',
  'Savings',
  'Shared',
  'Travel',
  'Vault',
  'Jar',
]

const most = 999_999_999_999_999n
const cents = fc.oneof(fc.constantFrom(0n, 1_000n, -1_000n), fc.bigInt({ min: -1_000_000n, max: 1_000_000n }))
const fields = {
  name: fc.constantFrom(...names),
  type: fc.constantFrom('bank', 'mobile', 'cash'),
  starting_balance: cents,
  notes: fc.option(fc.constant('joint'), { freq: 3 }),
}

/** In rich histories some accounts start with the largest balance. */
function scaled(stage: Stage, starting_balance: bigint): bigint {
  if (!stage.isRich || (starting_balance !== 1_000n && starting_balance !== -1_000n)) return starting_balance
  return most
}

const withAccount = (state: State, account: Account) =>
  state.after((next) => next.accounts.set(account.id, account))

export const accountOperations = [
  operation('open an account', 4, { said: fc.record(fields), key: idempotencyKey }, (caller, drawn) => {
    const said = { ...drawn.said, starting_balance: scaled(caller.stage, drawn.said.starting_balance) }
    const body = { ...said, starting_balance: decimal(said.starting_balance) }
    const options = { body, headers: keyHeader(drawn.key) }
    const call = caller.request('POST', '/api/accounts', options, (state, user, { body }) => {
      const key = drawn.key === null ? undefined : `${user.id} account ${drawn.key}`
      const earlier = state.madeWith(state.accounts, key)
      if (earlier) return { status: 200, body: shownAccount(state, earlier) }
      if (state.hasMade(key)) return keySpent('an account')
      const account: Account = { id: body?.id, user_id: user.id, ...said, version: 1 }
      const next = withAccount(state, account)
      const opened = { status: 201, body: shownAccount(next, account) }
      return keyed(withinBounds(next, user.id, 'starting_balance', opened), key, account.id)
    })
    return { ...call, made: ({ body }) => [['accounts', body?.id]] }
  }),

  operation(
    'change an account',
    4,
    { account: anyOf, changes: fc.record(fields, { requiredKeys: [] }) },
    (caller, { account, changes }) => {
      const id = caller.pick('accounts', account)
      const { starting_balance } = changes
      const said = {
        ...changes,
        ...(starting_balance !== undefined && { starting_balance: scaled(caller.stage, starting_balance) }),
      }
      const body = {
        ...said,
        ...(said.starting_balance !== undefined && { starting_balance: decimal(said.starting_balance) }),
      }
      return caller.request('PUT', `/api/accounts/${id}`, { body }, (state, user) =>
        claimed('accounts', state.accounts.get(id), user, (account) => {
          const changed = { ...account, ...said, version: account.version + 1 }
          const next = withAccount(state, changed)
          return withinBounds(next, user.id, 'starting_balance', {
            status: 200,
            body: shownAccount(next, changed),
          })
        }),
      )
    },
  ),

  operation('close an account', 2, { account: anyOf }, (caller, { account }) => {
    const id = caller.pick('accounts', account)
    return caller.request('DELETE', `/api/accounts/${id}`, {}, (state, user) =>
      claimed('accounts', state.accounts.get(id), user, () => {
        const next = state.after((next) => next.closeAccount(id))
        return withinBounds(next, user.id, 'amount', { status: 204 })
      }),
    )
  }),

  operation('show an account', 1, { account: anyOf }, (caller, { account }) => {
    const id = caller.pick('accounts', account)
    return caller.request('GET', `/api/accounts/${id}`, {}, (state, user) =>
      claimed('accounts', state.accounts.get(id), user, (account) => ({
        status: 200,
        body: shownAccount(state, account),
      })),
    )
  }),
]

export const listAccounts = operation('list the accounts', 2, {}, (caller) =>
  caller.request('GET', '/api/accounts', {}, (state, user) => ({
    status: 200,
    body: shownAccounts(state, user.id),
  })),
)
