import * as fc from 'fast-check'
import type { Kind } from './ledger-model.ts'

/** A row, chosen when the step is lived from those that are there then; now and then one of the other user. */
export type Draw = { nth: number; isForeign: boolean }

export type DrawnItem = {
  type: Kind
  account: Draw
  to: Draw | null
  category: Draw | null
  amount: number
  transaction_date: string
  reference: string | null
  client_id: string | null
  force: boolean
  /** A row of which this one is to be a repetition, where there is one. */
  repeats: Draw | null
}

type DrawnPatch = {
  type?: Kind | undefined
  account?: Draw | undefined
  to?: Draw | null | undefined
  category?: Draw | null | undefined
  amount?: number | undefined
  transaction_date?: string | undefined
  reference?: string | null | undefined
}

/** One step of a history of two users. */
export type Step =
  | { do: 'nothing' }
  | { do: 'openAccount'; who: 0 | 1; cents: number }
  | { do: 'changeAccount'; who: 0 | 1; account: Draw; cents: number }
  | { do: 'closeAccount'; who: 0 | 1; account: Draw }
  | { do: 'addCategory'; who: 0 | 1; type: 'income' | 'expense' }
  | { do: 'dropCategory'; who: 0 | 1; category: Draw }
  | { do: 'create'; who: 0 | 1; item: DrawnItem }
  | { do: 'change'; who: 0 | 1; row: Draw; patch: DrawnPatch }
  | { do: 'remove'; who: 0 | 1; row: Draw }
  | { do: 'sync'; who: 0 | 1; items: DrawnItem[] }
  | { do: 'deliver'; isTwice: boolean }
  | { do: 'together'; steps: Step[] }

const who = fc.constantFrom<0 | 1>(0, 1)
const seldom = (oneIn: number) => fc.noBias(fc.nat(oneIn - 1)).map((n) => n === oneIn - 1)
/** Without bias: fast-check would draw the first and the last far more often, and as both ends of a transfer. */
const drawUpTo = (nth: number): fc.Arbitrary<Draw> =>
  fc.noBias(fc.record({ nth: fc.nat(nth), isForeign: seldom(40) }))
const draw = drawUpTo(59)
/** Few categories of the many, so that totals gather. */
const categoryDraw = drawUpTo(3)
const cents = fc.oneof(fc.constantFrom(0, -1, 10, 20), fc.integer({ min: -1_000_000, max: 1_000_000 }))
const kind = fc.constantFrom<Kind>('expense', 'income', 'transfer')
/** Few amounts and days that come often, so that rows repeat each other. */
const amount = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(10, 20) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 9_999_999 }) },
)
const day = fc.constantFrom('2025-12-31', '2026-01-01', '2026-01-31', '2026-01-31', '2026-02-01')
const reference = fc.constantFrom(null, null, 'r1', 'r2')
const clientId = fc.noBias(fc.nat(99)).map((n) => (n < 25 ? `c${n}` : null))

const item: fc.Arbitrary<DrawnItem> = fc
  .record({
    type: kind,
    account: draw,
    to: draw,
    category: fc.option(categoryDraw, { freq: 15 }),
    amount,
    transaction_date: day,
    reference,
    client_id: clientId,
    force: seldom(3),
    repeats: fc.option(drawUpTo(9), { freq: 1 }),
    // A destination of what is no transfer, or none of what is.
    isMixedUp: seldom(20),
  })
  .map(({ to, isMixedUp, ...rest }) => ({
    ...rest,
    to: (rest.type === 'transfer') !== isMixedUp ? to : null,
  }))

const patch: fc.Arbitrary<DrawnPatch> = fc
  .record(
    {
      type: kind,
      account: draw,
      to: fc.option(draw, { freq: 6 }),
      category: fc.option(categoryDraw, { freq: 3 }),
      amount,
      transaction_date: day,
      reference,
      isWhole: seldom(2),
    },
    { requiredKeys: [] },
  )
  // Half of the patches that flip the type bring the destination that fits, as a form does.
  .map(({ isWhole, to, ...rest }) => {
    if (!isWhole || rest.type === undefined) return { ...rest, ...(to !== undefined && { to }) }
    return rest.type === 'transfer' ? { ...rest, to: to ?? { nth: 1, isForeign: false } } : rest
  })

const openAccount = fc.record({ do: fc.constant('openAccount' as const), who, cents })
const closeAccount = fc.record({ do: fc.constant('closeAccount' as const), who, account: draw })
const dropCategory = fc.record({ do: fc.constant('dropCategory' as const), who, category: categoryDraw })
const create = fc.record({ do: fc.constant('create' as const), who, item })
const change = fc.record({ do: fc.constant('change' as const), who, row: draw, patch })
const remove = fc.record({ do: fc.constant('remove' as const), who, row: draw })
const changeAccount = fc.record({ do: fc.constant('changeAccount' as const), who, account: draw, cents })
/** Sent with others at once, a create that might be a duplicate would not tell of what. */
const plainCreate = create.map((step) => ({
  ...step,
  item: { ...step.item, force: true, client_id: null, repeats: null },
}))

const step: fc.Arbitrary<Step> = fc.oneof(
  // Comes first since failing histories are shrunk towards it.
  { withCrossShrink: true },
  { weight: 1, arbitrary: fc.constant({ do: 'nothing' as const }) },
  { weight: 7, arbitrary: openAccount },
  { weight: 3, arbitrary: changeAccount },
  { weight: 3, arbitrary: closeAccount },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('addCategory' as const),
      who,
      type: fc.constantFrom('income' as const, 'expense' as const),
    }),
  },
  { weight: 2, arbitrary: dropCategory },
  { weight: 34, arbitrary: create },
  { weight: 24, arbitrary: change },
  { weight: 5, arbitrary: remove },
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constant('sync' as const),
      who,
      items: fc.array(item, { minLength: 1, maxLength: 5 }),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('deliver' as const), isTwice: fc.boolean() }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('together' as const),
      steps: fc.array(
        fc.oneof(
          { weight: 4, arbitrary: plainCreate },
          { weight: 4, arbitrary: change },
          { weight: 1, arbitrary: changeAccount },
          { weight: 1, arbitrary: remove },
          { weight: 1, arbitrary: dropCategory },
          { weight: 1, arbitrary: closeAccount },
        ),
        { minLength: 2, maxLength: 6 },
      ),
    }),
  },
)

/** A history: accounts for both at first, then anything. */
export function history(steps: number): fc.Arbitrary<Step[]> {
  const opening: Step[] = [0, 1, 0, 1, 0, 1].map((who) => ({
    do: 'openAccount',
    who: who as 0 | 1,
    cents: 10_000,
  }))
  return fc
    .array(step, { minLength: steps - opening.length, maxLength: steps - opening.length })
    .map((rest) => [...opening, ...rest])
}
