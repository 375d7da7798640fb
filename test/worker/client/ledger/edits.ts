import { expect } from 'vitest'
import { type Ledger, LedgerError } from '../../../../client/index.ts'
import type { Dice } from '../../../dice.ts'
import { randomTransaction } from '../../../random-transaction.ts'

const days = [
  '1900-01-01',
  '2024-02-29',
  '2100-12-31',
  '2025-12-31',
  '2026-01-01',
  '2026-01-02',
  '2026-01-31',
  '2026-02-01',
  '2026-02-10',
]
const texts = [
  'Tea',
  'tea with the neighbours',
  '100% _wool_',
  'É',
  'é 🫖',
  'a\\b',
  'ẞß',
  null,
  '',
  ' spaced ',
  'NEIGHBOURS, É, é and ẞß',
  '_ool_ and %, [a-z]+ (?:x)',
  'a\nb .* (^t',
  'Kelvin K, long ſ, İ and i̇stanbul',
  'e\u0301 is é',
  'STRASSE straße it\'s "x"',
]

/** How often a person does each kind of thing. */
const usual = {
  ...{
    record: 10,
    correct: 6,
    move: 3,
    remove: 3,
    open: 2,
    change: 2,
    close: 1,
    categories: 3,
    drop: 1,
    undo: 2,
    repeat: 2,
    occurrence: 5,
    following: 1,
    'change a rule': 1,
    'drop a rule': 1,
    check: 2,
    reconcile: 2,
    'open a period': 1,
  },
}
export type Kinds = typeof usual

/** Something that a person does on a device, who overrides every other reconciled period, and lets the others be. */
export async function edit(
  ledger: Ledger,
  dice: Dice,
  newName: () => string,
  kinds: Partial<Kinds> = {},
): Promise<void> {
  // What overrides a period that is not sent yet would be sent with it, and the service reconciles last.
  const isSent = ledger.accounts().every(({ waits }) => waits === null)
  const options = { override_reconciled: isSent && dice.isOnceIn(2) }
  try {
    await editWith(options, ledger, dice, newName, kinds)
  } catch (error) {
    if (!(error instanceof LedgerError && error.reconciledThrough)) throw error
    expect(options.override_reconciled).toBe(false)
  }
}

type Options = { override_reconciled: boolean }

async function editWith(
  options: Options,
  ledger: Ledger,
  dice: Dice,
  newName: () => string,
  kinds: Partial<Kinds>,
): Promise<void> {
  const accounts = ledger.accounts().map(({ key }) => key)
  const categories = ledger.categories().map(({ key }) => key)
  const [account, category_id] = [dice.of(accounts), dice.of(categories)]
  const transaction = dice.of(ledger.transactions({ per_page: 500 }).data)?.key
  const random = () =>
    randomTransaction(dice, {
      ...{ accounts, categories, days },
      amount: () => dice.from(1, 99_999) / 100,
      text: () => dice.oneOf(texts),
    })
  const kind = dice.weighed({ ...usual, ...kinds })
  if (await editRule(ledger, dice, kind, options)) return
  if (await editChecks(ledger, dice, kind)) return
  if (!account || !category_id || kind === 'open')
    await ledger.create('account', {
      ...{
        name: newName(),
        type: 'bank' as const,
        starting_balance: `${dice.from(-500, 500)}.5`,
        notes: ' ',
      },
    })
  else if (kind === 'record')
    // The reference tells which rows were made.
    await ledger.create('transaction', { ...random(), reference: newName() } as never, options)
  else if (kind === 'change')
    await ledger.update('account', account, { name: newName(), starting_balance: 12.5 }, options)
  else if (kind === 'close') await ledger.remove('account', account)
  else if (kind === 'drop') await ledger.remove('category', category_id)
  else if (kind === 'undo') await ledger.undo(options)
  else if (kind === 'categories') {
    if (dice.isOnceIn(3)) await ledger.update('category', category_id, { name: newName() })
    else if (dice.isOnceIn(2)) await ledger.create('category', { name: newName(), type: 'expense' })
  } else if (transaction && kind === 'remove') await ledger.remove('transaction', transaction, options)
  else if (transaction && kind === 'correct') {
    const { amount, transaction_date, description } = random()
    await ledger.update('transaction', transaction, { amount, transaction_date, description }, options)
  } else if (transaction && kind === 'move')
    await ledger.update(
      'transaction',
      transaction,
      { type: 'expense', account_id: account, category_id },
      options,
    )
}

