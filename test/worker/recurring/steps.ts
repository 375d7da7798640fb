import { sql } from 'drizzle-orm'
import { addDays, type CalendarDate, dateIn, dayMs } from '../../../src/domain/dates.ts'
import { bookingDay, occurrencesBetween } from '../../../src/domain/recurrence/dates.ts'
import { parseRecurrenceRule } from '../../../src/domain/recurrence/rule.ts'
import { Dice } from '../../dice.ts'
import { createFaultyWorld } from '../faults/faulty-world.ts'
import { create, update } from '../fixtures/uploads.ts'
import { type ApiResponse, aCategory, type Json, openAccount, type Person } from '../fixtures/world.ts'
import { askDatabase, verify } from '../laws/every-route.ts'

/** A transaction that its user can see. */
export type Row = {
  id: number
  user_id: number
  account_id: number
  to_account_id: number | null
  type: string
  amount: number
  description: string | null
  transaction_date: CalendarDate
  import_id: number | null
  recurring_id: number | null
  occurrence_date: CalendarDate | null
}

type Home = { person: Person; categories: Record<string, number>; accounts: Json[]; timezone: string }
export type Place = {
  world: ReturnType<typeof createFaultyWorld>
  homes: Home[]
  dice: Dice
  /** Rules as devices that are offline have seen them, up to 90 days ago. */
  seen: { at: number; rules: Json[] }[][]
  made: number
}

/** A world with two users, reached through a proxy that breaks connections. */
export async function createPlace(seed: number): Promise<Place> {
  const world = createFaultyWorld()
  const homes: Home[] = []
  for (let nth = 0; nth < 2; nth++) {
    const person = await world.register()
    await verify(world, person)
    const [expense, income] = [await aCategory(person), await aCategory(person, 'income')]
    const accounts = [await openAccount(person), await openAccount(person, { name: 'Savings' })]
    homes.push({
      person,
      accounts,
      categories: { expense: expense.id, income: income.id },
      timezone: 'UTC',
    })
  }
  return { world, homes, dice: new Dice(seed), seen: homes.map(() => []), made: 0 }
}

const todayOf = ({ timezone }: Home) => dateIn(timezone, new Date())

/** The transactions of all, and the rules of each user. */
export type State = { rows: Row[]; rules: Json[][] }

export async function stateOf({ world, homes }: Place): Promise<State> {
  const rows = await askDatabase(
    world,
    sql`
    select id, user_id, account_id, to_account_id, type, amount, description, transaction_date, import_id, recurring_id,
           occurrence_date
      from transactions
     where not exists (select 1 from accounts gone where gone.user_id is null and gone.id in (account_id, to_account_id))
     order by id`,
  )
  const rules: Json[][] = []
  for (const { person } of homes) rules.push((await person.get('/api/recurring')).body)
  return { rows: rows.map((row) => ({ ...row }) as Row), rules }
}

/** What the job must record, computed from what the API says of the rules, and what similar transactions hold back. */
export function openOf({ homes }: Place, { rules, rows }: State) {
  const all = homes.flatMap((home, nth) =>
    (rules[nth] ?? []).flatMap((rule) => openOfRule(rule, rows, todayOf(home))),
  )
  const [open, held] = [all.filter(({ isHeld }) => !isHeld), all.filter(({ isHeld }) => isHeld)]
  return { open: open.map(({ row }) => row), held: held.map(({ row }) => row) }
}

type Open = { row: Partial<Row>; isHeld: boolean }

const cents = (amount: string) => Math.round(Number(amount) * 100)
/** The longest that an occurrence is due, and the furthest that it is moved. */
const days = 62

function openOfRule(rule: Json, rows: Row[], today: CalendarDate): Open[] {
  if (rule.paused || !rule.auto_record) return []
  const oldest = addDays(today, -days)
  const from = rule.open_from > oldest ? rule.open_from : oldest
  const schedule = { startsOn: rule.starts_on, rule: parseRecurrenceRule(rule.rrule) }
  const dates = occurrencesBetween(schedule, addDays(today, -2 * days - 7), addDays(today, days + 7))
  return dates.flatMap((date) => {
    const exception = rule.exceptions[date] ?? {}
    const day = exception.transaction_date ?? bookingDay(date, rule.weekend)
    const row = {
      account_id: rule.account_id,
      to_account_id: rule.to_account_id,
      type: rule.type,
      amount: cents(exception.amount ?? rule.amount),
      transaction_date: day,
      description: exception.description ?? rule.description,
      recurring_id: rule.id,
      occurrence_date: date,
    }
    const isTaken = rows.some((one) => one.recurring_id === rule.id && one.occurrence_date === date)
    const distances = dates.map((other) => daysFrom(date, other)).filter((distance) => distance > 0)
    const nearby = Math.floor(Math.min(6, ...distances) / 2)
    const isHeld = rows.some((one) => isLike(one, row) && daysFrom(one.transaction_date, day) <= nearby)
    return exception.skip || isTaken || day < from || day > today ? [] : [{ row, isHeld }]
  })
}

