import type { ServerResponse } from 'node:http'

const mostListeners = 100
const heartbeatMs = 20_000

/** Notifies open pages by server-sent events that there is something new to fetch. */
export class Changes {
  #listeners = new Set<ServerResponse>()

  /** Keeps the response open and writes to it whenever something changes. */
  subscribe(response: ServerResponse): void {
    const [oldest] = this.#listeners
    if (oldest && this.#listeners.size >= mostListeners) oldest.end()
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    response.write('retry: 1000\n\n')
    this.#listeners.add(response)
    // Only a write shows whether the other side is still there.
    const heartbeat = setInterval(() => response.write(':\n\n'), heartbeatMs)
    response.once('close', () => {
      clearInterval(heartbeat)
      this.#listeners.delete(response)
    })
  }

  /** Notifies every open page. */
  announce(): void {
    for (const listener of this.#listeners) listener.write('data: changed\n\n')
  }
}
