import { addDays, type CalendarDate, lastDayOf } from '../../src/domain/dates.ts'
import type { Dice } from '../dice.ts'
import type { Payee, Tongue } from './tongues.ts'

/** Two banks that write files, and the tin in the kitchen. */
export type Place = 'giro' | 'second' | 'cash'
/** How money moves, which decides when a bank books it and what it writes. */
export type Way = 'card' | 'debit' | 'transfer' | 'machine' | 'cash'

/** Something that happened once, whoever noted it. */
export type Event = {
  id: number
  day: CalendarDate
  way: Way
  payee: Payee
  /** Minor units. */
  amount: number
  from: Place | null
  to: Place | null
  /** The fee that a service in between keeps. */
  fee: number
  /** What is added after the amount was typed. */
  tip: number
}

/** The habits of a household. */
type Habits = {
  tongue: Tongue
  start: CalendarDate
  months: number
  cardFrom: Place
  coffee: Payee
  coffeePrice: number
  coffeesADay: number
  /** How often a day its people may go shopping. */
  outings: number
}

const weekdayOf = (day: CalendarDate) => new Date(`${day}T00:00:00Z`).getUTCDay()
const isWorkday = (day: CalendarDate) => weekdayOf(day) % 6 !== 0

/** A number of months in the life of a household. */
export function lifeOf(dice: Dice, habits: Pick<Habits, 'tongue' | 'start' | 'months' | 'outings'>): Event[] {
  const { tongue } = habits
  return new Life(dice, {
    ...habits,
    cardFrom: dice.oneOf(['giro', 'giro', 'second'] as const),
    coffee: dice.oneOf(tongue.cafes),
    coffeePrice: dice.oneOf([280, 320, 350, 390, 450]),
    coffeesADay: dice.oneOf([0.15, 0.4, 0.7]),
  }).live()
}

class Life {
  readonly #dice: Dice
  readonly #habits: Habits
  readonly #events: Event[] = []

  constructor(dice: Dice, habits: Habits) {
    this.#dice = dice
    this.#habits = habits
  }

  live(): Event[] {
    const { start, months } = this.#habits
    let first = start
    for (let month = 0; month < months; month++) {
      const last = lastDayOf(first.slice(0, 7))
      this.#monthly(first)
      for (let day = first; day <= last; day = addDays(day, 1)) this.#daily(day)
      first = addDays(last, 1)
    }
    return this.#events
  }

