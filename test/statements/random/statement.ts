import { Dice } from '../../dice.ts'
import type { Case, ExpectedRow } from '../judge/cases.ts'
import { type Event, eventsOf, type Product, products } from './events.ts'
import { type Language, languages } from './languages.ts'
import { type Writing, writingOf } from './writing.ts'

/** How a file shows which way money went; `behind` writes the mark beside the amount. */
const moneyLayouts = ['signed', 'signed', 'signed', 'sides', 'sides', 'marked', 'behind', 'unsigned'] as const
type MoneyLayout = (typeof moneyLayouts)[number]

/** What is drawn of a file before its rows are written. */
type Plan = {
  dice: Dice
  words: Language
  writing: Writing
  product: Product
  layout: MoneyLayout
  /** Whether amounts are written as a debt sees them: what was spent is positive. */
  isInverted: boolean
  balance: 'none' | 'own' | 'owed'
  isNewestFirst: boolean
  saysWhat: 'title' | 'balance header' | 'nothing'
  marks: Language['marks'][0]
  hasStates: boolean
  fees: 'none' | 'extra' | 'included'
  hasForeign: boolean
  accounts: number
}

/** One record of the file: of an event, or of something else, with the reason why it is left out. */
type Line = { text: string; event?: Event; balance?: number; leftOut?: string }

/** A file with a known truth, the same for the same seed. */
export function randomCase(seed: number): Case {
  const dice = new Dice(seed)
  // The first draws of neighbouring seeds are alike.
  for (let i = 0; i < 5; i += 1) dice.roll()
  const words = dice.oneOf(languages)
  const product = dice.oneOf(products)
  const drawn = eventsOf(dice, product, words)
  const plan = planOf(dice, words, product, drawn)
  const events = withDetails(plan, drawn)
  const lines = linesOf(plan, events)
  return caseOf(seed, plan, lines)
}

function planOf(dice: Dice, words: Language, product: Product, events: Event[]): Plan {
  const isDebt = product === 'card' || product === 'loan'
  const drawn = dice.oneOf(moneyLayouts)
  const marks = dice.oneOf(words.marks)
  // Only short marks stand beside amounts.
  const layout = drawn === 'behind' && marks[1].length > 2 ? 'marked' : drawn
  const isInverted = isDebt && layout === 'signed' && dice.happens(0.6)
  // Without signs, something has to show which way money went.
  const hasBalance = layout === 'unsigned' || dice.happens(0.55)
  const isOwed = isDebt && dice.happens(isInverted ? 0.85 : 0.4)
  const balance = hasBalance ? (isOwed ? 'owed' : 'own') : 'none'
  // Which way the oldest amount without a sign went, no balance shows.
  const shown = layout === 'unsigned' ? events.slice(1) : events
  const spent = shown.filter(({ amount }) => amount < 0).length
  const isPlain = product === 'card' && spent * 2 > shown.length && dice.happens(0.5)
  const where = balance === 'owed' && dice.happens(0.3) ? 'balance header' : 'title'
  return {
    ...{ dice, words, writing: writingOf(dice, words), product, layout, isInverted, balance },
    isNewestFirst: dice.happens(0.5),
    saysWhat: isDebt && !isPlain ? where : 'nothing',
    marks,
    // What shows that a plain card is one are its booked rows.
    hasStates: dice.happens(0.12) && !isPlain,
    fees: layout === 'signed' && !isDebt && dice.happens(0.1) ? dice.oneOf(['extra', 'included']) : 'none',
    hasForeign: !isDebt && dice.happens(0.08),
    accounts: dice.happens(0.08) && layout !== 'unsigned' && !isPlain ? 2 : 1,
  }
}

function withDetails({ dice, hasStates, fees, hasForeign, accounts }: Plan, events: Event[]): Event[] {
  return events.map((event, i) => ({
    ...event,
    state: hasStates && dice.happens(0.2) ? dice.oneOf(['pending', 'declined']) : 'booked',
    fee: fees !== 'none' && event.amount < 0 && dice.happens(0.4) ? dice.from(10, 300) : 0,
    foreign: hasForeign && event.amount < 0 && dice.happens(0.4) ? Math.round(event.amount * 1.3) : null,
    // Both accounts have a row.
    account: accounts === 2 && (i === 1 || (i > 1 && dice.happens(0.4))) ? 1 : 0,
  }))
}

