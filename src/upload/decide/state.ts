import { columnOf } from '../../database/input-columns.ts'
import { categoryNameKey } from '../../domain/category-name-key.ts'
import type { CalendarDate } from '../../domain/dates.ts'
import type { Movement } from '../../domain/movements.ts'
import type { Exceptions } from '../../domain/recurrence/occurrences.ts'
import type { FoundRule } from '../../recurring/chain.ts'
import type { RecurringChanges } from '../../recurring/contract.ts'
import type { Division } from '../../recurring/divide.ts'
import type { Operation } from '../contract.ts'
import type { Found, FoundTransaction } from '../read.ts'
import type { Values } from './conflicts.ts'
import type { Outcome, Ref } from './outcomes.ts'

/** A row to write: an update or a deletion has its id, a creation its client id. */
export type Write = { id?: number; clientId?: string | null; columns: Values }

/** What an update sets of a rule. `#` and a client id may stand for the id of another row. */
export type RuleFields = RecurringChanges

/** A change of a recurring transaction, as it was before. */
export type RuleWrite = { rule: FoundRule; set: RuleFields } & (
  | { kind: 'update'; exceptions: Exceptions }
  | { kind: 'divide'; division: Division }
)

/** A rule that the upload creates, as far as its occurrences depend on it, and the one that it continues. */
export type NewRule = Pick<FoundRule, 'clientId' | 'startsOn' | 'rrule' | 'exceptions'> & {
  id: string
  continues: number | null
}

/** What was read, and what the upload makes of it: a decision sees what those before it have done. */
export type State = {
  found: Found
  isRestore: boolean
  writes: Map<string, Write[]>
  ruleWrites: RuleWrite[]
  /** What client ids in references mean. */
  refs: Map<Operation['noun'], Map<string, Ref>>
  accounts: { id: Ref; notes: string | null; through: CalendarDate | null }[]
  /** Names that updates give up can be taken by creations alone, and so can days of balance checks. */
  categories: { id: Ref; key: string; before?: string }[]
  checks: { id: Ref; account: Ref; date: CalendarDate; balance: bigint; before?: CalendarDate }[]
  movements: Movement<Ref>[]
  rules: FoundRule[]
  newRules: NewRule[]
  /** Transactions by their occurrences. */
  recorded: Map<string, FoundTransaction | string>
}

/** Decides an operation: returns the outcome, and adds to the state what it does. */
export type Decide = (operation: Operation, state: State) => Outcome
export type Decisions = Partial<Record<Operation['kind'], Decide>>

/** The state before the first decision. */
export function stateOf(found: Found, isRestore: boolean): State {
  const { accounts, categories, rules, checks, transactions } = found
  const named = (rows: { all: { id: number; clientId: string | null }[] }) =>
    new Map<string, Ref>(rows.all.flatMap(({ id, clientId }) => (clientId === null ? [] : [[clientId, id]])))
  return {
    found,
    isRestore,
    writes: new Map(),
    ruleWrites: [],
    refs: new Map([
      ['account', named(accounts)],
      ['category', named(categories)],
      ['recurring', named(rules)],
    ]),
    accounts: accounts.all.map(({ id, notes, reconciledThrough: through }) => ({ id, notes, through })),
    categories: categories.all.map(({ id, name, type }) => ({ id, key: nameKey(name, type) })),
    checks: checks.all.map(({ id, accountId: account, date, balance }) => ({
      ...{ id, account, date },
      balance: BigInt(balance),
    })),
    movements: [],
    rules: rules.all,
    newRules: [],
    recorded: new Map(
      transactions.all.map((row) => [occurrenceKey(row.recurringId, row.occurrenceDate), row]),
    ),
  }
}

/** The form in which names of categories are compared. */
export const nameKey = (name: unknown, type: unknown) => `${type} ${categoryNameKey(String(name))}`

export const occurrenceKey = (rule: Ref | null, date: unknown) => `${rule} ${date}`

const references = {
  account_id: 'account',
  to_account_id: 'account',
  category_id: 'category',
  recurring_id: 'recurring',
} as const

/** Values with the ids of the rows that they name: 0 where `#` and a client id name none. */
export function resolved({ refs }: State, values: Values): Values {
  return Object.fromEntries(
    Object.entries(values).map(([field, value]) => {
      const noun = references[field as keyof typeof references]
      return [field, noun && typeof value === 'string' ? (refs.get(noun)?.get(value.slice(1)) ?? 0) : value]
    }),
  )
}

/** What an operation sets, with the ids of the rows that it names. A category that does not exist is none. */
export function settled(state: State, set: Values): Values {
  const values = resolved(state, set)
  const { category_id: category } = values
  return category != null && !exists(state, 'category', category as Ref)
    ? { ...values, category_id: null }
    : values
}

/** True if the row is the user's, or one that the upload creates. */
export function exists({ found }: State, noun: 'account' | 'category', ref: Ref): boolean {
  const rows = noun === 'account' ? found.accounts : found.categories
  return typeof ref === 'string' || rows.byId.has(ref)
}

/** The values of a row's fields, by their names in the contract. */
export function valuesIn(row: object, fields: readonly string[]): Values {
  return Object.fromEntries(fields.map((field) => [field, (row as Values)[columnOf(field)]]))
}

/** Notes a write of the step of an operation. */
export function write({ writes }: State, step: string, one: Write): void {
  const list = writes.get(step) ?? []
  if (list.length === 0) writes.set(step, list)
  list.push(one)
}

/** True for a creation whose client id belongs to a row that has been deleted. */
export const isSpent = ({ found }: State, { noun, clientId }: Operation) =>
  found.spent.has(`${noun} ${clientId}`)

/** The id by which the upload itself names a row that it creates. */
export const refOf = ({ clientId }: Pick<Operation, 'clientId'>) => `#${clientId}`

/** The end of the reconciled period of an account. */
export const throughOf = ({ accounts }: State, account: Ref) =>
  accounts.find(({ id }) => id === account)?.through

/** The balance of an account at the end of a day, as the upload leaves it. */
export function balanceOn({ found, movements }: State, account: Ref, day: CalendarDate): bigint {
  const before = found.balances.get(`${account} ${day}`) ?? 0n
  return movements
    .filter((one) => one.account === account && one.day <= day)
    .reduce((sum, { amount }) => sum + amount, before)
}
