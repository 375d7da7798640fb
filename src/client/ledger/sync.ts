import type { Feed, Upload, UploadAnswer } from '../api.ts'
import type { Bearer, GetBearer } from '../bearer.ts'
import type { PurseClient } from '../create.ts'
import { ApiError, requireOurs } from '../errors.ts'
import { inHalves, type Stopped, stoppedBy } from '../stopped.ts'
import { unwrap } from '../unwrap.ts'
import type { Copy } from './copy.ts'
import { compare } from './money.ts'
import { isFeedChange, keyOf, servedRows } from './rows.ts'
import { blockEntries, type Entry, idOf, onlyBlocks } from './store.ts'
import { type Change, type Fields, fold, leftAfter, type Result, type Waiting } from './waiting.ts'

/** What one run did. Whatever stopped it, nothing is lost: the next run goes on from there. */
export type LedgerReport = {
  /** Changes that were sent and done. */
  sent: number
  /** Changes that were received, one's own among them. */
  received: number
  /** Changes that conflict with somebody else's: see `conflicts`. */
  conflicts: number
  /** Changes that were refused: see `rejected`. */
  rejected: number
  /** What still waits to be sent: held up, or done by the person meanwhile. */
  waiting: number
  stopped: Stopped | null
}

type SyncOptions = Pick<Copy, 'stored' | 'commit' | 'keep' | 'touch' | 'touchAll' | 'showTouched'> & {
  client: Pick<PurseClient, 'api'>
  bearer: GetBearer
  limits: typeof syncLimits
}

/** The most that an upload and a page may have (docs/client.md, Keeping a copy). */
export const syncLimits = { operations: 500, bytes: 1_000_000, rows: 1_000 }

/** A run: what was answered since the copy was last whole is settled once it is whole again. */
type Run = SyncOptions & {
  report: LedgerReport
  headers: Bearer
  answers: Map<string, Result>
  done: Set<string>
  isWhole: boolean
  isRepaired: boolean
  isRenewed: boolean
}

/** Sends what waits and takes what has changed. Throws only what the storage throws. */
export async function synchronise(options: SyncOptions): Promise<LedgerReport> {
  const report: LedgerReport = { sent: 0, received: 0, conflicts: 0, rejected: 0, waiting: 0, stopped: null }
  try {
    const headers = await options.bearer()
    if (typeof headers === 'string') report.stopped = { reason: headers }
    else {
      const run = { ...options, report, headers, answers: new Map(), done: new Set<string>() }
      await runOnce({ ...run, isWhole: false, isRepaired: false, isRenewed: false })
    }
  } catch (error) {
    report.stopped = stoppedBy(error)
  }
  report.waiting = [...options.stored().waiting.values()].filter((one) => !isForPerson(one)).length
  return report
}

async function runOnce(run: Run): Promise<void> {
  if (run.stored().meta.cursor === null) await pull(run)
  for (let chunk = await take(run); chunk.length > 0; chunk = await take(run)) await upload(run, chunk)
  if (!run.isWhole) await pull(run)
}

const isForPerson = ({ conflict, errors }: Waiting): boolean => conflict !== null || errors !== null

/** Takes what is to be sent next, and marks it as sent: what is done to these rows from now on waits separately. */
async function take(run: Run): Promise<Waiting[]> {
  let chunk: Waiting[] = []
  await run.commit(() => {
    const { waiting } = run.stored()
    const all = [...waiting].filter(
      ([id, one]) => !run.done.has(id) && !isForPerson(one) && !isHeldUp(run, one),
    )
    const inOrder = all.sort(([, a], [, b]) => rankOf(a) - rankOf(b) || a.at - b.at || compare(a.key, b.key))
    chunk = withinLimits(run, inOrder)
    return chunk.map((one) => store(run, one, one))
  })
  return chunk
}

function withinLimits(run: Run, all: [string, Waiting][]): Waiting[] {
  const { done, limits } = run
  let bytes = 0
  const chunk: Waiting[] = []
  for (const [id, one] of all.slice(0, limits.operations)) {
    const frozen = freeze(run, one)
    bytes += new TextEncoder().encode(JSON.stringify(frozen)).length
    if (chunk.length > 0 && bytes > limits.bytes) break
    chunk.push(frozen)
    done.add(id)
  }
  return chunk
}

/**
 * Splits a change into what is sent now and what not yet. The service creates no row without a category, so one that
 * comes back without one is created with any category, which is then taken away.
 */
