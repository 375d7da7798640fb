import { firstErrors } from '../../domain/field-errors.ts'
import { Invalid } from '../../failures/failures.ts'
import type { Operation, Upload } from '../contract.ts'
import { repeatedRowText } from '../input.ts'
import type { Found } from '../read.ts'
import { account, reconciles } from './account.ts'
import { balanceCheck } from './balance-check.ts'
import { category } from './category.ts'
import { invalid, type Outcome } from './outcomes.ts'
import { profile } from './profile.ts'
import { recurring } from './recurring.ts'
import { isDone } from './rows.ts'
import { type Decisions, type State, settled, stateOf } from './state.ts'
import { transaction } from './transaction.ts'

const nouns: Record<Operation['noun'], Decisions> = {
  profile,
  account,
  category,
  recurring,
  transaction,
  balance_check: balanceCheck,
}

/**
 * The order in which operations are done, independent of their order in the upload: rows that others refer to are created
 * first and deleted last. Accounts are updated before any is created, and so are categories, so that a new row can have
 * what an update gives up: a name, or room for notes. What the deletion of a category gives up, all others can have. Balance
 * checks come after the transactions, and give up their days first. Periods are reconciled after that, so that they bind no
 * other operation, and opened before any.
 */
const order: [Operation['kind'], Operation['noun'], which?: (operation: Operation) => boolean][] = [
  ['update', 'profile'],
  ['update', 'account', (one) => !reconciles(one)],
  ['create', 'account'],
  ['delete', 'category'],
  ['update', 'category'],
  ['create', 'category'],
  ['create', 'recurring'],
  ['update', 'recurring', (one) => !divides(one)],
  ['update', 'recurring', divides],
  ['create', 'transaction'],
  ['update', 'transaction'],
  ['delete', 'transaction'],
  ['delete', 'balance_check'],
  ['update', 'balance_check'],
  ['create', 'balance_check'],
  ['update', 'account', reconciles],
  ['delete', 'recurring'],
  ['delete', 'account'],
]

function divides({ set }: Operation): boolean {
  return set.from != null
}

/** The outcomes of operations, in the order of the upload, and what is to be written. */
export type Decided = { outcomes: Outcome[] } & Pick<State, 'writes' | 'ruleWrites'>

/** Decides what becomes of the operations of an upload. Throws Invalid if two of them name the same row. */
export function decide({ operations, refused, isRestore, isAtomic }: Upload, found: Found): Decided {
  requireEachOnce(operations, found)
  const state = stateOf(found, isRestore)
  const decided = order.flatMap(([kind, noun, which = () => true]) =>
    operations
      .filter((one) => one.kind === kind && one.noun === noun && which(one))
      .flatMap((one) => categorised(nouns[noun][kind]?.(one, state), one, state)),
  )
  const invalidInThemselves = refused.map(({ index, errors }) => invalid({ index, noun: 'profile' }, errors))
  const outcomes = [...decided, ...invalidInThemselves].sort((a, b) => a.index - b.index)
  if (!isAtomic || outcomes.every((one) => !isRefused(one, operations))) return { ...state, outcomes }
  return { outcomes: outcomes.map(notDone), writes: new Map(), ruleWrites: [] }
}

/** Notes that an operation is done without its category, which has been deleted, or could not be created. */
function categorised(outcome: Outcome | undefined, { set }: Operation, state: State): Outcome[] {
  if (!outcome) return []
  const isLost = isDone(outcome) && set.category_id != null && settled(state, set).category_id === null
  return [isLost ? { ...outcome, isUncategorised: true } : outcome]
}

/** True for an outcome because of which nothing of an atomic upload is done. A row that is to be deleted may be gone. */
function isRefused({ index, outcome }: Outcome, operations: Operation[]): boolean {
  if (outcome !== 'gone') return outcome === 'conflict' || outcome === 'invalid'
  return operations.find((one) => one.index === index)?.kind !== 'delete'
}

/** What could have been done is not done. So a repeat of an upload that was done, which would do nothing, stays one. */
function notDone(one: Outcome): Outcome {
  const { index, noun, outcome, id } = one
  const isSame = typeof id !== 'string' && !['created', 'updated', 'deleted'].includes(outcome)
  return isSame
    ? one
    : { index, noun, outcome: 'not_done', id: typeof id === 'string' ? null : id, version: null }
}

/** Which of two operations on one row was meant to come first is unknown. Only what was read tells ids from client ids. */
function requireEachOnce(
  operations: Operation[],
  { accounts, categories, rules, checks, transactions }: Found,
): void {
  const rows = {
    account: accounts,
    category: categories,
    recurring: rules,
    balance_check: checks,
    transaction: transactions,
  }
  const seen = new Set<string>()
  const repeated = operations.filter((one) => {
    const row = one.kind !== 'create' && one.noun !== 'profile' && rows[one.noun].named(one)
    const name = row && `${one.noun} ${row.id}`
    if (!name || !seen.has(name)) return void (name && seen.add(name))
    return true
  })
  const errors = repeated.map(({ index }) => [`ops.${index}`, [repeatedRowText]])
  if (errors.length > 0) throw new Invalid(firstErrors(Object.fromEntries(errors), 'ops'))
}
