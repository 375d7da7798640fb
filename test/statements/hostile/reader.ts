import { parentPort } from 'node:worker_threads'
import { readStatement } from '../../../statements/index.ts'

// Reads each file it gets with both readers, in its own heap, and answers with the number of rows.
parentPort?.on('message', (bytes: Uint8Array) => {
  const rows = (['bank', 'own'] as const).map((kind) => {
    const options = { kind, today: '2026-01-31', answers: { signs: 'as_written' } }
    return readStatement(bytes, options).rows.length
  })
  parentPort?.postMessage(Math.max(...rows))
})
