// Runs a command in a process group of its own and outlives whoever started it just long enough to
// end that group: without it, a killed `npm run dev` would leave workerd and sqld behind on their ports.
import { spawn } from 'node:child_process'

const stopLimitMs = 4_000
const orphanLimitMs = 1_000

// SIGTERM goes to the whole group: it should stop the command, not this guard.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})

const [, , command = '', ...args] = process.argv
const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] })
child.on('error', (error) => end(error.message))
child.on('exit', (code, signal) => end(signal ?? `code ${code}`))

process.on('message', () => stop(stopLimitMs))
process.on('disconnect', () => stop(orphanLimitMs))
if (!process.connected) stop(orphanLimitMs)

function end(how: string): void {
  if (process.connected) process.send?.({ exit: how }, endGroup)
  else endGroup()
}

function stop(limitMs: number): void {
  process.kill(-process.pid, 'SIGTERM')
  setTimeout(endGroup, limitMs)
}

function endGroup(): void {
  process.kill(-process.pid, 'SIGKILL') // this process included
}
