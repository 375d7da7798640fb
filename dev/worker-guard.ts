// Runs wrangler in a process group of its own and outlives whoever started it just long enough to
// end that group: without it, a killed `npm run dev` would leave workerd behind on its port.
import { spawn } from 'node:child_process'

const STOP_LIMIT_MS = 4_000
const ORPHAN_LIMIT_MS = 1_000

// The group's own SIGTERM must stop wrangler, not the one that waits for it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})

const wrangler = spawn(process.execPath, process.argv.slice(2), { stdio: ['ignore', 'inherit', 'inherit'] })
wrangler.on('exit', (code, signal) => {
  if (process.connected) process.send?.({ exit: signal ?? `code ${code}` }, endGroup)
  else endGroup()
})

process.on('message', () => stop(STOP_LIMIT_MS))
process.on('disconnect', () => stop(ORPHAN_LIMIT_MS))
if (!process.connected) stop(ORPHAN_LIMIT_MS)

function stop(limitMs: number): void {
  process.kill(-process.pid, 'SIGTERM')
  setTimeout(endGroup, limitMs)
}

function endGroup(): void {
  process.kill(-process.pid, 'SIGKILL') // this process included
}
