import * as fc from 'fast-check'
import type { JsonSchema } from '../../../src/openapi/document-types.ts'
import { anyOf, hostileKeys, hostileValue } from './hostile.ts'
import { entriesOf, Fields, Known, Raw } from './written.ts'

type Components = Record<string, JsonSchema>

const dayUpTo = (last: string) =>
  fc
    .date({ min: new Date('2025-01-01'), max: new Date(last), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10))
const day = dayUpTo('2026-12-31')
const amount = fc
  .integer({ min: 1, max: 9_999_999 })
  .chain((cents) => fc.constantFrom<unknown>(cents / 100, (cents / 100).toFixed(2)))

/** The user's own accounts or categories, by id: the document says integers, and numeric strings are accepted as well. */
const idOf = (what: string) =>
  fc.tuple(anyOf(what), fc.boolean()).map(([{ nth }, asText]) => new Known(what, nth, asText))

/** Valid values, by field name, for fields whose type says too little. */
const meanings: Record<string, fc.Arbitrary<unknown>> = {
  account_id: idOf('account'),
  to_account_id: idOf('account'),
  category_id: idOf('category'),
  email: fc.constant(new Known('email', 0)),
  password: fc.constant(new Known('password', 0)),
  password_confirmation: fc.constant(new Known('password', 0)),
  current_password: fc.constant(new Known('password', 0)),
  token: fc.constant(new Known('reset token', 0)),
  amount,
  starting_balance: amount,
  transaction_date: day,
  starts_on: fc.constant('2026-11-01'),
  // A day needs a balance check that is ok.
  reconciled_through: fc.constant(null),
  rrule: fc.constantFrom('FREQ=MONTHLY', 'FREQ=MONTHLY;BYMONTHDAY=1', 'FREQ=DAILY'),
  amount_tolerance: fc.constant(0),
  weekend: fc.constantFrom('keep', 'before', 'after'),
  remind_days: fc.integer({ min: 0, max: 14 }),
  // A balance check is of a day that has been.
  date: dayUpTo('2026-06-30'),
  balance: amount,
  from: day,
  to: day,
  month: day.map((text) => text.slice(0, 7)),
  timezone: fc.constantFrom('UTC', 'Europe/London', 'Asia/Tokyo', 'America/St_Johns'),
  id: fc.constant(new Known('joined', 0)),
  ids: fc.constant([new Known('pair', 0), new Known('pair', 1)]),
  client_id: fc.uuid(),
  'If-Match': fc.constantFrom('*', '"1"', 'another'),
  delimiter: fc.constantFrom(',', ';'),
  date_format: fc.constant('YYYY-MM-DD'),
  mapping: fc.constant({}),
  signs: fc.constant('as_written'),
  statement_account: fc.constant('1'),
  file: fc
    .tuple(day, amount, fc.constantFrom(',', ';'))
    .map(([date, value, mark]) =>
      [`date,amount,description`, `${date},${value},Shop`].join('\n').replaceAll(',', mark),
    ),
}

/**
 * Values that a schema allows, or that the service takes for such. Where the name of a field says what it means, they
 * are those of `meanings`.
 */
