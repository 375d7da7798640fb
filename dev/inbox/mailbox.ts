import type { Mail } from './mail.ts'
import { MailboxLog } from './mailbox-log.ts'
import { type UsedKey, UsedKeys } from './used-keys.ts'

const mailsKept = 1_000
const bytesKept = 64 * 1024 * 1024
const spareBytes = 4 * 1024 * 1024

/** The newest 1,000 emails (64 MiB at most), in memory and in a file. */
export class Mailbox {
  keys = new UsedKeys()
  onChange: () => void = () => {}
  #log: MailboxLog
  #mails = new Map<string, { mail: Mail; bytes: number }>()
  #bytes = 0
  #logBytes = 0
  #compactBytes = 0

  private constructor(log: MailboxLog) {
    this.#log = log
  }

  /** Opens the mailbox of a folder, without entries that a crash left incomplete. */
  static async open(directory: string): Promise<Mailbox> {
    const log = await MailboxLog.open(directory)
    const mailbox = new Mailbox(log)
    for (const { mails, key } of await log.read()) {
      for (const mail of mails) mailbox.#keep(mail)
      if (key) mailbox.keys.complete(key)
    }
    await mailbox.#compact()
    return mailbox
  }

  /** Adds the emails of one request and the key it used. Once this resolves, a crash cannot undo it. */
  async add(mails: Mail[], key?: UsedKey): Promise<void> {
    const written = await this.#log.append(key ? { mails, key } : { mails })
    this.#logBytes += written
    for (const mail of mails) this.#keep(mail)
    if (key) this.keys.complete(key)
    this.onChange()
    if (this.#logBytes > 2 * this.#compactBytes + spareBytes) await this.#compact()
  }

  /** Every email, newest first. */
  newestFirst(): Mail[] {
    return [...this.#mails.values()].map(({ mail }) => mail).reverse()
  }

  find(id: string): Mail | undefined {
    return this.#mails.get(id)?.mail
  }

  /** Forgets every email and every idempotency key. */
  async empty(): Promise<void> {
    this.#mails.clear()
    this.#bytes = 0
    this.keys.clear()
    await this.#compact()
    this.onChange()
  }

  #keep(mail: Mail): void {
    const bytes = Buffer.byteLength(JSON.stringify(mail))
    this.#mails.set(mail.id, { mail, bytes })
    this.#bytes += bytes
    for (const [id, oldest] of this.#mails) {
      if (this.#mails.size <= mailsKept && this.#bytes <= bytesKept) break
      this.#mails.delete(id)
      this.#bytes -= oldest.bytes
    }
  }

  async #compact(): Promise<void> {
    // Reset before the write, or every email that arrives meanwhile would start another compaction.
    this.#logBytes = 0
    this.#compactBytes = await this.#log.replace(() => [
      ...[...this.#mails.values()].map(({ mail }) => ({ mails: [mail] })),
      ...this.keys.all(new Date()).map((key) => ({ mails: [], key })),
    ])
    this.#logBytes += this.#compactBytes
  }
}
