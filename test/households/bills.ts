import { addDays, addMonths, type CalendarDate, datesBetween, lastDayOf } from '../../src/domain/dates.ts'
import { Dice } from '../dice.ts'
import { type Booking, bookingsOf } from './banks.ts'
import { type Event, lifeOf, type Place, type Way } from './life.ts'
import type { Payee } from './tongues.ts'
import { tongues } from './tongues.ts'

/** A contract of a household: who is paid, when, and how much. */
export type Contract = {
  name: string
  payee: Payee
  way: Way
  from: Place | null
  to: Place | null
  rrule: string
  /** Nominal days, whatever the bank makes of them. */
  days: CalendarDate[]
  /** Minor units, by the number of the payment. */
  amountOf: (nth: number) => number
  /** In percent, as its people would set it. */
  tolerance: number
  weekend: 'keep' | 'before'
}

/** What a bank booked for a contract. The second try of a debit that bounced has no nominal day. */
export type Paid = Booking & { contract: Contract | null; nominal: CalendarDate | null }

export type BilledHousehold = { contracts: Contract[]; bookings: Paid[] }

const start: CalendarDate = '2025-07-01'
const months = Array.from({ length: 12 }, (_, nth) => addMonths('2025-07', nth))

/** A household with its usual life and contracts: always the same for the same number. */
export function billedHousehold(seed: number): BilledHousehold {
  const dice = new Dice(seed * 104_729)
  const tongue = dice.oneOf(tongues)
  const life = lifeOf(dice, { tongue, start, months: 12, outings: 1 })
  const names = {
    giro: dice.oneOf(tongue.accounts.giro),
    second: dice.oneOf(tongue.accounts.second),
    cash: '',
  }
  const contracts = contractsOf(dice)
  let id = life.length + 1_000
  const contractOf = new Map<number, { contract: Contract; nominal: CalendarDate | null }>()
  const paid = contracts.flatMap((contract) =>
    contract.days.map((nominal, nth): Event => {
      id += 1
      contractOf.set(id, { contract, nominal })
      const { way, payee, from, to } = contract
      const day = contract.weekend === 'before' ? beforeWeekend(nominal) : nominal
      return { id, day, way, payee, amount: contract.amountOf(nth), from, to, fee: 0, tip: 0 }
    }),
  )
  // A debit may bounce, and is tried again days later.
  const again = paid.flatMap((event): Event[] => {
    if (event.way !== 'debit' || !dice.happens(1 / 30)) return []
    const back = { ...event, id: event.id + 1_000, day: addDays(event.day, 2), from: null, to: event.from }
    const retry = { ...event, id: event.id + 2_000, day: addDays(event.day, 5) }
    const { contract } = contractOf.get(event.id) ?? {}
    if (contract) contractOf.set(retry.id, { contract, nominal: null })
    return [back, retry]
  })
  const savingOf = (event: number) => {
    const found = life.find(({ id }) => id === event)
    const isOrder = found?.amount === savedMonthly && found.from === 'giro' && found.day.endsWith('-01')
    return isOrder ? { contract: saving, nominal: found.day } : undefined
  }
  const unplanned = life.filter(({ payee }) => !isRegular(payee, tongue))
  const bookings = bookingsOf(dice, [...unplanned, ...paid, ...again], tongue, names).map((booking): Paid => {
    const found = contractOf.get(booking.event) ?? savingOf(booking.event)
    return { ...booking, contract: found?.contract ?? null, nominal: found?.nominal ?? null }
  })
  return { contracts, bookings }
}

/** Of the usual life, what repeats is left out: these contracts stand in its place. */
function isRegular(payee: Payee, tongue: (typeof tongues)[number]): boolean {
  const { landlord, subscriptions, debits, employers } = tongue
  return [landlord, ...subscriptions, ...debits, ...employers].some(({ booked }) => booked === payee.booked)
}