const daysFrom = (one: CalendarDate, other: CalendarDate) =>
  Math.abs(Date.parse(one) - Date.parse(other)) / dayMs

function isLike(one: Row, other: Partial<Row>): boolean {
  const names = ['account_id', 'to_account_id', 'type', 'amount'] as const
  return one.recurring_id === null && names.every((name) => one[name] === other[name])
}

/** What a person does, and which rows it may remove. */
export type Step = {
  text: string
  does: () => Promise<ApiResponse>
  removes?: (row: Row) => boolean
  /** The occurrence whose row it deletes. */
  deletes?: Row
  isUndo?: boolean
}

const rrules = [
  'FREQ=DAILY',
  'FREQ=DAILY;INTERVAL=3',
  'FREQ=WEEKLY',
  'FREQ=WEEKLY;BYDAY=MO,SA',
  'FREQ=WEEKLY;COUNT=5',
  'FREQ=MONTHLY',
  'FREQ=MONTHLY;BYMONTHDAY=15,31',
  'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1',
]
const amounts = ['5.00', '7.00']
const payees = [
  'Rent Meier',
  'Stadtwerke Power',
  'Netflix',
  'Gym Olymp',
  'Allianz Insurance',
  'Telekom Mobile',
]
const zones = [
  ...['UTC', 'Europe/Paris', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata'],
  ...['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'America/Santiago', 'Africa/Cairo', 'Asia/Kathmandu'],
]
const maxRules = 8

function template({ dice }: Place, { accounts, categories }: Home) {
  const type = dice.weighed({ expense: 4, income: 1, transfer: 1 })
  const [account, other] = dice.shuffled(accounts)
  return {
    type,
    account_id: account?.id,
    amount: dice.oneOf(amounts),
    description: dice.oneOf(payees),
    ...(type === 'transfer' ? { to_account_id: other?.id } : { category_id: categories[type] }),
  }
}

/** Creates a rule. */
export function creates(place: Place, home: Home): Step {
  const { dice } = place
  const body = {
    ...template(place, home),
    rrule: dice.oneOf(rrules),
    starts_on: addDays(todayOf(home), dice.from(-70, 20)),
    weekend: dice.oneOf(['keep', 'before', 'after']),
    auto_record: dice.happens(0.8),
  }
  return of(home, 'post', '/api/recurring', body)
}

const of = ({ person }: Home, verb: 'post' | 'put' | 'delete', path: string, body?: Json): Step => ({
  text: `user ${person.id}: ${verb} ${path} ${JSON.stringify(body)}`,
  does: () => person[verb](path, body),
})

/** Chooses one of all ways to change something. */
export async function chooseStep(place: Place, home: Home, state: State): Promise<Step> {
  const { dice } = place
  const rules = state.rules[place.homes.indexOf(home)] ?? []
  const rule = dice.of(rules)
  if (!rule) return creates(place, home)
  const own = state.rows.filter(({ user_id }) => user_id === home.person.id)
  const way = dice.weighed({
    ...{ create: rules.length < maxRules ? 3 : 0, change: 4, divide: 3, except: 5, record: 3, link: 3 },
    ...{ unlink: 1, deleteRow: 4, deleteRule: 0.5, type: 3, import: 5, undo: 2, join: 2, separate: 2 },
    ...{ zone: 2, deleteAccount: 0.4, device: 5 },
  })
  const date = occurrenceOf(place, home, rule)
  const path = `/api/recurring/${rule.id}`
  const occurrence = `${path}/occurrences/${date}`
  const linked = dice.of(own.filter(({ recurring_id }) => recurring_id === rule.id))
  const unlinked = dice.of(own.filter((one) => isLike(one, { ...one, account_id: rule.account_id })))
  const row = dice.of(dice.happens(0.8) && linked ? [linked] : own)
  const steps: Record<typeof way, () => Step | Promise<Step>> = {
    create: () => creates(place, home),
    change: () => of(home, 'put', path, changeOf(place, home, rule)),
    divide: () => of(home, 'put', path, { ...changeOf(place, home, rule), from: date }),
    except: () => of(home, 'put', occurrence, differenceOf(place, date)),
    record: () => of(home, 'post', `${occurrence}/record`),
    link: () => of(home, 'put', occurrence, { transaction_id: unlinked?.id ?? 999_999 }),
    unlink: () =>
      of(home, 'put', `${path}/occurrences/${linked?.occurrence_date ?? date}`, { transaction_id: null }),
    deleteRow: () => ({
      ...of(home, 'delete', `/api/transactions/${row?.id ?? 999_999}`),
      removes: ({ id }) => id === row?.id,
      ...(row?.recurring_id && { deletes: row }),
    }),
    deleteRule: () => of(home, 'delete', path),
    type: () => of(home, 'post', '/api/transactions', { ...similarRow(place, home, rule), force: true }),
    import: () => {
      const row = dice.happens(0.7) ? bankRow(place, rule, date) : similarRow(place, home, rule)
      return of(home, 'post', '/api/import/store', { transactions: [row] })
    },
    undo: () => undoes(place, home),
    join: () => {
      const ids = [linked?.id, unlinked?.id]
      const removes = ({ id }: Row) => ids.includes(id)
      return { ...of(home, 'post', '/api/matches/join', { kind: 'duplicate', ids }), removes }
    },
    separate: () => of(home, 'post', '/api/matches/separate', { id: row?.id ?? 999_999 }),
    device: () => uploads(place, home),
    zone: () => movesTo(home, dice.oneOf(zones)),
    deleteAccount: () => closes(home, dice.oneOf(home.accounts)),
  }
  return steps[way]()
}

/** The date of an occurrence, most often of one that is due or soon will be; now and then one that the rule does not have. */
function occurrenceOf({ dice }: Place, home: Home, rule: Json): CalendarDate {
  const today = todayOf(home)
  const schedule = { startsOn: rule.starts_on, rule: parseRecurrenceRule(rule.rrule) }
  const near = occurrencesBetween(schedule, addDays(today, dice.oneOf([-5, -30, -65])), addDays(today, 40))
  return dice.of(near) ?? today
}

function changeOf({ dice }: Place, home: Home, rule: Json): Json {
  return dice.oneOf([
    { amount: dice.oneOf(amounts) },
    { amount: dice.oneOf(amounts) },
    { description: 'More' },
    { paused: !rule.paused },
    { auto_record: !rule.auto_record },
    { rrule: dice.oneOf(rrules) },
    { weekend: dice.oneOf(['keep', 'before', 'after']) },
    { starts_on: addDays(todayOf(home), dice.from(-30, 10)) },
  ])
}

function differenceOf({ dice }: Place, date: CalendarDate): Json {
  return dice.oneOf<Json>([
    { skip: true },
    { skip: null },
    { amount: dice.oneOf([...amounts, null]) },
    { transaction_date: addDays(date, dice.from(-8, 8)) },
    { transaction_date: null, description: 'Different' },
  ])
}

/** A transaction like those of a rule, on some day of the last months. */
function similarRow({ dice }: Place, home: Home, rule: Json): Json {
  const { account_id, to_account_id, category_id, type } = rule
  const transaction_date = addDays(todayOf(home), dice.from(-30, 5))
  return { account_id, to_account_id, category_id, type, amount: dice.oneOf(amounts), transaction_date }
}

/** What the bank books of an occurrence: some days before or after it, with words of its own. */
function bankRow({ dice }: Place, rule: Json, date: CalendarDate): Json {
  const { account_id, to_account_id, category_id, type, amount } = rule
  const transaction_date = addDays(date, dice.from(-4, 7))
  const description = `SEPA ${dice.from(1000, 9999)} ${rule.description}`
  return { account_id, to_account_id, category_id, type, amount, description, transaction_date }
}

/** Uploads what a device recorded while it was offline, by a rule as it had seen it; in half of the cases, also a skip. */
function uploads(place: Place, home: Home): Step {
  const { dice, homes, seen } = place
  const recent = seen[homes.indexOf(home)]?.filter(({ at }) => Math.abs(Date.now() - at) < 90 * dayMs) ?? []
  const rule = dice.of(dice.of(recent)?.rules ?? [])
  if (!rule) return creates(place, home)
  const { account_id, to_account_id, category_id, type, amount } = rule
  const date = occurrenceOf(place, home, rule)
  const row = { account_id, to_account_id, category_id, type, amount, transaction_date: date }
  const ops = [
    create('transaction', `made-${++place.made}`, { ...row, recurring_id: rule.id, occurrence_date: date }),
    update('recurring', rule.id, { exceptions: { [occurrenceOf(place, home, rule)]: { skip: true } } }),
  ]
  return of(home, 'post', '/api/changes', { ops: ops.slice(0, dice.from(1, 2)) })
}

async function undoes({ dice }: Place, home: Home): Promise<Step> {
  const imports: Json[] = (await home.person.get('/api/imports')).body
  const id = dice.of(imports)?.id ?? 999_999
  const removes = ({ import_id }: Row) => import_id === id
  return { ...of(home, 'delete', `/api/imports/${id}?force=true`), removes, isUndo: true }
}

function movesTo(home: Home, timezone: string): Step {
  const { text, does } = of(home, 'put', '/api/me', { timezone })
  return {
    text,
    does: async () => {
      const response = await does()
      home.timezone = (await home.person.get('/api/me')).body.timezone ?? home.timezone
      return response
    },
  }
}

/** Deletes an account, and opens another one. */
function closes(home: Home, { id }: Json): Step {
  const { text, does } = of(home, 'delete', `/api/accounts/${id}`)
  return {
    text,
    removes: ({ account_id, to_account_id }) => account_id === id || to_account_id === id,
    does: async () => {
      const response = await does()
      const { body } = await home.person.post('/api/accounts', { name: 'Another', type: 'bank' })
      const index = home.accounts.findIndex((one) => one.id === id)
      if (response.status === 204 && body.id) home.accounts.splice(index, 1, body)
      return response
    },
  }
}
