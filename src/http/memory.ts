import type { Owner } from '../database/owner.ts'
import type { Budgets } from '../failures/budgets.ts'
import { TooBusy } from '../failures/failures.ts'
import { isKnownToken } from './known-tokens.ts'
import { Limiter } from './limiter.ts'

// Other limits: failures/limits.ts.

const megabyte = 1024 * 1024
/** Of the 128 MB of an isolate. */
const limiter = new Limiter(56 * megabyte)
/** Requests without a known token have their own limit, so that they cannot use up the other. */
const anonymousLimiter = new Limiter(8 * megabyte)

/** Bytes of memory for each byte of JSON: as text, values, SQL and the driver's JSON. */
const perJsonByte = 12
/** Bytes of memory for each byte of an imported file (test/statements/memory.long.test.ts). */
const perImportByte = 8
/** Bytes of memory for each byte of a body that is being received, since its buffers grow. */
const perReceivedByte = 2
/** Bodies up to this size are not counted. */
const uncountedBytes = 4 * 1024
const perItem = 1_536
/** Lists of up to this many items are not counted. */
const uncountedItems = 25

/** The memory that is counted for a request with a body, in bytes. */
export class Memory {
  readonly #limiter: Limiter
  readonly #budgets: Budgets
  #bytes = 0

  /** `owner` is that of the request's token, if it has one. */
  constructor(owner: Owner | undefined, budgets: Budgets) {
    const isKnown = owner && (owner.userId !== undefined || isKnownToken(owner.tokenKey))
    this.#limiter = isKnown ? limiter : anonymousLimiter
    this.#budgets = budgets
  }

  /** Counts the bytes of a body received so far. Throws TooBusy if there is no memory. */
  countReceived(bytes: number): void {
    if (bytes > uncountedBytes) this.#set(bytes * perReceivedByte)
  }

  /** Counts a JSON body that is about to be parsed. Throws TooBusy if there is no memory. */
  countJson(bytes: number): void {
    if (bytes > uncountedBytes) this.#set(bytes * perJsonByte)
  }

  /** Counts a list of items that are to be stored. Throws TooBusy if there is no memory. */
  countItems(count: number): void {
    if (count > uncountedItems) this.#set(this.#bytes + count * perItem)
  }

  /** Counts a file that is about to be read. Waits for memory. Throws TooBusy. */
  async waitForImport(bytes: number): Promise<void> {
    this.#bytes = bytes * perImportByte
    await this.#limiter.waitToHold(this, this.#bytes, this.#budgets)
  }

  release(): void {
    this.#limiter.release(this)
  }

  #set(bytes: number): void {
    if (!this.#limiter.hold(this, bytes, this.#budgets)) throw new TooBusy()
    this.#bytes = bytes
  }
}
