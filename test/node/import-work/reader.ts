import { parentPort } from 'node:worker_threads'
import { readGenericCsv } from '../../../src/statements/csv/generic.ts'
import { readStatement } from '../../../src/statements/read.ts'

// Reads what it is sent by both readers, in a heap of its own, and answers how many rows came of it.
parentPort?.on('message', (bytes: Uint8Array) => {
  const rows = [
    () => readStatement(bytes, {}).accounts.flatMap((account) => account.entries),
    () => readGenericCsv(bytes, {}),
  ].map((read) => {
    try {
      return read().length
    } catch {
      return 0
    }
  })
  parentPort?.postMessage(Math.max(...rows))
})
