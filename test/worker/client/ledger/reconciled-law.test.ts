import { expect, test } from 'vitest'
import { type Ledger, LedgerError } from '../../../../client/index.ts'
import { Dice } from '../../../dice.ts'
import { noon, setClock } from '../../fixtures/clock.ts'
import { lengthOf } from '../../fixtures/random-histories.ts'
import { type ApiResponse, type Json, openAccount, type Person } from '../../fixtures/world.ts'
import { balanceOn } from './edits.ts'
import { newWorld, openDevice } from './ledger-world.ts'

const { seed, operations } = lengthOf({ seed: 20_261_128, operations: 100 })
const days = [
  '2026-09-12',
  '2026-09-30',
  '2026-10-01',
  '2026-10-12',
  '2026-10-31',
  '2026-11-02',
  '2026-11-20',
]
const kinds = {
  ...{ record: 7, change: 7, remove: 3, check: 4, 'change a check': 2, 'remove a check': 1 },
  ...{ reconcile: 6, open: 2, start: 1 },
}

/** A row that two users have, under a key of the ledger of one and an id of the other. */
type Twin = { key: string; id: number }
/** By the id. */
type Twins = Map<number, Twin>

/** A write as both users do it: one that creates a row, or deletes one, says among which. */
type Write = {
  onDevice: () => Promise<unknown>
  byApi: () => Promise<ApiResponse>
  into?: Twins
  from?: [Twins, Twin]
}

test('what a ledger refuses for reconciled periods, and what it shows, is what the API does, offline and after a sync', async () => {
  setClock(noon)
  const world = newWorld()
  const [one, other] = [await world.register(), await world.register()]
  const [accounts, rows, checks]: [Twins, Twins, Twins] = [new Map(), new Map(), new Map()]
  for (const name of ['A', 'B']) {
    const [key, id] = [await openAccount(one, { name }), await openAccount(other, { name })].map(
      (row) => row.id,
    )
    accounts.set(id, { key: String(key), id })
  }
  const { ledger } = await openDevice(world, one)
  await ledger.sync()
  const category = {
    key: ledger.categories()[0]?.key ?? '',
    id: (await other.get('/api/categories')).body[0].id,
  }
  const writeOf = writesOf({ ledger, other, category, accounts, rows, checks })
  const dice = new Dice(seed)
  const tally = { made: 0, overridden: 0, reconciled: 0, 'not ok': 0, synced: 0 }
  for (let done = 0; done < operations; done++) {
    const kind = dice.weighed(kinds)
    const override = dice.isOnceIn(3) ? { override_reconciled: true } : {}
    const write = writeOf(dice, { kind, override, name: `n${done}` })
    const made = await write.onDevice().catch((error: unknown) => error)
    const { status, body, text } = await write.byApi()
    expect([200, 201, 204, 422], text).toContain(status)
    if (made instanceof Error) expect(made).toBeInstanceOf(LedgerError)
    const refusal = made instanceof LedgerError ? refusalIn(made) : null
    expect(refusal, `${done}: ${kind}`).toEqual(status === 422 ? body : null)
    if (status === 422) tally[body.code ? 'reconciled' : 'not ok']++
    else tally['override_reconciled' in override ? 'overridden' : 'made']++
    if (status !== 422) {
      write.into?.set(body.id, { key: String(made), id: body.id })
      write.from?.[0].delete(write.from[1].id)
    }
    // What is refused changes nothing: the next write that is made shows it.
    if (status !== 422) expect(shownBy(ledger), `${done}: ${kind}`).toEqual(await shownTo(other))
    // In an upload, an override comes before what reconciles the period, so this is sent first.
    if (kind !== 'reconcile' && !dice.isOnceIn(6)) continue
    expect(await ledger.sync(), `${done}`).toMatchObject({
      conflicts: 0,
      rejected: 0,
      waiting: 0,
      stopped: null,
    })
    expect(await shownTo(one), `${done}: ${kind}, sent`).toEqual(await shownTo(other))
    tally.synced++
  }
  for (const [what, times] of Object.entries(tally)) expect(times, what).toBeGreaterThan(5)
})

/** The error of a ledger as the API's body. */
const refusalIn = ({ message, errors, reconciledThrough }: LedgerError): Json => ({
  ...{ message, errors },
  ...(reconciledThrough && { code: 'reconciled', reconciled_through: reconciledThrough }),
})

type Both = { ledger: Ledger; other: Person; category: Twin; accounts: Twins; rows: Twins; checks: Twins }
type Chosen = { kind: keyof typeof kinds; override: { override_reconciled?: boolean }; name: string }

