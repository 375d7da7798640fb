import { appendFile, mkdir, open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { asObject, parseJson } from '../web/body.ts'
import type { Mail } from './mail.ts'
import type { UsedKey } from './used-keys.ts'

/** What one request added: its mails and the idempotency key it used, so that a crash keeps both or neither. */
export type Entry = { mails: Mail[]; key?: UsedKey }

/**
 * An append-only file with one entry per line. A line begins with its newline: a torn write can then only
 * spoil itself, never the entry after it.
 */
export class MailboxLog {
  #path: string
  #last: Promise<unknown> = Promise.resolve()

  constructor(path: string) {
    this.#path = path
  }

  static async open(directory: string): Promise<MailboxLog> {
    await mkdir(directory, { recursive: true })
    return new MailboxLog(join(directory, 'mails.jsonl'))
  }

  /** Every whole entry, oldest first. */
  async read(): Promise<Entry[]> {
    const text = await readFile(this.#path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return ''
      throw error
    })
    return text.split('\n').flatMap((line) => {
      const entry = asObject(parseJson(line))
      return Array.isArray(entry?.mails) ? [entry as Entry] : []
    })
  }

  /** Adds an entry; when this resolves, it is in the file. */
  append(entry: Entry): Promise<number> {
    const line = `\n${JSON.stringify(entry)}`
    return this.#inTurn(async () => {
      await appendFile(this.#path, line)
      return Buffer.byteLength(line)
    })
  }

  /**
   * Replaces the whole file, which holds either the old or the new entries whenever the process dies. The new
   * ones are asked for when all earlier writes are done, so that none of those is lost.
   */
  replace(entries: () => Entry[]): Promise<number> {
    return this.#inTurn(async () => {
      const text = entries()
        .map((entry) => `\n${JSON.stringify(entry)}`)
        .join('')
      const draft = `${this.#path}.draft`
      const file = await open(draft, 'w')
      try {
        await file.writeFile(text)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(draft, this.#path)
      return Buffer.byteLength(text)
    })
  }

  #inTurn<T>(write: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(write, write)
    this.#last = turn
    return turn
  }
}
