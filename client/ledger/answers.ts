import { keepTouched, type LedgerRun, referredTo } from './run.ts'
import type { Entry } from './store.ts'
import { leftAfter, type Waiting } from './waiting.ts'

/** Applies the answers to what the run has sent, and returns what is to be stored. */
export function applyAnswers(run: LedgerRun): Entry[] {
  const { report, answers } = run
  const entries: Entry[] = []
  for (const [id, result] of answers) {
    const one = run.stored().waiting.get(id)
    if (!one?.sent) continue
    const left = leftAfter(one, result)
    // Refused only because another row has to be corrected first: this one waits for that, with no error of its own.
    const isHeld = result.outcome === 'invalid' && left !== undefined && namesInvalid(run, one)
    entries.push(keepTouched(run, id, isHeld ? { ...left, errors: null } : left))
    if (left?.conflict) report.conflicts += 1
    else if (left?.errors) report.rejected += isHeld ? 0 : 1
    else {
      report.sent += 1
      run.attempted.delete(id)
    }
  }
  answers.clear()
  return entries
}

/** True if what was sent refers to a row whose creation is invalid as well. */
function namesInvalid(run: LedgerRun, { sent }: Waiting): boolean {
  const { waiting } = run.stored()
  return referredTo(sent).some((id) => {
    const named = waiting.get(id)
    return (
      (named?.sent ?? named?.next)?.op === 'create' &&
      (run.answers.get(id)?.outcome === 'invalid' || named?.errors)
    )
  })
}