/** What an event changes in its account. */
const movedBy = ({ fees }: Plan, { state, amount, fee }: Event) =>
  state === 'booked' ? amount - (fees === 'extra' ? fee : 0) : 0

type Column = { header: string; cell: (event: Event, balance: number) => string }

function linesOf(plan: Plan, events: Event[]): Line[] {
  const { dice, writing, isNewestFirst } = plan
  const columns = columnsOf(plan)
  const write = (cells: string[]) => writing.cells(cells)
  const balances = openingsOf(plan)
  const openings = [...balances]
  const rows = events.map((event): Line => {
    balances[event.account] = (balances[event.account] ?? 0) + movedBy(plan, event)
    const balance = balances[event.account] ?? 0
    const cells = columns.map(({ cell }) => cell(event, balance))
    return { text: write(cells), event, balance, ...(event.state !== 'booked' && { leftOut: event.state }) }
  })
  if (isNewestFirst) rows.reverse()
  const header = { text: write(columns.map(({ header }) => header)) }
  const around = balanceLines(plan, columns, openings, balances, events)
  const pending = pendingLines(plan, columns)
  const footer = footerLines(plan, columns, events)
  const title = titleOf(plan).map((text): Line => ({ text, leftOut: 'before_header' }))
  const [opening, closing] = around
  const [above, below] = isNewestFirst ? [closing, opening] : [opening, closing]
  const body = [...pending, ...(above ? [above] : []), ...rows, ...(below ? [below] : [])]
  const isPaged = dice.happens(0.03) && rows.length > 5
  if (isPaged) body.splice(pending.length + 3, 0, { ...header, leftOut: 'header_again' })
  return [...title, header, ...body, ...footer]
}

function openingsOf({ dice, product }: Plan): number[] {
  const one = () => {
    if (product === 'card') return -dice.from(20_000, 400_000)
    if (product === 'loan') return -dice.from(1_000_000, 20_000_000)
    return dice.from(product === 'savings' ? 100_000 : 30_000, 900_000)
  }
  return [one(), one()]
}

/** The columns in a random order: most banks begin with the date and end with the balance. */
function columnsOf(plan: Plan): Column[] {
  const { dice, words, writing } = plan
  const date = { header: dice.oneOf(words.date), cell: ({ date }: Event) => writing.date(date) }
  const valued = { header: dice.oneOf(words.valueDate), cell: date.cell }
  const payee = { header: dice.oneOf(words.payee), cell: ({ text }: Event) => text }
  const hasPayee = dice.happens(0.2)
  const reason = ({ date, amount }: Event) => `RF ${date.slice(5, 7)}/${Math.abs(amount)}`
  const text = { header: dice.oneOf(words.text), cell: hasPayee ? reason : payee.cell }
  const money = moneyColumns(plan)
  const others = otherColumns(plan)
  const isTwice = valued.header !== date.header && dice.happens(0.3)
  const columns = [
    date,
    ...(isTwice ? [valued] : []),
    ...(hasPayee ? [payee] : []),
    text,
    ...others,
    ...money,
  ]
  if (dice.happens(0.6)) return columns
  // Debits and credits stay side by side.
  const pieces = dice.shuffled([
    [date],
    ...(isTwice ? [[valued]] : []),
    ...(hasPayee ? [[payee]] : []),
    [text],
    ...others.map((one) => [one]),
    money,
  ])
  return pieces.flat()
}

function moneyColumns(plan: Plan): Column[] {
  const { dice, words, writing, layout, isInverted, balance, saysWhat, marks } = plan
  const { number } = writing
  const header = dice.oneOf(words.amount)
  const size = ({ amount }: Event) => number(Math.abs(amount))
  const [markHeader, spent, came] = marks
  const mark = ({ amount }: Event) => (amount < 0 ? spent : came)
  const side = dice.from(0, words.debit.length - 1)
  const amounts: Record<MoneyLayout, Column[]> = {
    signed: [{ header, cell: ({ amount }) => writing.signed(isInverted ? -amount : amount) }],
    unsigned: [{ header, cell: size }],
    behind: [{ header, cell: (event) => `${size(event)} ${mark(event)}` }],
    marked: [
      { header, cell: size },
      { header: markHeader, cell: mark },
    ],
    sides: [
      { header: words.debit[side] ?? '', cell: (event) => (event.amount < 0 ? size(event) : '') },
      { header: words.credit[side] ?? '', cell: (event) => (event.amount < 0 ? '' : size(event)) },
    ],
  }
  const shown = {
    header: dice.oneOf(saysWhat === 'balance header' ? words.owed : words.balance),
    cell: ({ state }: Event, held: number) =>
      state === 'booked' ? number(balance === 'owed' ? -held : held) : '',
  }
  return [...amounts[layout], ...(balance === 'none' ? [] : [shown])]
}

