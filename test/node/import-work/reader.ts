import { parentPort } from 'node:worker_threads'
import { readGeneric, readStatement } from '../../../statements/read.ts'

// Reads each file it gets with both readers, in its own heap, and answers with the number of rows.
parentPort?.on('message', (bytes: Uint8Array) => {
  const rows = [
    () => readStatement(bytes, { signs: 'as_written' }).accounts.flatMap((account) => account.entries),
    () => readGeneric(bytes, { signs: 'as_written' }).rows,
  ].map((read) => {
    try {
      return read().length
    } catch {
      return 0
    }
  })
  parentPort?.postMessage(Math.max(...rows))
})
