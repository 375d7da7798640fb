import { once } from 'node:events'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { DevError } from './dev-error.ts'
import { loopback, type PortUse } from './settings.ts'

// A stack that was killed a moment ago takes a little while to release its ports.
const patienceMs = 3_000

/** Throws a DevError that names the first port in use, its part and its variable, or the signal's reason if it aborts. */
export async function requireFreePorts(uses: PortUse[], signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + patienceMs
  for (const use of uses) {
    for (;;) {
      signal.throwIfAborted()
      const code = await tryToListen(use.port)
      if (code === undefined) break
      if (code !== 'EADDRINUSE' || Date.now() > deadline) throw portError(use, code)
      await sleep(100)
    }
  }
}

/** The error for a port that cannot be opened. */
export function portError({ part, variable, port }: PortUse, code: string): DevError {
  const reason = code === 'EADDRINUSE' ? 'is busy' : `cannot be opened (${code})`
  return new DevError(
    `port ${port} for ${part} ${reason}: stop what uses it or set ${variable} to another port.`,
  )
}

const portsGiven = new Set<number>()

/**
 * A free port, never the same twice. It is below the ephemeral ones, of which wrangler takes some on every start. Each
 * process has a hundred to choose from, so that two tests that start at once do not choose the same.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + (process.pid % 120) * 100 + Math.floor(Math.random() * 100)
    if (portsGiven.has(port) || (await tryToListen(port))) continue
    portsGiven.add(port)
    return port
  }
}

/** True if something listens where a browser looks for `localhost`, which may be IPv6 alone. */
export async function isTaken(port: number): Promise<boolean> {
  const codes = [await tryToListen(port), await tryToListen(port, '::1')]
  return codes.includes('EADDRINUSE')
}

async function tryToListen(port: number, host = loopback): Promise<string | undefined> {
  const server = net.createServer()
  try {
    server.listen({ port, host })
    await once(server, 'listening')
    server.close()
    await once(server, 'close')
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error)
  }
}
