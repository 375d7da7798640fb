import { addDays, type CalendarDate } from '../../../src/domain/dates.ts'
import { occurrencesBetween } from '../../../src/domain/recurrence/dates.ts'
import { parseRecurrenceRule } from '../../../src/domain/recurrence/rule.ts'
import type { Dice } from '../../dice.ts'
import { randomTransaction } from '../../random-transaction.ts'
import type { Json } from '../fixtures/responses.ts'
import { type Device, seenOf } from './device.ts'
import type { Noun, Operation } from './ledger.ts'

const kinds = {
  record: 9,
  correct: 14,
  move: 3,
  'remove a transaction': 3,
  'open an account': 2,
  'change an account': 3,
  'close an account': 1,
  'add a category': 2,
  'change a category': 3,
  'drop a category': 1,
  'change the profile': 1,
  'repeat a transaction': 2,
  'change a rule': 4,
  'change an occurrence': 5,
  'record an occurrence': 5,
  'divide a rule': 2,
  'drop a rule': 0.5,
}

/** Something that a person does on a device, to be sent later. */
export function edit(device: Device, dice: Dice): void {
  const makers: Record<keyof typeof kinds, () => Operation | undefined> = {
    record: () => creation(device, 'transaction', newTransaction(device, dice)),
    correct: () => update(device, dice, 'transaction', (row) => correction(device, dice, row)),
    move: () => update(device, dice, 'transaction', () => kindAndAccounts(device, dice)),
    'remove a transaction': () => deletion(device, dice, 'transaction', ['amount', 'description']),
    'open an account': () => creation(device, 'account', newAccount(device, dice)),
    'change an account': () => update(device, dice, 'account', () => accountChange(device, dice)),
    'close an account': () => (dice.isOnceIn(3) ? deletion(device, dice, 'account', ['name']) : undefined),
    'add a category': () =>
      creation(device, 'category', { name: categoryName(device, dice), type: 'expense' }),
    'change a category': () => update(device, dice, 'category', () => ({ name: categoryName(device, dice) })),
    'drop a category': () => deletion(device, dice, 'category', ['name']),
    'change the profile': () => profileChange(device),
    'repeat a transaction': () => creation(device, 'recurring', newRule(device, dice)),
    'change a rule': () => update(device, dice, 'recurring', (row) => ruleChange(device, dice, row)),
    'change an occurrence': () =>
      update(device, dice, 'recurring', (row) => {
        const date = occurrenceOf(row, dice)
        return date && { exceptions: { [date]: difference(device, dice, date) } }
      }),
    'record an occurrence': () => creation(device, 'transaction', newOccurrence(device, dice)),
    'divide a rule': () =>
      update(device, dice, 'recurring', (row) => {
        const from = occurrenceOf(row, dice)
        return from && { from, successor_client_id: device.stage.newText(), amount: device.stage.newAmount() }
      }),
    'drop a rule': () => deletion(device, dice, 'recurring', ['amount', 'description']),
  }
  const operation = makers[dice.weighed(kinds)]()
  if (operation) device.keep(operation)
}

const days = ['2025-12-31', '2026-01-01', '2026-01-31', '2026-02-01']

/** A new expense, income or transfer; undefined if there is no account or category for it. */
export function newTransaction(device: Device, dice: Dice): Json {
  const { stage } = device
  const [account, other] = [reference(device, dice, 'account'), reference(device, dice, 'account')]
  const category = reference(device, dice, 'category')
  if (account === undefined || other === undefined || category === undefined) return undefined
  const row = randomTransaction(dice, {
    ...{ accounts: [account, other], categories: [category], days },
    amount: () => stage.newAmount(),
    // The reference, which is never changed, reveals a row that was stored twice.
    text: () => stage.newText(),
  })
  return row.type === 'transfer' && dice.isOnceIn(2) ? { ...row, category_id: null } : row
}

function kindAndAccounts(device: Device, dice: Dice): Json {
  const account_id = reference(device, dice, 'account')
  const other = reference(device, dice, 'account')
  if (account_id === undefined) return undefined
  const type = dice.of(['expense', 'income', 'transfer'])
  if (type !== 'transfer' || other === account_id)
    return { type: type === 'income' ? type : 'expense', account_id, to_account_id: null }
  return { type, account_id, to_account_id: other }
}

/** One or two fields of a transaction. */
export function correction(device: Device, dice: Dice, { type }: Json): Json {
  const { stage } = device
  const category_id = reference(device, dice, 'category')
  const all: Json = {
    amount: stage.newAmount(),
    description: stage.newText(),
    transaction_date: dice.of(days),
  }
  if (type !== 'transfer' && category_id !== undefined) all.category_id = category_id
  const chosen = [0, 1].map(() => dice.of(['amount', 'amount', 'description', ...Object.keys(all)]) as string)
  return Object.fromEntries(chosen.map((field) => [field, all[field]]))
}

export function newAccount({ stage }: Device, dice: Dice): Json {
  return {
    name: stage.newText(),
    type: dice.of(['bank', 'cash']),
    starting_balance: stage.newAmount(),
    notes: stage.newText(),
  }
}