/** Makes random writes. */
function writesOf({ ledger, other, category, accounts, rows, checks }: Both) {
  return (dice: Dice, { kind, override, name }: Chosen): Write => {
    const [account, to] = [dice.oneOf([...accounts.values()]), dice.oneOf([...accounts.values()])]
    const [row, check, day] = [dice.of(rows.values()), dice.of(checks.values()), dice.oneOf(days)]
    const isRight = !dice.isOnceIn(4)
    const amount = `${dice.from(1, 3)}.00`
    const balance = `${balanceOn(ledger, account.key, day) + (isRight ? 0 : 1)}`
    const query = override.override_reconciled ? '?override_reconciled=true' : ''
    if (kind === 'change' && row) {
      const field = dice.oneOf(['amount', 'transaction_date', 'description', 'account_id'] as const)
      const set = { amount, transaction_date: day, description: name }
      const sent = (side: keyof Twin): Json => ({ [field]: { ...set, account_id: account[side] }[field] })
      return {
        onDevice: () => ledger.update('transaction', row.key, sent('key'), override),
        byApi: () => other.put(`/api/transactions/${row.id}`, { ...sent('id'), ...override }),
      }
    }
    if (kind === 'remove' && row)
      return {
        onDevice: () => ledger.remove('transaction', row.key, override),
        byApi: () => other.delete(`/api/transactions/${row.id}${query}`),
        from: [rows, row],
      }
    if (kind === 'check')
      return {
        onDevice: () => ledger.addCheck({ account_id: account.key, date: day, balance }),
        byApi: () => other.post('/api/balance-checks', { account_id: account.id, date: day, balance }),
        into: checks,
      }
    if (kind === 'change a check' && check) {
      const set = dice.isOnceIn(2) ? { balance: amount } : { date: day }
      return {
        onDevice: () => ledger.update('balance_check', check.key, set, override),
        byApi: () => other.put(`/api/balance-checks/${check.id}`, { ...set, ...override }),
      }
    }
    if (kind === 'remove a check' && check)
      return {
        onDevice: () => ledger.remove('balance_check', check.key, override),
        byApi: () => other.delete(`/api/balance-checks/${check.id}${query}`),
        from: [checks, check],
      }
    if (kind === 'reconcile' || kind === 'open' || kind === 'start') {
      const ok = dice.of(ledger.checks(account.key).filter(({ state }) => state === 'ok'))
      const reconciled_through = kind === 'open' ? null : isRight && ok ? ok.date : day
      const set =
        kind === 'start' ? { starting_balance: `${dice.from(100, 102)}.00` } : { reconciled_through }
      return {
        onDevice: () => ledger.update('account', account.key, set, override),
        byApi: () => other.put(`/api/accounts/${account.id}`, { ...set, ...override }),
      }
    }
    const isTransfer = account !== to && dice.isOnceIn(3)
    const fields = (side: keyof Twin) => ({
      ...{
        account_id: account[side],
        to_account_id: isTransfer ? to[side] : null,
        category_id: category[side],
      },
      ...{ type: isTransfer ? ('transfer' as const) : ('expense' as const), amount, transaction_date: day },
      description: name,
    })
    return {
      onDevice: () => ledger.create('transaction', fields('key'), override),
      byApi: () => other.post('/api/transactions', { ...fields('id'), force: true, ...override }),
      into: rows,
    }
  }
}

/** What both users see: without ids, and in an order of its own. */
function seen(accounts: Json[], checks: Json[], transactions: Json[]): Json {
  const nameOf = (id: number) => accounts.find((one) => one.id === id)?.name
  return {
    accounts: accounts.map(({ name, starting_balance, balance, reconciled_through }) => ({
      ...{ name, starting_balance, balance, reconciled_through },
    })),
    checks: checks
      .map((one) => [
        nameOf(one.account_id),
        one.date,
        one.balance,
        one.ledger_balance,
        one.difference,
        one.state,
      ])
      .sort(),
    transactions: transactions
      .map((one) => [
        one.transaction_date,
        nameOf(one.account_id),
        nameOf(one.to_account_id),
        one.amount,
        one.description,
      ])
      .sort(),
  }
}

const shownBy = (ledger: Ledger) =>
  seen(
    ledger.accounts(),
    ledger.checks().map((check) => ({ ...check, account_id: check.account.id })),
    ledger.transactions({ per_page: 500 }).data,
  )

async function shownTo(person: Person): Promise<Json> {
  const [accounts, checks] = [await person.get('/api/accounts'), await person.get('/api/balance-checks')]
  return seen(accounts.body, checks.body, (await person.get('/api/transactions?per_page=500')).body.data)
}