const categories = ['Groceries', 'Household', 'Leisure', 'Other']

function otherColumns(plan: Plan): Column[] {
  const { dice, words, writing, hasStates, fees, hasForeign, accounts } = plan
  const often = (share: number, column: Column) => (dice.happens(share) ? [column] : [])
  const numbers = ['4021887301', '4021887319']
  const states = { booked: words.booked, pending: words.pending, declined: words.declined }
  const foreign: Column[] = [
    {
      header: dice.oneOf(words.foreign),
      cell: ({ foreign }) => (foreign === null ? '' : writing.number(foreign)),
    },
  ]
  return [
    ...often(0.2, {
      header: dice.oneOf(words.reference),
      cell: ({ date, amount }) => `${date.replaceAll('-', '')}${Math.abs(amount)}`,
    }),
    ...often(0.15, {
      header: dice.oneOf(words.category),
      cell: ({ amount }) => dice.oneOf(amount < 0 ? categories : ['Income', 'Other']),
    }),
    ...often(0.25, { header: dice.oneOf(words.currency), cell: () => words.money.currency }),
    ...often(accounts === 2 ? 1 : 0.12, {
      header: dice.oneOf(words.account),
      cell: ({ account }) => numbers[account] ?? '',
    }),
    ...(hasStates ? [{ header: dice.oneOf(words.state), cell: ({ state }: Event) => states[state] }] : []),
    ...(fees === 'none'
      ? []
      : [
          {
            header: dice.oneOf(words.fee),
            cell: ({ fee }: Event) => (fee === 0 ? '' : writing.number(fee)),
          },
        ]),
    ...(hasForeign ? foreign : []),
  ]
}

function titleOf({ dice, words, product, saysWhat }: Plan): string[] {
  const said = product === 'loan' ? words.loan : words.card
  const names = dice.happens(0.3) ? [dice.oneOf(['My Bank', 'Bank 24', 'Nordbank']), 'Jo Example'] : []
  return [...names, ...(saysWhat === 'title' ? [dice.oneOf(said)] : [])]
}

/** A record with some cells filled. */
function record({ writing }: Plan, columns: Column[], filled: Map<Column | undefined, string>): string {
  return writing.cells(columns.map((column) => filled.get(column) ?? ''))
}

/** The columns of the date, the text and the balance. */
function placesIn({ words }: Plan, columns: Column[]) {
  const named = (names: string[]) => columns.find(({ header }) => names.includes(header))
  return {
    date: named(words.date),
    text: named(words.text),
    balance: named([...words.balance, ...words.owed]),
    amount: named(words.amount) ?? named(words.debit),
  }
}

/** Dated lines of the opening and the closing balance of a file with one account. */
function balanceLines(
  plan: Plan,
  columns: Column[],
  [opening = 0]: number[],
  [closing = 0]: number[],
  events: Event[],
): Line[] {
  const { dice, words, writing, balance, accounts } = plan
  if (balance === 'none' || accounts > 1 || !dice.happens(0.08)) return []
  const places = placesIn(plan, columns)
  const line = (name: string, held: number, date: string) => ({
    text: record(
      plan,
      columns,
      new Map([
        [places.date, writing.date(date)],
        [places.text, name],
        [places.balance, writing.number(balance === 'owed' ? -held : held)],
      ]),
    ),
    leftOut: 'balance',
  })
  const [first, last] = [events[0]?.date ?? '', events.at(-1)?.date ?? '']
  return [line(words.opening, opening, first), line(words.closing, closing, last)]
}