function freeze(run: Run, one: Waiting): Waiting {
  const change = (one.sent ?? one.next) as Change
  const rest = one.sent && one.next
  const [category] = run.stored().rows.byId.category.values()
  const { op, again, set } = change
  const isLacking = op === 'create' && again && set.type !== 'transfer' && set.category_id == null
  if (one.noun !== 'transaction' || !isLacking || !category) return { ...one, sent: change, next: rest }
  const was = { category_id: keyOf(category) }
  const sent = { ...change, set: { ...set, ...was } }
  const none = { ...one, sent, next: { op: 'update' as const, set: { category_id: null }, was } }
  // Whatever the category is by then, the row is to go.
  if (rest?.op === 'delete') {
    const { category_id, ...known } = rest.was
    return { ...none, next: { ...rest, was: known } }
  }
  return (rest && fold(none, rest)) ?? none
}

/** What others refer to is created first and deleted last. */
function rankOf({ noun, sent, next }: Waiting): number {
  if (noun === 'transaction') return 1
  return (sent ?? next)?.op === 'delete' ? 2 : 0
}

/** Whether it names a row that a person has to correct, or one that comes back once its deletion is known to be done. */
function isHeldUp(run: Run, { sent, next }: Waiting): boolean {
  const { waiting } = run.stored()
  return referredTo(sent ?? next).some((id) => {
    const named = waiting.get(id)
    return named?.next?.op === 'create' && (named.errors || named.sent)
  })
}

/** The rows that a change refers to. */
function referredTo(change: Change | null): string[] {
  const { account_id, to_account_id, category_id } = change?.set ?? {}
  return [`account ${account_id}`, `account ${to_account_id}`, `category ${category_id}`]
}

/** Keeps what is left to be done to a row. */
function store(run: Run, one: Waiting, left: Waiting | undefined): Entry {
  const entry = run.keep(idOf(one), left)
  run.touch(one.noun, one.key)
  return entry
}

/** Uploads changes; if they would push a balance past its bounds together, the first half and then the second. */
async function upload(run: Run, chunk: Waiting[]): Promise<void> {
  if (run.stored().meta.cursor === null) await pull(run)
  const { cursor } = run.stored().meta
  try {
    const json = { cursor, ops: chunk.map((one) => operation(run, one)) } as Upload
    const answer = await unwrap(run.client.api.changes.$post({ json }, { headers: run.headers }))
    requireOurs(Array.isArray(answer?.results) && answer.results.every(isResult))
    for (const result of answer.results) {
      const one = chunk[result.index]
      if (one) run.answers.set(idOf(one), result)
    }
    await takePage(run, answer)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (isOfCursor(run, error)) {
      await beginAnew(run)
      return upload(run, chunk)
    }
    if (error.status !== 413 && !error.errors.batch) throw error
    const [one, ...others] = chunk as [Waiting]
    const errors = error.status === 413 ? { row: [error.message] } : error.errors
    if (others.length > 0) for (const half of inHalves(chunk)) await upload(run, half)
    else {
      run.answers.set(idOf(one), { index: 0, outcome: 'invalid', errors })
      run.isWhole = false
    }
  }
}

const isResult = (one: Result | null): boolean =>
  /^(created|updated|unchanged|deleted|duplicate|conflict|gone|invalid)$/.test(String(one?.outcome))

/** Whether the cursor was refused; a second time in a run, something else is wrong. */
function isOfCursor(run: Run, { status, errors }: ApiError): boolean {
  if (run.isRenewed || (status !== 410 && errors.cursor === undefined)) return false
  run.isRenewed = true
  return true
}

function operation(run: Run, { noun, key, sent }: Waiting) {
  const { op, set, was } = sent as Change
  const name = key.startsWith('#') ? { client_id: key.slice(1) } : { id: Number(key) }
  const { rows, waiting } = run.stored()
  // Where a category has been deleted, its transactions have lost it.
  const isThere = (category: unknown) =>
    typeof category === 'string' && (rows.get('category', category) || waiting.has(`category ${category}`))
  const known: Fields =
    'category_id' in was && !isThere(was.category_id) ? { ...was, category_id: null } : was
  return { op, noun, ...name, ...(op !== 'delete' && { set }), ...(op !== 'create' && { was: known }) }
}

