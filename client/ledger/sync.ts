import { stoppedBy } from '../stopped.ts'
import { isUnresolved } from './pending.ts'
import { pull } from './pull.ts'
import { pushChunk, takeChunk } from './push.ts'
import type { LedgerReport, LedgerRun, SyncOptions } from './run.ts'

/** Sends pending changes and fetches what has changed. Throws LedgerVersionError, and errors of the storage. */
export async function synchronise(options: SyncOptions): Promise<LedgerReport> {
  const report: LedgerReport = { sent: 0, received: 0, conflicts: 0, rejected: 0, waiting: 0, stopped: null }
  try {
    const bearer = await options.bearer()
    if ('stopped' in bearer) report.stopped = bearer.stopped
    else {
      const { headers } = bearer
      const run = { ...options, report, headers, results: new Map(), attempted: new Set<string>() }
      await runOnce({ ...run, isUpToDate: false, isRepaired: false, isRenewed: false })
    }
  } catch (error) {
    report.stopped = stoppedBy(error)
  }
  report.waiting = [...options.stored().pending.values()].filter((one) => !isUnresolved(one)).length
  return report
}

async function runOnce(run: LedgerRun): Promise<void> {
  if (run.stored().meta.cursor === null) await pull(run)
  for (let chunk = await takeChunk(run); chunk.length > 0; chunk = await takeChunk(run))
    await pushChunk(run, chunk)
  if (!run.isUpToDate) await pull(run)
}
