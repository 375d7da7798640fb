import type { Feed, UploadAnswer } from '../api.ts'
import { ApiError, requireFromService } from '../errors.ts'
import { unwrap } from '../unwrap.ts'
import { addUpTo, fold } from './fold.ts'
import { applyResults } from './results.ts'
import { isFeedChange, servedRows } from './rows.ts'
import type { LedgerRun } from './run.ts'
import { blockEntries, deletionsExcept, type Entry } from './store.ts'

/** Pulls until the copy is up to date. */
export async function pull(run: LedgerRun): Promise<void> {
  do {
    const { meta } = run.stored()
    if (meta.cursor === null && meta.incoming === null) await beginSnapshot(run)
    const cursor = meta.cursor ?? meta.incoming
    // A POST, since each cursor in the URL of a GET would need a preflight of its own.
    const json = { ops: [], cursor: cursor || null, limit: run.limits.rows }
    try {
      const page = await unwrap(run.client.api.changes.$post({ json }, { headers: run.headers }))
      // A page with the same cursor would be requested again and again.
      requireFromService(Boolean(page?.changes) && (!page.has_more || page.cursor !== cursor))
      await takePage(run, page)
    } catch (error) {
      if (!cursor || !(await renewCursor(run, error))) throw error
    }
  } while (!run.isUpToDate)
}

/**
 * If the service has refused the cursor, begins a snapshot and returns true. It does so once in a run: a second time,
 * something else is wrong.
 */
export async function renewCursor(run: LedgerRun, error: unknown): Promise<boolean> {
  const isRefused = error instanceof ApiError && (error.status === 410 || error.errors.cursor !== undefined)
  if (!isRefused || run.isRenewed) return false
  run.isRenewed = true
  await beginSnapshot(run)
  return true
}

/** Begins a snapshot. The rows stay until it ends; pending changes stay in any case. */
function beginSnapshot(run: LedgerRun): Promise<void> {
  run.isUpToDate = false
  return run.commit(() => {
    const stored = run.stored()
    const entries = deletionsExcept(stored.blocks, stored.meta.generation)
    stored.incoming = servedRows()
    Object.assign(stored.meta, { cursor: null, incoming: '' })
    return entries
  })
}

/** Applies a page; after the last one, applies the results of the upload and updates the view. */
export async function takePage(
  run: LedgerRun,
  { changes = [], cursor = '', has_more, balances, total_transactions }: UploadAnswer,
) {
  const isPage =
    Array.isArray(changes) && changes.every(isFeedChange) && (has_more || Array.isArray(balances))
  requireFromService(isPage && typeof cursor === 'string' && cursor !== '')
  await run.commit(() => {
    const { meta, rows, incoming } = run.stored()
    const isSnapshot = meta.incoming !== null
    run.report.received += changes.length
    run.isUpToDate = !has_more
    const into = isSnapshot ? incoming : rows
    fold(into, changes, isSnapshot ? () => undefined : run.markServed)
    if (isSnapshot) into.inOrder()
    const entries = blockEntries(into, isSnapshot ? meta.generation + 1 : meta.generation)
    if (isSnapshot)
      Object.assign(meta, {
        incoming: cursor,
        expected: typeof total_transactions === 'number' ? total_transactions : null,
      })
    else meta.cursor = cursor
    if (!run.isUpToDate) return entries
    if (isSnapshot) entries.push(...endSnapshot(run))
    entries.push(...applyResults(run))
    checkBalances(run, balances)
    return entries
  })
  if (!run.isUpToDate) return run.showProgress()
  run.showChanged()
  // Without a cursor, since the rows do not add up, all are read again.
  run.isUpToDate = run.stored().meta.cursor !== null
}

/** Puts the snapshot in place of the rows, and returns the entries that delete the old ones. */
function endSnapshot(run: LedgerRun): Entry[] {
  const stored = run.stored()
  const { meta, incoming } = stored
  Object.assign(meta, { generation: meta.generation + 1, cursor: meta.incoming, incoming: null })
  stored.rows = incoming
  stored.incoming = servedRows()
  run.markAllChanged()
  return deletionsExcept(stored.blocks, meta.generation)
}

/** If the rows do not add up to the balances, one was damaged or missed: all are read again, once in a run. */
function checkBalances(run: LedgerRun, balances: Feed['balances']): void {
  const { meta, rows } = run.stored()
  if (!balances || addUpTo(rows, balances)) return
  if (run.isRepaired)
    run.report.stopped = { reason: 'refused', error: new Error('The rows do not add up to the balances.') }
  else meta.cursor = null
  run.isRepaired = true
}
