import { addDays, type CalendarDate } from '../../src/domain/dates.ts'
import type { Dice } from '../dice.ts'
import type { Event, Place } from './life.ts'

/** What a user typed about an event. */
export type Typed = {
  event: number
  account: Place
  /** Only for a transfer that was typed as one. */
  to: Place | null
  type: 'income' | 'expense' | 'transfer'
  /** Minor units, positive. */
  amount: number
  date: CalendarDate
  words: string
}

/** What a household's people type on their phones; `diligence` is the share of it, from 0 to 1. */
export function typedOf(dice: Dice, events: Event[], diligence: number): Typed[] {
  return events.flatMap((event) => {
    // Whoever goes to the trouble of a cash account also notes what is spent from it.
    if (!dice.happens(event.way === 'cash' ? 0.9 : diligence)) return []
    const typed = mistaken(dice, noteOf(dice, event))
    // Two people paid one bill, and both of them wrote it down.
    return dice.happens(0.005)
      ? typed.flatMap((one) => [one, { ...one, words: dice.oneOf(event.payee.typed) }])
      : typed
  })
}

/** One row for money in or out; for money moved between own accounts, one leg, both legs or a whole transfer. */
function noteOf(dice: Dice, { id, day, amount, from, to, payee }: Event): Typed[] {
  const date = addDays(day, dice.indexOf([93, 5, 1, 1]))
  const words = dice.happens(0.15) ? '' : dice.oneOf(payee.typed)
  const note = (type: Typed['type'], account: Place, other: Place | null = null): Typed => ({
    event: id,
    account,
    to: other,
    type,
    amount,
    date,
    words,
  })
  if (from !== null && to !== null)
    return dice.oneOf([
      [note('transfer', from, to)],
      [note('transfer', from, to)],
      [note('expense', from)],
      [note('expense', from), note('income', to)],
    ])
  return from === null ? [note('income', to as Place)] : [note('expense', from)]
}

/** Typing errors: the sum rounded, the wrong card, paid in cash after all, never charged. */
function mistaken(dice: Dice, notes: Typed[]): Typed[] {
  if (dice.happens(0.01))
    return notes.map((note) => ({ ...note, amount: Math.ceil(note.amount / 100) * 100 }))
  if (dice.happens(0.01))
    return notes.map((note) =>
      note.type === 'transfer' ? note : { ...note, account: note.account === 'giro' ? 'second' : 'giro' },
    )
  // A note of something that no bank will ever book belongs to no event.
  return dice.happens(0.005)
    ? [...notes, ...notes.map((note) => ({ ...note, event: -note.event, date: addDays(note.date, 3) }))]
    : notes
}