export function accountChange(device: Device, dice: Dice): Json {
  const { name, notes, starting_balance } = newAccount(device, dice)
  return dice.of([{ name }, { notes }, { starting_balance }, { name, notes }])
}

/** Some names are taken, or will be by the time they arrive. */
export const categoryName = ({ stage }: Device, dice: Dice): string =>
  dice.isOnceIn(5) ? (dice.of(['Pets', 'pets', 'Books', 'Groceries']) as string) : stage.newText()

const rrules = [
  ...['FREQ=WEEKLY', 'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SA', 'FREQ=WEEKLY;COUNT=9', 'FREQ=MONTHLY'],
  ...[
    'FREQ=MONTHLY;BYMONTHDAY=15,31',
    'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1',
    'FREQ=DAILY;INTERVAL=5',
  ],
]
const today = (): CalendarDate => new Date().toISOString().slice(0, 10)

/** A new rule; undefined if there is no account or category for it. */
export function newRule(device: Device, dice: Dice): Json {
  const row = newTransaction(device, dice)
  if (!row) return undefined
  const { account_id, to_account_id, category_id, type, amount, description } = row
  return {
    ...{ account_id, to_account_id, category_id, type, amount, description },
    starts_on: addDays(today(), dice.from(-70, 20)),
    rrule: dice.oneOf(rrules),
    weekend: dice.oneOf(['keep', 'before', 'after']),
    auto_record: dice.isOnceIn(2),
    paused: false,
  }
}

export function ruleChange(device: Device, dice: Dice, { paused, auto_record }: Json): Json {
  const { stage } = device
  return dice.oneOf<() => Json>([
    () => ({ amount: stage.newAmount() }),
    () => ({ description: stage.newText() }),
    () => ({ amount: stage.newAmount(), description: stage.newText() }),
    () => ({ paused: !paused }),
    () => ({ auto_record: !auto_record }),
    () => ({ rrule: dice.oneOf(rrules) }),
    () => ({ starts_on: addDays(today(), dice.from(-40, 10)) }),
    () => kindAndAccounts(device, dice),
  ])()
}

/** The date of an occurrence that is due, or soon will be. */
export function occurrenceOf({ starts_on, rrule }: Json, dice: Dice): CalendarDate | undefined {
  const schedule = { startsOn: starts_on, rule: parseRecurrenceRule(rrule) }
  return dice.of(occurrencesBetween(schedule, addDays(today(), -61), addDays(today(), 40)))
}

/** What differs in one occurrence; null for nothing. */
export function difference({ stage }: Device, dice: Dice, date: CalendarDate): Json {
  return dice.oneOf<() => Json>([
    () => ({ skip: true }),
    () => ({ amount: stage.newAmount() }),
    () => ({ amount: stage.newAmount(), description: stage.newText() }),
    () => ({ transaction_date: addDays(date, dice.from(-8, 8)) }),
    () => null,
  ])()
}

function newOccurrence(device: Device, dice: Dice): Json {
  const shown = device.shown('recurring', dice)
  const date = shown && occurrenceOf(shown.row, dice)
  if (!date) return undefined
  const { account_id, to_account_id, category_id, type, amount, description } = shown.row
  return {
    ...{ account_id, to_account_id, category_id, type, amount, description },
    ...{ transaction_date: date, reference: device.stage.newText() },
    ...{ recurring_id: shown.name.id ?? `#${shown.name.client_id}`, occurrence_date: date },
  }
}

function profileChange({ copy, stage }: Device): Operation | undefined {
  if (!copy.profile) return undefined
  return { op: 'update', noun: 'profile', set: { name: stage.newText() }, was: { name: copy.profile.name } }
}

function creation({ stage }: Device, noun: Noun, set: Json): Operation | undefined {
  return set && { op: 'create', noun, client_id: stage.newText(), set }
}

/** A change of one of the rows that the device shows, with what it shows. */
function update(device: Device, dice: Dice, noun: Noun, change: (row: Json) => Json): Operation | undefined {
  const shown = device.shown(noun, dice)
  const set = shown && change(shown.row)
  if (!set) return undefined
  const was = seenOf(shown.row, set)
  const isBlind = dice.isOnceIn(6)
  return { op: 'update', noun, ...shown.name, set, ...(!isBlind && { was }) }
}

function deletion(device: Device, dice: Dice, noun: Noun, fields: string[]): Operation | undefined {
  const shown = device.shown(noun, dice)
  if (!shown) return undefined
  const was = Object.fromEntries(fields.map((field) => [field, shown.row[field]]))
  return { op: 'delete', noun, ...shown.name, ...(!dice.isOnceIn(4) && { was }) }
}

/** An account or a category by its id, or by the client id that it was or will be made with. */
function reference(device: Device, dice: Dice, noun: Noun): number | string | undefined {
  const shown = device.shown(noun, dice)
  return shown?.name.id ?? (shown && `#${shown.name.client_id}`)
}
