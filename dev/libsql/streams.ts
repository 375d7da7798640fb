import { randomBytes } from 'node:crypto'
import type { LocalDatabase } from './database.ts'
import { ProtocolError, StreamExpired } from './errors.ts'
import { Stream } from './stream.ts'

const OPEN_STREAMS = 1_000
const REMEMBER_EXPIRED_MS = 300_000

/** A stream while one request uses it. */
export interface Lease {
  readonly id: string
  readonly stream: Stream
}

interface Kept extends Lease {
  secret: string
  inUse: boolean
  timer: NodeJS.Timeout | undefined
}

/**
 * The open streams and their batons. A baton is `<stream>.<secret>`; every answer carries a new secret,
 * so each baton works once, and a stream that nobody asks for in time is rolled back and forgotten.
 */
export class Streams {
  readonly #idleMs: number
  readonly #kept = new Map<string, Kept>()
  readonly #expired = new Set<string>()

  constructor(idleMs: number) {
    this.#idleMs = idleMs
  }

  /** The stream a request speaks to, a new one if it shows no baton. Release it afterwards. */
  take(database: LocalDatabase, baton: string | undefined): Lease {
    if (baton !== undefined) return this.#resume(database, baton)
    if (this.#kept.size >= OPEN_STREAMS) throw new ProtocolError('Too many concurrent requests', 429)
    const stream = new Stream(database)
    const kept = { id: randomText(), secret: '', stream, inUse: true, timer: undefined }
    this.#kept.set(kept.id, kept)
    return kept
  }

  /** The baton for the next request; undefined if the stream is closed. */
  release({ id }: Lease): string | undefined {
    const kept = this.#kept.get(id)
    if (!kept) return undefined
    if (kept.stream.closed) {
      this.#kept.delete(id)
      return undefined
    }
    kept.inUse = false
    kept.secret = randomText()
    kept.timer = setTimeout(() => this.#expire(kept), this.#idleMs)
    kept.timer.unref()
    return `${id}.${kept.secret}`
  }

  /** Ends a stream at once, whatever it was doing. */
  drop({ id, stream }: Lease): void {
    clearTimeout(this.#kept.get(id)?.timer)
    this.#kept.delete(id)
    stream.close()
  }

  closeAll(): void {
    for (const kept of [...this.#kept.values()]) this.drop(kept)
  }

  #resume(database: LocalDatabase, baton: string): Lease {
    const [id = '', secret] = baton.split('.')
    if (this.#expired.has(id)) throw new StreamExpired()
    const kept = this.#kept.get(id)
    if (!kept || kept.stream.database !== database) throw new ProtocolError('Received an invalid baton')
    if (kept.inUse || kept.secret !== secret) {
      throw new ProtocolError('Received a baton that has already been used')
    }
    clearTimeout(kept.timer)
    kept.inUse = true
    return kept
  }

  #expire(kept: Kept): void {
    this.drop(kept)
    this.#expired.add(kept.id)
    setTimeout(() => this.#expired.delete(kept.id), REMEMBER_EXPIRED_MS).unref()
  }
}

function randomText(): string {
  return randomBytes(16).toString('base64url')
}