export function fromSchema(schema: JsonSchema, components: Components, name = ''): fc.Arbitrary<unknown> {
  const meaning = meanings[name]
  if (meaning) return meaning
  const make = (one: unknown, itsName = name) => fromSchema(one as JsonSchema, components, itsName)
  const { $ref, anyOf: choices, const: constant, enum: words, type } = schema
  if (typeof $ref === 'string') return make(components[$ref.split('/').at(-1) ?? ''] ?? {})
  if (Array.isArray(choices)) return fc.oneof(...choices.map((choice) => make(choice)))
  if (constant !== undefined) return fc.constant(constant)
  if (Array.isArray(words)) return fc.constantFrom(...words)
  if (Array.isArray(type)) return fc.oneof(...type.map((one) => make({ ...schema, type: one })))
  switch (type) {
    case 'object':
      return objectOf(schema, make).map(coherent)
    case 'array': {
      const { items, minItems = 0 } = schema as { items: JsonSchema; minItems?: number }
      return fc.array(make(items), { minLength: minItems, maxLength: minItems + 3 })
    }
    case 'string': {
      const {
        minLength = 1,
        maxLength = 30,
        pattern,
      } = schema as Record<'minLength' | 'maxLength', number> & {
        pattern?: string
      }
      if (pattern) return fc.stringMatching(new RegExp(pattern))
      return fc
        .string({ unit: 'grapheme-ascii', minLength, maxLength: Math.min(maxLength, minLength + 30) })
        .map((text) => text.trim().padEnd(minLength, 'x'))
    }
    case 'integer':
    case 'number':
      return fc.integer({ min: 1, max: 1_000 })
    case 'boolean':
      return fc.constantFrom<unknown>(true, false, 1, 0, '1', '0')
    case 'null':
      return fc.constantFrom(null, '')
    default:
      return fc.constant(null)
  }
}

function objectOf(schema: JsonSchema, make: (schema: unknown, name: string) => fc.Arbitrary<unknown>) {
  const { properties = {}, required = [] } = schema as { properties?: Components; required?: string[] }
  const values = Object.entries(properties).map(([name, property]) => [name, make(property, name)] as const)
  return fc.record(Object.fromEntries(values), { requiredKeys: required, noNullPrototype: true })
}

/**
 * What a schema cannot say: of transactions, transfers alone have a destination, and it is another account; an occurrence is
 * moved by at most 62 days, and linked to a transaction without other changes.
 */
function coherent(fields: Record<string, unknown>): Record<string, unknown> {
  if ('skip' in fields) {
    const { transaction_id: _, transaction_date: __, ...rest } = fields
    return rest
  }
  if (!('amount' in fields && 'type' in fields)) return fields
  const { to_account_id: _, ...rest } = fields
  if (fields.type !== 'transfer') return { ...rest, category_id: new Known('category', 0) }
  return { ...rest, account_id: new Known('account', 0), to_account_id: new Known('account', 1) }
}

type Change = { at: number; as: 'value' | 'remove' | 'wrap' | 'twice' | 'add'; value: unknown; key: string }

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(1_000),
  as: fc.constantFrom('value', 'value', 'value', 'remove', 'wrap', 'twice', 'add'),
  value: hostileValue,
  key: fc.constantFrom(...hostileKeys),
})

/** Good values with one to three changes: something wrong, missing, wrapped, twice, or that does not belong there. */
export function nearly(good: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc
    .tuple(good, fc.array(change, { minLength: 1, maxLength: 3 }))
    .map(([value, changes]) => changes.reduce(changed, value))
}

/** Returns the tree with one place changed. */
function changed(tree: unknown, { at, as, value, key }: Change): unknown {
  const entries =
    entriesOf(tree) ??
    (Array.isArray(tree) ? tree.map((item, i) => [String(i), item] as [string, unknown]) : undefined)
  if (!entries) return as === 'wrap' ? [tree] : value
  if (as === 'add' || entries.length === 0) return new Fields([...entries, [key, value]])
  const index = at % entries.length
  const [name, current] = entries[index] as [string, unknown]
  const isBranch =
    typeof current === 'object' && current !== null && !(current instanceof Known || current instanceof Raw)
  const deeper = isBranch && at % 3 > 0
  const replaced: [string, unknown][] = deeper
    ? [[name, changed(current, { at: Math.floor(at / 3), as, value, key })]]
    : {
        value: [[name, value] as [string, unknown]],
        remove: [],
        wrap: [[name, [current]] as [string, unknown]],
        twice: [[name, current] as [string, unknown], [name, value] as [string, unknown]],
      }[as]
  const next = entries.toSpliced(index, 1, ...replaced)
  return Array.isArray(tree) ? next.map(([, item]) => item) : new Fields(next)
}