function contractsOf(dice: Dice): Contract[] {
  const day = dice.from(1, 28)
  const newRent = dice.from(3, 9)
  const bills = months.map(() => dice.from(-400, 400))
  const monthly = (day: number) => months.map((month) => dayOf(month, day))
  const of = (
    some: Partial<Contract> & Pick<Contract, 'name' | 'payee' | 'days' | 'amountOf'>,
  ): Contract => ({
    ...{
      way: 'debit',
      from: 'giro',
      to: null,
      rrule: `FREQ=MONTHLY;BYMONTHDAY=${Number(some.days[0]?.slice(8))}`,
    },
    ...{ tolerance: 0, weekend: 'keep' as const, ...some },
  })
  const twice = dice.from(2, 20)
  return [
    of({
      name: 'rent',
      payee: payeeOf('HAUSVERWALTUNG SEIDEL'),
      days: monthly(1),
      way: 'transfer',
      amountOf: (nth) => (nth < newRent ? 95_000 : 98_000),
    }),
    of({
      name: 'power',
      payee: payeeOf('STADTWERKE NORD STROM'),
      days: monthly(day),
      tolerance: 15,
      amountOf: (nth) => 6_000 + (bills[nth] ?? 0),
    }),
    of({
      name: 'water',
      payee: payeeOf('STADTWERKE NORD WASSER'),
      days: monthly(Math.min(28, day + 2)),
      amountOf: () => 3_150,
    }),
    of({ name: 'news', payee: payeeOf('KIOSKO MEDIA NEWS'), days: monthly(twice), amountOf: () => 799 }),
    of({ name: 'music', payee: payeeOf('TUNEFOX MUSIC'), days: monthly(twice), amountOf: () => 799 }),
    of({
      name: 'gym',
      payee: payeeOf('URBANFIT'),
      days: datesBetween({ from: '2025-07-01', to: '2026-06-30' }).filter(
        (one) => new Date(one).getUTCDay() === 3,
      ),
      rrule: 'FREQ=WEEKLY;BYDAY=WE',
      amountOf: () => 1_250,
    }),
    of({
      name: 'salary',
      payee: payeeOf('BRINKMANN MASCHINENBAU'),
      days: monthly(25),
      way: 'transfer',
      from: null,
      to: 'giro',
      weekend: 'before',
      amountOf: () => 251_300,
    }),
    of({
      name: 'licence',
      payee: payeeOf('RUNDFUNK BEITRAG'),
      days: ['2025-08-15', '2025-11-15', '2026-02-15', '2026-05-15'],
      rrule: 'FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=15',
      amountOf: () => 5_508,
    }),
    of({
      name: 'plan',
      payee: payeeOf('FONDSPLAN MERKUR'),
      days: monthly(7),
      to: 'second',
      amountOf: () => 15_000,
    }),
    of({
      name: 'loan',
      payee: payeeOf('KREDITBANK HALVEN'),
      days: monthly(31),
      rrule: 'FREQ=MONTHLY;BYMONTHDAY=-1',
      amountOf: () => 21_040,
    }),
  ]
}

/** The standing order of every household, which its banks describe in many ways. */
const savedMonthly = 20_000
const saving: Contract = {
  ...{ name: 'saving', payee: { booked: '', typed: [''] }, way: 'transfer', from: 'giro', to: 'second' },
  ...{ rrule: 'FREQ=MONTHLY;BYMONTHDAY=1', days: months.map((month) => `${month}-01`) },
  ...{ amountOf: () => savedMonthly, tolerance: 0, weekend: 'keep' },
}

const payeeOf = (booked: string): Payee => ({ booked, typed: [''] })

function dayOf(month: string, day: number): CalendarDate {
  const last = lastDayOf(month)
  const wanted = `${month}-${String(day).padStart(2, '0')}`
  return wanted > last ? last : wanted
}

function beforeWeekend(day: CalendarDate): CalendarDate {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay()
  return weekday === 6 ? addDays(day, -1) : weekday === 0 ? addDays(day, -2) : day
}
