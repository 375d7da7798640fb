import { leftAfter, type Pending } from './pending.ts'
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
