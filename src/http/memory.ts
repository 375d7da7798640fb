import type { Owner } from '../database/owner.ts'
import { TooBusy } from '../shared/failures.ts'
import { isRemembered } from './known-tokens.ts'
import { Limiter } from './limiter.ts'

const megabyte = 1024 * 1024
/** Of the 128 MB of an isolate. */
const limiter = new Limiter(56 * megabyte)
/** Requests whose token is not known to be valid have their own limit, so that they cannot use up the other. */
const anonymousLimiter = new Limiter(8 * megabyte)

/** The memory in bytes that a byte of JSON takes until it is stored: as text, values, SQL and the driver's JSON. */
const perJsonByte = 12
/** The same for an import, which is read in one pass (test/node/import-memory.test.ts). */
const perImportByte = 8
/** As it arrives, a body is gathered in buffers that grow. */
const perArrivedByte = 2
/** Bodies up to this size are not counted. */
const uncountedBytes = 4 * 1024
const perItem = 1_536
/** Lists of up to this many items are not counted. */
const uncountedItems = 25

/** The memory that is counted for a request with a body, in bytes. */
export class Memory {
  readonly #limiter: Limiter
  #bytes = 0

  /** `owner` is that of the request's token, if it has one. */
  constructor(owner: Owner | undefined) {
    const isKnown = owner && (owner.userId !== undefined || isRemembered(owner.tokenKey))
    this.#limiter = isKnown ? limiter : anonymousLimiter
  }

  /** Counts the part of a body that has arrived so far. Throws TooBusy if there is no memory. */
  countArrived(bytes: number): void {
    if (bytes > uncountedBytes) this.#set(bytes * perArrivedByte)
  }

  /** Counts a JSON body that is about to be parsed. Throws TooBusy if there is no memory. */
  countJson(bytes: number): void {
    if (bytes > uncountedBytes) this.#set(bytes * perJsonByte)
  }

  /** Counts a list that is held until its items are stored. Throws TooBusy if there is no memory. */
  countItems(count: number): void {
    if (count > uncountedItems) this.#set(this.#bytes + count * perItem)
  }

  /** Counts an import that is about to be read. Waits up to two seconds for memory, and then throws TooBusy. */
  async waitForImport(bytes: number): Promise<void> {
    this.#bytes = bytes * perImportByte
    await this.#limiter.waitToHold(this, this.#bytes)
  }

  release(): void {
    this.#limiter.release(this)
  }

  #set(bytes: number): void {
    if (!this.#limiter.hold(this, bytes)) throw new TooBusy()
    this.#bytes = bytes
  }
}
