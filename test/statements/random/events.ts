import type { Dice } from '../../dice.ts'
import type { Language } from './languages.ts'

export const products = ['current', 'card', 'loan', 'savings', 'wallet'] as const
export type Product = (typeof products)[number]

/** What happened in an account, as its holder sees it. */
export type Event = {
  /** ISO 8601. */
  date: string
  /** Minor units, negative for what was spent, without the fee. */
  amount: number
  text: string
  state: 'booked' | 'pending' | 'declined'
  /** Minor units that were charged besides the amount. */
  fee: number
  /** Minor units of another currency that the amount was converted from. */
  foreign: number | null
  account: number
}

/** The days of two months in their order, so that some day is above 12. */
function daysOf(dice: Dice, many: number): string[] {
  const days = Array.from({ length: many }, () => dice.from(0, 45))
  days.sort((a, b) => a - b)
  return days.map((day) => new Date(Date.UTC(2026, 8, 8 + day)).toISOString().slice(0, 10))
}

/** What happens in a product: a share of all rows, how much, and its texts. */
type Kind = { share: number; least: number; most: number; texts: string[] }

function kindsOf(product: Product, words: Language): Kind[] {
  const spent = (share: number, least: number, most: number, texts: string[]) => ({
    ...{ share, least: -most, most: -least, texts },
  })
  const came = (share: number, least: number, most: number, texts: string[]) => ({
    share,
    least,
    most,
    texts,
  })
  const purchases = spent(60, 150, 15_000, words.purchases)
  const refunds = came(6, 500, 6_000, [words.refund])
  return {
    current: [
      purchases,
      refunds,
      spent(25, 4_000, 90_000, words.bills),
      came(12, 90_000, 400_000, words.salary),
    ],
    wallet: [purchases, refunds, came(25, 2_000, 30_000, words.deposit)],
    card: [purchases, refunds, came(14, 10_000, 60_000, words.cardPayment)],
    loan: [came(55, 30_000, 60_000, words.loanPayment), spent(45, 2_000, 9_000, words.loanInterest)],
    savings: [
      came(60, 5_000, 60_000, words.deposit),
      came(15, 20, 900, [words.interest]),
      spent(25, 5_000, 80_000, words.withdrawal),
    ],
  }[product]
}

/** The events of an account in the order of their days. */
export function eventsOf(dice: Dice, product: Product, words: Language): Event[] {
  const kinds = kindsOf(product, words)
  const drawn = kinds.flatMap((kind) => Array.from({ length: kind.share }, () => kind))
  return daysOf(dice, dice.from(3, 14)).map((date) => {
    const { least, most, texts } = dice.oneOf(drawn)
    return {
      date,
      amount: dice.from(least, most),
      text: dice.oneOf(texts),
      ...{ state: 'booked', fee: 0, foreign: null, account: 0 },
    }
  })
}
