import { addDays, type CalendarDate } from '../../src/domain/dates.ts'
import type { Dice } from '../dice.ts'
import type { Event, Place } from './life.ts'
import type { Tongue } from './tongues.ts'

/** What a bank booked, as its files show it. */
export type Booking = {
  event: number
  account: Bank
  date: CalendarDate
  /** Minor units, negative for a debit. */
  amount: number
  description: string
  reference: string
}
export type Bank = Exclude<Place, 'cash'>

/** The weights of booking a card payment after none to five days. */
const cardDelays = { giro: [8, 24, 30, 20, 12, 6], second: [55, 30, 10, 3, 1, 1] }
/** The weights of none to four days between the outflow of a transfer and its inflow. */
const transferDelays = [45, 35, 12, 4, 4]

/** Everything that the two banks book of a household's life. The first books on workdays only, the second on any day. */
export function bookingsOf(
  dice: Dice,
  events: Event[],
  tongue: Tongue,
  names: Record<Place, string>,
): Booking[] {
  return events.flatMap((event) => {
    const { from, to, amount, tip, fee } = event
    const outflow = bookable(dice, event, from)
    const inflow = outflow ? addDays(event.day, dice.indexOf(transferDelays)) : bookable(dice, event, to)
    const texts = textsOf(dice, event, tongue, names)
    const book = (account: Place | null, date: CalendarDate | null, cents: number, description: string) => {
      if (account === null || account === 'cash' || date === null) return []
      const reference = `${account === 'giro' ? 'G' : 'S'}${date.replaceAll('-', '')}${String(dice.from(0, 9_999_999)).padStart(7, '0')}`
      return [
        { event: event.id, account, date: onWorkday(account, date), amount: cents, description, reference },
      ]
    }
    return [...book(from, outflow, -(amount + tip), texts.out), ...book(to, inflow, amount - fee, texts.in)]
  })
}

/** The day on which a bank would book an event; null if no bank is involved. */
function bookable(dice: Dice, { way, day }: Event, place: Place | null): CalendarDate | null {
  if (place === null || place === 'cash') return null
  if (way === 'card') {
    // A bank that books at once goes by its own clock: late in the evening, that may be a day ahead or a day behind.
    if (place === 'second' && dice.happens(0.02)) return addDays(day, -1)
    return addDays(day, dice.indexOf(cardDelays[place]))
  }
  return way === 'transfer' ? addDays(day, dice.indexOf([80, 20])) : day
}

function onWorkday(bank: Bank, date: CalendarDate): CalendarDate {
  const weekday = new Date(`${date}T00:00:00Z`).getUTCDay()
  if (bank === 'second' || weekday % 6 !== 0) return date
  return addDays(date, weekday === 6 ? 2 : 1)
}

/** What the bank of the outflow and that of the inflow write. */
function textsOf(dice: Dice, { way, payee, from, to }: Event, tongue: Tongue, names: Record<Place, string>) {
  const { booked } = payee
  if (way === 'machine' || way === 'cash') return { out: booked, in: booked }
  if (way !== 'transfer' || from === null || to === null) {
    const pattern = tongue[way]
    const text = dice.happens(0.6) ? pattern.replace('*', booked) : booked
    const numbered = dice.happens(0.4) ? `${text} ${dice.from(1_000, 9_999)}` : text
    return { out: numbered, in: numbered }
  }
  // Some banks name the other account, some its holder and the purpose, and some nothing at all.
  const write = (other: Place) => {
    const texts = [booked, booked, `${booked} ${names[other]}`, names[other], '']
    return tongue.transfer.replace('*', dice.oneOf(texts)).trim()
  }
  return { out: write(to), in: write(from) }
}
