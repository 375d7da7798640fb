import { fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'

export type GuardedProcess = {
  /** Resolves with how it ended, once its last line has been passed on. */
  ended: Promise<string>
  /** Asks it to stop, and kills it after a few seconds. */
  close(): Promise<void>
  /** Kills it at once, as a crash would. */
  kill(): Promise<void>
}

export type GuardedCommand = {
  /** The program and its arguments. */
  command: [string, ...string[]]
  directory: string
  environment: NodeJS.ProcessEnv
  /** Receives each line of standard output and standard error. */
  onLine: (line: string) => void
}

/** Runs a command under a guard that ends it, and whatever it starts, even when this process is killed. */
export function startGuarded({ command, directory, environment, onLine }: GuardedCommand): GuardedProcess {
  const guard = fork(path.join(import.meta.dirname, 'guard.ts'), command, {
    cwd: directory,
    env: environment,
    execArgv: [],
    detached: true, // a group of its own, which Ctrl-C in the terminal does not reach
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  // Harmless if the group is gone, and needed if only the guard has ended.
  const endGroup = () => killGroup(guard.pid)
  process.on('exit', endGroup)

  let lastExit = 'unexpectedly'
  guard.on('message', (message: { exit: string }) => {
    lastExit = `with ${message.exit}`
  })
  for (const stream of [guard.stdout, guard.stderr])
    if (stream) createInterface({ input: stream }).on('line', onLine)
  guard.once('exit', endGroup)
  // On 'close', unlike on 'exit', its last lines have been read.
  const ended = once(guard, 'close').then(() => {
    process.off('exit', endGroup)
    return lastExit
  })
  return {
    ended,
    async close() {
      if (guard.connected) guard.send('stop')
      await ended
    },
    async kill() {
      endGroup()
      await ended
    },
  }
}

function killGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL')
  } catch {
    // The group no longer exists.
  }
}
