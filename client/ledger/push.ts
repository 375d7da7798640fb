import { operationOutcomes } from '../../src/domain/types.ts'
import type { Upload } from '../api.ts'
import { ApiError, requireFromService } from '../errors.ts'
import { unwrap } from '../unwrap.ts'
import { dateOfField, isExceptionField, nested } from './exceptions.ts'
import { compare } from './money.ts'
import { type Change, deletes, type Fields, isUnresolved, type Pending, type Result } from './pending.ts'
import { pull, renewCursor, takePage } from './pull.ts'
import type { Key } from './rows.ts'
import { isKnownRule, keepChanged, type LedgerRun, referredTo } from './run.ts'
import { idOf } from './store.ts'
import { changeOfDivision, sentDivision } from './successors.ts'

/** Takes the next changes to send, and marks them as sent: later changes of these rows stay pending behind them. */
export async function takeChunk(run: LedgerRun): Promise<Pending[]> {
  let chunk: Pending[] = []
  await run.commit(() => {
    const { pending } = run.stored()
    const held = new Set([
      ...restoredTransactions(pending.values()),
      ...neededByUpdates(pending.values()),
      ...waitingForDivisions(pending),
      ...waitingForDeletions(run),
    ])
    const isHeld = (id: string, one: Pending) => held.has(id) || refersToMissingRow(run, one)
    const all = [...pending].filter(
      ([id, one]) => !run.attempted.has(id) && !isUnresolved(one) && !isHeld(id, one),
    )
    const inOrder = all.sort(
      ([, a], [, b]) => stageOf(a) - stageOf(b) || a.at - b.at || compare(a.key, b.key),
    )
    chunk = withinLimits(run, inOrder)
    return chunk.map((one) => {
      run.attempted.add(idOf(one))
      return keepChanged(run, idOf(one), one)
    })
  })
  return chunk
}

/** The first pending changes, as many as one upload may hold. */
function withinLimits(run: LedgerRun, all: [string, Pending][]): Pending[] {
  const { limits } = run
  let bytes = 0
  const chunk: Pending[] = []
  for (const [, one] of all.slice(0, limits.operations)) {
    const toSend = one.sent ? one : sending(run, one)
    bytes += new TextEncoder().encode(JSON.stringify(toSend)).length
    if (chunk.length > 0 && bytes > limits.bytes) break
    chunk.push(toSend)
  }
  return chunk
}

/** A pending change with the part of it that the next upload sends in `sent`. */
function sending(run: LedgerRun, one: Pending): Pending {
  const { next } = one
  if (next?.set.divides) return { ...one, sent: sentDivision(run.stored(), next), next: null }
  const { reconciled_through: through, ...set } = next?.set ?? {}
  // A new account has no balance checks: it is reconciled once it has them.
  if (next?.op === 'create' && through) {
    const lock = { reconciled_through: through }
    return {
      ...one,
      sent: { ...next, set },
      next: { op: 'update', set: lock, was: { reconciled_through: null } },
    }
  }
  return { ...one, sent: next, next: null }
}

/**
 * Accounts and categories, to which transactions refer, are created first, and accounts are deleted last. Balance checks follow the
 * transactions, or they would be broken until these arrive, and what reconciles a period follows its check.
 */
function stageOf({ noun, sent, next }: Pending): number {
  const change = sent ?? next
  if (noun === 'transaction') return 2
  if (noun === 'balance_check') return 3
  if (change?.op === 'update' && change.set.reconciled_through) return 4
  // Its name may be that of a new category.
  if (change?.op === 'delete' && noun === 'category') return 0
  if (change?.op === 'delete') return 5
  return noun === 'recurring' ? 1 : 0
}

/**
 * The transactions that were deleted with an account whose deletion has no outcome yet. `revive` creates them again with
 * their pending changes; sent now, these would find no row.
 */
function restoredTransactions(all: Iterable<Pending>): string[] {
  const affected = [...all].flatMap(({ sent, next }) => (sent && next?.others) ?? [])
  return affected.filter(({ set }) => set).map(({ key }) => `transaction ${key}`)
}

/**
 * The accounts that a pending update takes a sent row out of, and the categories that it puts the row into: they are
 * deleted only after the update. A rejected update holds no category.
 */
function neededByUpdates(all: Iterable<Pending>): string[] {
  return [...all].flatMap(({ sent, next, errors }) => {
    if (!sent || next?.op !== 'update') return []
    const accounts = referredTo(sent).filter((id) => 'account_id' in next.set && id.startsWith('account '))
    return errors ? accounts : [...accounts, `category ${next.set.category_id}`]
  })
}

/**
 * Divisions of rules that have other pending changes, since an upload has one operation for a rule, and the changes that
 * refer to the successors: these exist for the service only once the rule is divided.
 */
