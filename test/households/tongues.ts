import languages from './tongues.json' with { type: 'json' }

/** A payee: the bank's name for it, and the words that people type, if any. */
export type Payee = { booked: string; typed: readonly string[] }

/** How people and banks of one language write. */
export type Tongue = ReturnType<typeof tongueOf>

/** In JSON, a payee is `BANK TEXT: typed, typed`. */
function payee(text: string): Payee {
  const [booked = '', typed = ''] = text.split(':')
  return { booked: booked.trim(), typed: typed.split(',').map((words) => words.trim()) }
}

/**
 * In `through`, the payees share the name of a payment service, a marketplace or an acquirer, a title, an article or a kind
 * of shop. In `card`, `debit` and `transfer`, which a bank puts around the payee, `*` is the payee.
 */
function tongueOf({ cashMachine, buses, landlord, ...texts }: (typeof languages)['english']) {
  const { cafes, bakeries, shops, restaurants, online, through, subscriptions, debits, employers } = texts
  const lists = { cafes, bakeries, shops, restaurants, online, through, subscriptions, debits, employers }
  const payees = Object.fromEntries(Object.entries(lists).map(([name, all]) => [name, all.map(payee)]))
  return {
    ...texts,
    ...(payees as Record<keyof typeof lists, Payee[]>),
    ...{ cashMachine: payee(cashMachine), buses: payee(buses), landlord: payee(landlord) },
  }
}

const { english, german, french, japanese } = languages
export const tongues: readonly Tongue[] = [english, german, french, english, german, japanese].map(tongueOf)
