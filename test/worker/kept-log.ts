import { afterEach, beforeAll, beforeEach } from 'vitest'
import { secretsIn } from '../log-secrets.ts'

/*
 * The Worker writes a line for each request, and passing tens of thousands of them on to Vitest, which discards those of
 * tests that pass, takes longer than many of the tests. So they stay in workerd unless their test fails or they give a
 * secret away, which the scan has to find (test/log-scan.ts).
 */

type Kept = { show: (line: string) => void; line: string }

/** What a failed test shows: its last lines. */
const linesKept = 200
let kept: Kept[] = []

beforeAll(() => {
  const { log, error } = console
  const keep =
    (show: Kept['show']) =>
    (...args: unknown[]) => {
      const line = args.join(' ')
      if (secretsIn(line).length > 0) return show(line)
      kept.push({ show, line })
      if (kept.length > 2 * linesKept) kept = kept.slice(-linesKept)
    }
  Object.assign(console, { log: keep(log), error: keep(error) })
  return () => Object.assign(console, { log, error })
})

beforeEach(() => {
  kept = []
})

afterEach(({ task }) => {
  if (task.result?.state === 'fail') for (const { show, line } of kept.slice(-linesKept)) show(line)
})
