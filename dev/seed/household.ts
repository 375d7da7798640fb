import { addDays, type CalendarDate } from '../../src/domain/dates.ts'
import { type Amount, type Habit, monthly, weekly, yearly } from './habits.ts'

/** One transaction of the household, with names where the API wants ids. */
export type Row = {
  client_id: string
  account: string
  to_account: string | undefined
  category: string | undefined
  type: Habit['type']
  amount: string
  description: string
  transaction_date: CalendarDate
}

type Random = () => number

const daysOfYear = 365

/**
 * The household's year that ends on a date, oldest first. A day's rows depend on its date alone, so the year that ends
 * tomorrow shares 364 days with today's.
 */
export function yearUntil(today: CalendarDate): Row[] {
  const days = Array.from({ length: daysOfYear }, (_, i) => addDays(today, i + 1 - daysOfYear))
  return days.flatMap(rowsOf)
}

function rowsOf(date: CalendarDate): Row[] {
  const random = randomOf(date)
  return habitsOf(date, random).map((habit, index) => ({
    client_id: `seed-${date}-${index + 1}`,
    account: habit.account,
    to_account: habit.to,
    category: habit.category,
    type: habit.type,
    amount: amountOf(habit.amount, random),
    description: habit.texts[Math.floor(random() * habit.texts.length)] ?? '',
    transaction_date: date,
  }))
}

function habitsOf(date: CalendarDate, random: Random): Habit[] {
  const weekday = new Date(date).getUTCDay()
  return [
    ...monthly.filter(({ day }) => day === Number(date.slice(8))),
    ...yearly.filter(({ days }) => days.includes(date.slice(5))),
    ...weekly.filter(({ weekdays, chance }) => weekdays.includes(weekday) && random() < chance),
  ]
}

function amountOf(amount: Amount, random: Random): string {
  if (typeof amount === 'number') return amount.toFixed(2)
  const [from, to] = amount
  return (from + random() * (to - from)).toFixed(2)
}

/** Numbers from 0 to 1 that look random and are the same for the same date (mulberry32). */
function randomOf(date: CalendarDate): Random {
  let state = Number(date.replaceAll('-', ''))
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
