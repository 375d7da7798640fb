import type { CalendarDate } from '../../src/domain/dates.ts'
import { Dice } from '../dice.ts'
import { type Booking, bookingsOf } from './banks.ts'
import { type BankFile, filesOf } from './files.ts'
import { type Event, lifeOf, type Place } from './life.ts'
import { type Typed, typedOf } from './phone.ts'
import { tongues } from './tongues.ts'

/** A household: what happened, what its people typed, and what its two banks wrote days later. */
export type Household = {
  names: Record<Place, string>
  events: Event[]
  typed: Typed[]
  bookings: Booking[]
  files: BankFile[]
}

const start: CalendarDate = '2025-07-01'

/** The household with a number: always the same for the same number. One that goes out five times a day has ten rows a day. */
export function householdOf(seed: number, months: number, outings = 1): Household {
  const dice = new Dice(seed * 7_919)
  const tongue = dice.oneOf(tongues)
  const { giro, second, cash } = tongue.accounts
  const names = { giro: dice.oneOf(giro), second: dice.oneOf(second), cash }
  const events = lifeOf(dice, { tongue, start, months, outings })
  const bookings = bookingsOf(dice, events, tongue, names)
  const typed = typedOf(dice, events, dice.oneOf([0.35, 0.6, 0.8, 0.95]))
  return { names, events, typed, bookings, files: filesOf(dice, bookings, start, months) }
}