  /** Events on a fixed day: the same amounts every month. */
  #monthly(first: CalendarDate): void {
    const { tongue } = this.#habits
    this.#spend(first, 'transfer', tongue.landlord, 98_000)
    this.#add({
      day: first,
      way: 'transfer',
      payee: this.#ownPurpose(),
      amount: 20_000,
      from: 'giro',
      to: 'second',
    })
    for (const [index, payee] of tongue.subscriptions.entries())
      this.#spend(addDays(first, 3 + 6 * index), 'debit', payee, 999 + 500 * index)
    for (const [index, payee] of tongue.employers.entries())
      this.#add({
        day: addDays(first, 24 + 3 * index),
        way: 'transfer',
        payee,
        amount: 184_250 + 40_000 * index,
        to: 'giro',
      })
  }

  #daily(day: CalendarDate): void {
    this.#coffeeAndBread(day)
    this.#weekly(day)
    for (let outing = 0; outing < this.#habits.outings; outing++) this.#shopping(day)
    this.#friends(day)
    this.#ownMoney(day)
  }

  /** The same few prices, day after day, at places with the same prices. */
  #coffeeAndBread(day: CalendarDate): void {
    const { tongue, coffee, coffeePrice, coffeesADay } = this.#habits
    const chance = isWorkday(day) ? coffeesADay : coffeesADay / 3
    for (let cup = 0; cup < 2; cup++)
      if (this.#dice.happens(cup === 0 ? chance : chance / 6)) this.#spend(day, 'card', coffee, coffeePrice)
    if (this.#dice.happens(0.15))
      this.#spend(day, 'card', this.#dice.oneOf(tongue.bakeries), this.#dice.oneOf([240, 320, 450, 610]))
    if (this.#dice.happens(0.15)) this.#spend(day, 'card', tongue.buses, this.#dice.oneOf([320, 320, 640]))
    if (this.#dice.happens(0.12)) this.#spend(day, 'cash', coffee, coffeePrice)
  }

  /** Equal debits on the same weekday, of which one in thirty bounces and is tried again. */
  #weekly(day: CalendarDate): void {
    const { tongue } = this.#habits
    for (const [index, payee] of tongue.debits.entries()) {
      if (weekdayOf(day) !== 2 + index) continue
      const amount = 1_250 + 2_750 * index
      this.#spend(day, 'debit', payee, amount)
      if (!this.#dice.happens(1 / 30)) continue
      this.#add({ day: addDays(day, 2), way: 'debit', payee, amount, to: 'giro' })
      this.#spend(addDays(day, 5), 'debit', payee, amount)
    }
  }

  #shopping(day: CalendarDate): void {
    const { tongue } = this.#habits
    if (this.#dice.happens(0.45))
      this.#spend(day, 'card', this.#dice.oneOf(tongue.shops), this.#dice.from(350, 9_500))
    if (this.#dice.happens(0.3))
      this.#spend(day, 'card', this.#dice.oneOf(tongue.through), this.#dice.from(350, 9_500))
    if (this.#dice.happens(0.15)) this.#eatOut(day)
    if (!this.#dice.happens(0.13)) return
    const payee = this.#dice.oneOf(tongue.online)
    const bought = this.#spend(
      day,
      'card',
      payee,
      100 * this.#dice.from(9, 120) + this.#dice.oneOf([0, 90, 95, 99]),
    )
    if (!this.#dice.happens(0.3)) return
    const to = this.#dice.happens(0.8) ? bought.from : 'second'
    this.#add({ day: addDays(day, this.#dice.from(2, 18)), way: 'debit', payee, amount: bought.amount, to })
  }

  #eatOut(day: CalendarDate): void {
    const amount = 50 * this.#dice.from(22, 140)
    const tip = this.#dice.happens(0.25) ? Math.max(50, Math.round(amount / 1000) * 100) : 0
    this.#spend(day, 'card', this.#dice.oneOf(this.#habits.tongue.restaurants), amount, tip)
  }

  /** Round sums from and to others, and what a friend pays back: exactly the same amount, on the other account. */
  #friends(day: CalendarDate): void {
    const { tongue } = this.#habits
    const friend = () => ({
      booked: this.#dice.oneOf(tongue.friends),
      typed: [this.#dice.oneOf(tongue.friends), ''],
    })
    if (this.#dice.happens(0.05))
      this.#spend(day, 'transfer', friend(), this.#dice.oneOf([1_000, 2_000, 5_000, 10_000]))
    if (this.#dice.happens(0.05))
      this.#add({
        day,
        way: 'transfer',
        payee: friend(),
        amount: this.#dice.oneOf([1_000, 2_000, 5_000]),
        to: this.#bank(),
      })
    if (!this.#dice.happens(0.02)) return
    const amount = 50 * this.#dice.from(20, 120)
    this.#spend(day, 'card', this.#dice.oneOf(tongue.restaurants), amount)
    this.#add({
      day: addDays(day, this.#dice.from(0, 6)),
      way: 'transfer',
      payee: friend(),
      amount,
      to: 'second',
    })
  }

  /** Between the two banks, now and then through a service that keeps a fee; and to cash. */
  #ownMoney(day: CalendarDate): void {
    const { tongue } = this.#habits
    if (this.#dice.happens(0.06)) {
      const [from, to] = this.#dice.oneOf([
        ['giro', 'second'],
        ['giro', 'second'],
        ['second', 'giro'],
      ] as const)
      const amount = this.#dice.oneOf([
        2_000,
        5_000,
        10_000,
        10_000,
        15_000,
        20_000,
        50_000,
        100 * this.#dice.from(11, 900),
      ])
      const fee = this.#dice.happens(0.1) ? this.#dice.oneOf([50, 99, 150]) : 0
      this.#add({ day, way: 'transfer', payee: this.#ownPurpose(), amount, from, to, fee })
    }
    if (this.#dice.happens(0.05))
      this.#add({
        day,
        way: 'machine',
        payee: tongue.cashMachine,
        amount: this.#dice.oneOf([5_000, 5_000, 10_000]),
        from: 'giro',
        to: 'cash',
      })
  }

  #ownPurpose(): Payee {
    const { holders, purposes } = this.#habits.tongue
    const purpose = this.#dice.oneOf(purposes)
    return { booked: `${this.#dice.oneOf(holders)} ${purpose}`.trim(), typed: [purpose, ''] }
  }

  #bank(): Place {
    return this.#dice.oneOf(['giro', 'second'])
  }

  #spend(day: CalendarDate, way: Way, payee: Payee, amount: number, tip = 0): Event {
    const usual = way === 'card' ? this.#habits.cardFrom : 'giro'
    const card = this.#dice.happens(0.9) ? usual : this.#bank()
    return this.#add({
      day,
      way,
      payee,
      amount,
      tip,
      from: way === 'cash' ? 'cash' : way === 'card' ? card : 'giro',
    })
  }

  #add(event: Pick<Event, 'day' | 'way' | 'payee' | 'amount'> & Partial<Event>): Event {
    const whole = { from: null, to: null, fee: 0, tip: 0, ...event, id: this.#events.length + 1 }
    this.#events.push(whole)
    return whole
  }
}