function waitingForDivisions(pending: ReadonlyMap<string, Pending>): string[] {
  const all = [...pending.values()].sort((a, b) => a.at - b.at)
  const dividing = new Set<string>()
  return all.flatMap((one) => {
    const { divides, recurring_id } = (one.sent ?? one.next)?.set ?? {}
    const isOfSuccessor = dividing.has(String(recurring_id))
    const isSecond =
      divides !== undefined && (dividing.has(`of ${divides}`) || pending.has(`recurring ${divides}`))
    if (divides !== undefined) dividing.add(`of ${divides}`).add(one.key)
    return (isOfSuccessor || isSecond) && !one.sent ? [idOf(one)] : []
  })
}

/** Changes of an occurrence whose transaction is to be deleted, which skips it: they are meant to come after that. */
function waitingForDeletions(run: LedgerRun): string[] {
  const { pending, rows } = run.stored()
  const all = [...pending.values()]
  const deleted = all.flatMap((one) => {
    const row = one.noun === 'transaction' && deletes(one) ? rows.get('transaction', one.key) : undefined
    return row?.recurring_id != null
      ? `${rows.keyOf('recurring', row.recurring_id)} ${row.occurrence_date}`
      : []
  })
  const isOfDeleted = ({ noun, key, sent, next }: Pending) => {
    const { recurring_id, occurrence_date } = next?.set ?? {}
    if (sent) return false
    if (noun === 'transaction') return deleted.includes(`${recurring_id} ${occurrence_date}`)
    return noun === 'recurring' && deleted.some((one) => exceptionFieldIn(next?.set ?? {}, key, one))
  }
  return deleted.length === 0 ? [] : all.filter(isOfDeleted).map(idOf)
}

const exceptionFieldIn = (set: Fields, rule: Key, occurrence: string) =>
  Object.keys(set).some((field) => isExceptionField(field) && `${rule} ${dateOfField(field)}` === occurrence)

/** True if an unsent change refers to a row that was refused, other than a category, or is to be restored. */
function refersToMissingRow(run: LedgerRun, { sent, next }: Pending): boolean {
  const { pending } = run.stored()
  const isMissing = (id: string) => {
    const named = pending.get(id)
    const isRefused = named?.errors && named.noun !== 'category'
    return named?.next?.op === 'create' && Boolean(isRefused || named.sent)
  }
  return !sent && referredTo(next).some(isMissing)
}

/** Uploads changes. A chunk that is too large, or would push a balance past its bounds, is sent in halves. */
export async function pushChunk(run: LedgerRun, chunk: Pending[]): Promise<void> {
  if (run.stored().meta.cursor === null) await pull(run)
  const { cursor } = run.stored().meta
  try {
    const json = { cursor, ops: chunk.map((one) => operationOf(run, one)) } as Upload
    const response = await unwrap(run.client.api.changes.$post({ json }, { headers: run.headers }))
    requireFromService(Array.isArray(response?.results) && response.results.every(isResult))
    for (const result of response.results) {
      const one = chunk[result.index]
      if (one) run.results.set(idOf(one), result)
    }
    await takePage(run, response)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (await renewCursor(run, error)) return pushChunk(run, chunk)
    if (error.status !== 413 && !error.errors.batch) throw error
    if (chunk.length > 1) {
      const half = Math.ceil(chunk.length / 2)
      await pushChunk(run, chunk.slice(0, half))
      await pushChunk(run, chunk.slice(half))
      return
    }
    const [one] = chunk as [Pending]
    const errors = error.status === 413 ? { row: [error.message] } : error.errors
    run.results.set(idOf(one), { index: 0, outcome: 'invalid', errors })
    // The next pull applies this result.
    run.isUpToDate = false
  }
}

const isResult = (one: Result | null) => one !== null && operationOutcomes.includes(one.outcome)

function operationOf(run: LedgerRun, { noun, key, sent }: Pending) {
  const { op, set, was, mayLackCategory, override_reconciled } = sent as Change
  if (op === 'create' && set.divides) {
    const { set: changed } = changeOfDivision(sent as Change)
    const division = { ...changed, from: set.from ?? null, successor_client_id: key.slice(1) }
    return { op: 'update', noun, ...named(String(set.divides)), set: nested(division) }
  }
  // A creation that may lack a category must say so.
  const isFiled = noun === 'transaction' || noun === 'recurring'
  const nullCategory = op === 'create' && isFiled && mayLackCategory && { category_id: null }
  const { rows, pending } = run.stored()
  // If a category has been deleted, its transactions have lost it.
  const categoryExists = (category: unknown) =>
    typeof category === 'string' && (rows.get('category', category) || pending.has(`category ${category}`))
  const known: Fields =
    'category_id' in was && !categoryExists(was.category_id) ? { ...was, category_id: null } : was
  // If a rule has been deleted, its transactions are ordinary ones.
  const isRuleGone = set.recurring_id != null && !isKnownRule(run, String(set.recurring_id))
  const unlinked = isRuleGone && { recurring_id: null, occurrence_date: null }
  const fields = op !== 'delete' && { set: nested({ ...nullCategory, ...set, ...unlinked }) }
  const override = override_reconciled && { override_reconciled: true }
  return { op, noun, ...named(key), ...override, ...fields, ...(op !== 'create' && { was: nested(known) }) }
}

const named = (key: Key) => (key.startsWith('#') ? { client_id: key.slice(1) } : { id: Number(key) })
