import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** What goes wrong between a client and its database. */
export type Fault = {
  /**
   * What the client gets: a status without the database's response, a closed connection, half of the response, a response
   * that makes no sense, nothing at all, or the right response too late.
   */
  gets: 'status' | 'cut' | 'half' | 'garbage' | 'nothing' | 'late'
  /** Whether the database has executed the request by then, as it must have for the right response or half of it. */
  executed?: boolean
  /** How much of the response arrives, instead of half. */
  bytes?: number
  status?: number
  contentType?: string
  delayMs?: number
  /** Which request since the fault was set meets it, counted from 1; every one by default. */
  only?: number
}

export type ApiResponse = { status: number; contentType: string; body: Buffer }

/** Responds as the fault says; `forward` sends the request to the database. */
export async function fail(
  fault: Fault,
  forward: () => Promise<ApiResponse>,
  response: ServerResponse,
): Promise<void> {
  const { gets, executed = gets === 'half', status = 502, contentType = 'text/html', delayMs = 0 } = fault
  if (gets === 'late') {
    await sleep(delayMs, undefined, { ref: false })
    return send(response, await forward())
  }
  const reply = executed ? await forward() : undefined
  if (gets === 'status') send(response, { status, contentType, body: Buffer.from('null') })
  if (gets === 'cut') response.destroy()
  if (gets === 'garbage')
    send(response, { status: 200, contentType: 'application/json', body: Buffer.from('{"bat') })
  if (gets === 'half' && reply) {
    response.writeHead(200, { 'content-type': reply.contentType, 'content-length': reply.body.length })
    const { bytes = reply.body.length / 2 } = fault
    response.write(reply.body.subarray(0, bytes), () => response.destroy())
  }
}

/** Responds with what the database said. */
export function send(response: ServerResponse, { status, contentType, body }: ApiResponse): void {
  response.writeHead(status, { 'content-type': contentType, 'content-length': body.length }).end(body)
}
