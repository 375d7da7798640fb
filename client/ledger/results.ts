import { leftAfter, merge, type Pending, type Result } from './pending.ts'
import { keyOf } from './rows.ts'
import { keepChanged, type LedgerRun, referredTo } from './run.ts'
import type { Entry } from './store.ts'

/** Applies the results of the upload to the pending changes, and returns the entries to store. */
export function applyResults(run: LedgerRun): Entry[] {
  const { report, results } = run
  const entries: Entry[] = []
  for (const [id, result] of results) {
    const one = run.stored().pending.get(id)
    if (!one?.sent) continue
    const left = leftAfter(one, result)
    if (adopted(run, one, left, result, entries)) continue
    // Rejected only because a row that it refers to was: it stays pending until that row is corrected.
    const isHeld = result.outcome === 'invalid' && left !== undefined && namesInvalid(run, one)
    entries.push(keepChanged(run, id, isHeld ? { ...left, errors: null } : left))
    if (left?.conflict) report.conflicts += 1
    else if (left?.errors) report.rejected += isHeld ? 0 : 1
    else {
      report.sent += 1
      run.attempted.delete(id)
    }
  }
  results.clear()
  return entries
}

/**
 * If another device has created the same row, drops this one's and moves later changes to the other's. Returns whether that
 * was so.
 */
function adopted(
  run: LedgerRun,
  { noun, key }: Pending,
  left: Pending | undefined,
  { outcome, data }: Result,
  entries: Entry[],
): boolean {
  const other = data && 'client_id' in data && outcome === 'duplicate' ? keyOf(data) : key
  if (other === key) return false
  entries.push(keepChanged(run, `${noun} ${key}`, undefined))
  const id = `${noun} ${other}`
  const change = left?.next
  if (left && change)
    entries.push(
      keepChanged(
        run,
        id,
        merge(run.stored().pending.get(id) ?? { ...left, key: other, next: null }, change),
      ),
    )
  run.report.sent += 1
  run.attempted.delete(`${noun} ${key}`)
  return true
}

/** True if the sent change refers to a row whose creation is invalid as well. */
function namesInvalid(run: LedgerRun, { sent }: Pending): boolean {
  const { pending } = run.stored()
  return referredTo(sent).some((id) => {
    const named = pending.get(id)
    return (
      (named?.sent ?? named?.next)?.op === 'create' &&
      (run.results.get(id)?.outcome === 'invalid' || named?.errors)
    )
  })
}