/** Pulls until the copy is whole. */
async function pull(run: Run): Promise<void> {
  do {
    const { meta } = run.stored()
    if (meta.cursor === null && meta.incoming === null) await beginAnew(run)
    const cursor = meta.cursor ?? meta.incoming
    const query = { limit: run.limits.rows, ...(cursor && { cursor }) }
    try {
      const page = await unwrap(run.client.api.changes.$get({ query }, { headers: run.headers }))
      // One that leads nowhere would be asked for again and again.
      requireOurs(Boolean(page?.changes) && (!page.has_more || page.cursor !== cursor))
      await takePage(run, page)
    } catch (error) {
      if (!cursor || !(error instanceof ApiError && isOfCursor(run, error))) throw error
      await beginAnew(run)
    }
  } while (!run.isWhole)
}

/** Begins a snapshot. The rows stay until it ends, and what waits stays in any case. */
function beginAnew(run: Run): Promise<void> {
  run.isWhole = false
  return run.commit(() => {
    const stored = run.stored()
    const entries = onlyBlocks(stored.blocks, stored.meta.generation)
    stored.incoming = servedRows()
    Object.assign(stored.meta, { cursor: null, incoming: '' })
    return entries
  })
}

type Page = Feed | UploadAnswer

/** Takes a page; with the last one, settles what was answered, and shows it all. */
async function takePage(run: Run, { changes = [], cursor = '', has_more, balances }: Page): Promise<void> {
  const isPage =
    Array.isArray(changes) && changes.every(isFeedChange) && (has_more || Array.isArray(balances))
  requireOurs(isPage && typeof cursor === 'string' && cursor !== '')
  await run.commit(() => {
    const { meta, rows, incoming } = run.stored()
    const isSnapshot = meta.incoming !== null
    run.report.received += changes.length
    run.isWhole = !has_more
    const into = isSnapshot ? incoming : rows
    into.fold(changes, isSnapshot ? () => undefined : run.touch)
    const entries = blockEntries(into, isSnapshot ? meta.generation + 1 : meta.generation)
    if (isSnapshot) meta.incoming = cursor
    else meta.cursor = cursor
    if (!run.isWhole) return entries
    if (isSnapshot) entries.push(...endSnapshot(run))
    entries.push(...applyAnswers(run))
    check(run, balances)
    return entries
  })
  if (run.isWhole) run.showTouched()
  if (run.stored().meta.cursor === null && run.isWhole) run.isWhole = false
}

/** The snapshot takes the place of the rows. */
function endSnapshot(run: Run): Entry[] {
  const stored = run.stored()
  const { meta, incoming } = stored
  Object.assign(meta, { generation: meta.generation + 1, cursor: meta.incoming, incoming: null })
  stored.rows = incoming
  stored.incoming = servedRows()
  run.touchAll()
  return onlyBlocks(stored.blocks, meta.generation)
}

function applyAnswers(run: Run): Entry[] {
  const { report, answers } = run
  const entries: Entry[] = []
  for (const [id, result] of answers) {
    const one = run.stored().waiting.get(id)
    if (!one?.sent) continue
    const left = leftAfter(one, result)
    // What names a row that a person has to correct waits for that, and is not to be corrected itself.
    const isHeld = result.outcome === 'invalid' && left !== undefined && namesInvalid(run, one)
    entries.push(store(run, one, isHeld ? { ...left, errors: null } : left))
    if (left?.conflict) report.conflicts += 1
    else if (left?.errors) report.rejected += isHeld ? 0 : 1
    else {
      report.sent += 1
      run.done.delete(id)
    }
  }
  answers.clear()
  return entries
}

/** Whether it names a row whose creation is invalid as well. */
function namesInvalid(run: Run, { sent }: Waiting): boolean {
  const { waiting } = run.stored()
  return referredTo(sent).some((id) => {
    const named = waiting.get(id)
    return (
      (named?.sent ?? named?.next)?.op === 'create' &&
      (run.answers.get(id)?.outcome === 'invalid' || named?.errors)
    )
  })
}

/** If the rows do not add up to the balances, they are asked for anew, once: they were damaged, or one was missed. */
function check(run: Run, balances: Feed['balances']): void {
  const { meta, rows } = run.stored()
  if (!balances || rows.addUpTo(balances)) return
  if (run.isRepaired)
    run.report.stopped = { reason: 'refused', error: new Error('The rows do not add up to the balances.') }
  else meta.cursor = null
  run.isRepaired = true
}