const rrules = [
  'FREQ=WEEKLY',
  'FREQ=MONTHLY',
  'FREQ=DAILY;INTERVAL=9;COUNT=9',
  'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1',
]

/** Something that a person does with a recurring transaction or an occurrence of one; false for another kind of thing. */
async function editRule(ledger: Ledger, dice: Dice, kind: keyof Kinds, options: Options): Promise<boolean> {
  const [account, other] = [dice.of(ledger.accounts())?.key, dice.of(ledger.accounts())?.key]
  const category_id = dice.of(ledger.categories())?.key
  const rule = dice.of(ledger.recurring())?.key
  const open = dice.of(ledger.upcoming({ days: 60 }).occurrences.filter(({ state }) => state !== 'recorded'))
  const amount = dice.from(1, 99_999) / 100
  if (kind === 'repeat' && account && other && category_id) {
    const today = ledger.forecast().from
    const starts_on = new Date(Date.parse(today) + dice.from(-40, 20) * 86_400_000).toISOString().slice(0, 10)
    const type = dice.of(
      account === other ? ['income', 'expense'] : ['income', 'expense', 'transfer'],
    ) as 'income'
    const to_account_id = String(type) === 'transfer' ? other : null
    const paused = dice.isOnceIn(6)
    const schedule = {
      starts_on,
      rrule: dice.of(rrules) as string,
      weekend: dice.of(['keep', 'before']) as 'keep',
    }
    await ledger.create('recurring', {
      account_id: account,
      to_account_id,
      category_id,
      type,
      amount,
      paused,
      ...schedule,
    })
  } else if (kind === 'occurrence' && open) {
    const { recurring_key: key, occurrence_date: date, state } = open
    if (state === 'skipped') await ledger.changeOccurrence(key, date, { skip: false })
    else if (dice.isOnceIn(2)) await ledger.recordOccurrence(key, date, options)
    else await ledger.changeOccurrence(key, date, dice.isOnceIn(2) ? { skip: true } : { amount })
  } else if (kind === 'following' && open)
    await ledger.changeFollowing(open.recurring_key, open.occurrence_date, { amount })
  else if (kind === 'change a rule' && rule)
    await ledger.update(
      'recurring',
      rule,
      dice.isOnceIn(3) ? { paused: dice.isOnceIn(2) } : { amount, category_id },
    )
  else if (kind === 'drop a rule' && rule) await ledger.remove('recurring', rule)
  else return false
  return true
}

/** Something that a person does with the balance checks of an account; false for another kind of thing. */
async function editChecks(ledger: Ledger, dice: Dice, kind: keyof Kinds): Promise<boolean> {
  const account = dice.of(ledger.accounts())?.key
  if (!account) return false
  const checks = ledger.checks(account)
  if (kind === 'check') {
    const free = days.filter((day) => day < '2026-03' && !checks.some(({ date }) => date === day))
    const date = dice.of(free)
    if (!date) return true
    await ledger.addCheck({ account_id: account, date, balance: balanceOn(ledger, account, date).toFixed(2) })
  } else if (kind === 'reconcile') {
    const ok = dice.of(checks.filter(({ state }) => state === 'ok'))
    if (ok) await ledger.reconcile(account, ok.date)
  } else if (kind === 'open a period') await ledger.reconcile(account, null)
  else return false
  return true
}

/** The balance of an account at the end of a day. */
export function balanceOn(ledger: Ledger, key: string, to: string): number {
  const start = Number(ledger.accounts().find((one) => one.key === key)?.starting_balance)
  return ledger
    .transactions({ account_id: key, to, per_page: 500 })
    .data.reduce((sum, { type, amount, account, to_account }) => {
      const own = account.key === key ? (type === 'income' ? 1 : -1) : 0
      return sum + (own + (to_account?.key === key ? 1 : 0)) * Number(amount)
    }, start)
}