/** Rows at the top that are not booked: without a date, or with a word in its place. */
function pendingLines(plan: Plan, columns: Column[]): Line[] {
  const { dice, words, writing, product, hasStates, accounts } = plan
  if (hasStates || accounts > 1 || product === 'loan' || product === 'savings' || !dice.happens(0.06))
    return []
  const places = placesIn(plan, columns)
  const date = dice.oneOf(['', words.pending])
  const many = dice.from(1, 2)
  return Array.from({ length: many }, () => {
    const cells = new Map([
      [places.date, date],
      [places.text, dice.oneOf(words.purchases)],
      [places.amount, writing.number(plan.layout === 'signed' && !plan.isInverted ? -1250 : 1250)],
    ])
    return { text: record(plan, columns, cells), leftOut: 'pending' }
  })
}

/** A total, and a sentence below. */
function footerLines(plan: Plan, columns: Column[], events: Event[]): Line[] {
  const { dice, words, writing, layout } = plan
  const places = placesIn(plan, columns)
  const moved = events.reduce((sum, event) => sum + movedBy(plan, event), 0)
  const sum = writing.number(plan.isInverted ? -moved : moved)
  const total = record(
    plan,
    columns,
    new Map([
      [places.text, words.total],
      [places.amount, sum],
    ]),
  )
  return [
    ...(layout === 'signed' && dice.happens(0.08) ? [{ text: total, leftOut: 'total' }] : []),
    ...(dice.happens(0.08) ? [{ text: words.footer, leftOut: 'after_rows' }] : []),
  ]
}

function caseOf(seed: number, plan: Plan, lines: Line[]): Case {
  const { words, writing, accounts } = plan
  const booked = lines.filter(({ event }) => event?.state === 'booked')
  const rowsOf = (account: number): ExpectedRow[] =>
    booked.flatMap(({ event }) =>
      event?.account === account
        ? [{ date: event.date, amount: movedBy(plan, event), words: event.text }]
        : [],
    )
  const isOpen = writing.isDateOpen(booked.map(({ event }) => event?.date ?? ''))
  return {
    name: `${seed} ${plan.product} ${plan.layout} ${plan.balance}${plan.isInverted ? ' inverted' : ''} ${words.money.currency}`,
    bytes: writing.bytes(lines.map(({ text }) => text)),
    kind: 'bank',
    told: {},
    answers: {},
    // How accounts are named is up to the reader: the rows of the first one that has any are compared.
    accounts: [{ rows: [rowsOf(0), rowsOf(1)].find((rows) => rows.length > 0) ?? [] }],
    isRefused: false,
    asks: provesDirection(plan, booked) ? [] : null,
    mayAsk: [
      ...(isOpen ? ['date_format'] : []),
      ...(accounts > 1 ? ['statement_account'] : []),
      ...(plan.fees === 'none' ? [] : ['fees']),
      'states.*',
    ],
    says: {},
    leftOut: lines.flatMap(({ leftOut }, i): [number, string][] => (leftOut ? [[i + 1, leftOut]] : [])),
  }
}

/** True if the file proves which way its money went, by the columns or by balances. */
function provesDirection(plan: Plan, booked: Line[]): boolean {
  const moved = booked.flatMap(({ event }) => (event ? [movedBy(plan, event)] : []))
  const isBoth = moved.some((one) => one < 0) && moved.some((one) => one > 0)
  if (plan.layout === 'sides') return true
  if (plan.layout === 'marked' || plan.layout === 'behind') return isBoth
  const isSigned = plan.layout === 'signed'
  if (!isSigned || plan.balance === 'none' || plan.accounts > 1 || moved.length < 3) return false
  // Where no amount has a sign, no balance shows which way the oldest one went.
  if (!moved.some((one) => (plan.isInverted ? one > 0 : one < 0))) return false
  const held = booked.flatMap(({ balance }) => balance || [])
  if (held.filter((one) => one < 0).length * 2 === held.length) return false
  const lowered = moved.filter((one) => one < 0).length
  // A card that is sometimes in credit, or is paid more often than used, may also be one whose debt is positive.
  if (plan.product === 'card' || plan.product === 'loan')
    return (
      plan.balance === 'own' &&
      !plan.isInverted &&
      held.every((one) => one < 0) &&
      lowered * 2 >= moved.length
    )
  const lowering = booked.flatMap(({ event }) => (event && event.amount < 0 ? [event.text] : []))
  const bills = lowering.filter((text) => plan.words.bills.includes(text))
  const areMany = new Set(lowering).size > 1 && bills.length * 2 < lowering.length
  return areMany && lowering.length * 2 >= moved.length
}
